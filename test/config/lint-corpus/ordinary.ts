/** A generator of numbers that is the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const next = numbers(29)
const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
const some = (alphabet: string, count: number): string =>
  Array.from({ length: count }, () => pick([...alphabet])).join('')
const hex = (count: number): string => some('0123456789abcdef', count)
const digits = (count: number): string => some('0123456789', count)
const mixed = (count: number): string =>
  some('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', count)
const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
const place = (): string => pick(['eu-west-1', 'us-east-2', 'ap-southeast-1', 'europe-north1', 'westeurope'])
const team = (): string => pick(['payments', 'billing', 'ledger', 'network', 'identity', 'search', 'mobile'])
const stage = (): string => pick(['dev', 'test', 'staging', 'prod', 'sandbox'])
const name = (): string => `${team()}-${stage()}`

/** Kinds of values that variable sets hold, none a secret, though many have the form or the letters of one. */
const KINDS: readonly (() => readonly [key: string, text: string])[] = [
  () => ['AWS_REGION', place()],
  () => ['AWS_ACCOUNT_ID', digits(12)],
  () => ['ec2_instance', `i-0${hex(16)}`],
  () => ['ami', `ami-0${hex(16)}`],
  () => ['key_pair', `key-0${hex(16)}`],
  () => ['subnet_ids', JSON.stringify([`subnet-0${hex(16)}`, `subnet-0${hex(16)}`])],
  () => ['security_group', `sg-0${hex(16)}`],
  () => ['kms_key_arn', `arn:aws:kms:${place()}:${digits(12)}:key/${uuid()}`],
  () => ['kms_key_id', uuid()],
  () => ['role_arn', `arn:aws:iam::${digits(12)}:role/${name()}`],
  () => ['secret_arn', `arn:aws:secretsmanager:${place()}:${digits(12)}:secret:${name()}-${mixed(6)}`],
  () => ['iam_user_id', `AIDA${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 17)}`],
  () => ['iam_role_id', `AROA${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 17)}`],
  () => ['hosted_zone', `Z${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 20)}`],
  () => ['distribution', `E${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 13)}`],
  () => ['cognito_client_id', some('abcdefghijklmnopqrstuvwxyz0123456789', 26)],
  () => ['ARM_TENANT_ID', uuid()],
  () => ['ARM_SUBSCRIPTION_ID', uuid()],
  () => ['resource_group', `/subscriptions/${uuid()}/resourceGroups/${name()}`],
  () => [
    'google_client_id',
    `${digits(12)}-${some('abcdefghijklmnopqrstuvwxyz0123456789', 32)}.apps.googleusercontent.com`,
  ],
  () => ['service_account', `${name()}@project-${digits(6)}.iam.gserviceaccount.com`],
  () => ['image', `registry.acme.example/${team()}/api@sha256:${hex(64)}`],
  () => ['image_tag', `v${digits(1)}.${digits(2)}.${digits(1)}-${hex(8)}`],
  () => ['GIT_SHA', hex(40)],
  () => ['checksum', hex(64)],
  () => ['etag', hex(32)],
  () => ['integrity', `sha512-${mixed(86)}==`],
  () => ['h1_hash', `h1:${mixed(43)}=`],
  () => ['workspace_id', `ws-${mixed(16)}`],
  () => ['varset_id', `varset-${mixed(16)}`],
  () => ['agent_pool', `apool-${mixed(16)}`],
  () => ['stripe_publishable_key', `pk_live_${mixed(24)}`],
  () => ['sku', `SK-${hex(8).toUpperCase()}`],
  () => ['product', `SKU-${digits(10)}-${team()}`],
  () => ['sentry_dsn_project', `https://o${digits(6)}.ingest.sentry.example/${digits(7)}`],
  () => ['datadog_site', 'datadoghq.eu'],
  () => ['slack_channel', `C0${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 9)}`],
  () => ['slack_team', `T0${some('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 9)}`],
  () => ['telegram_chat', `-100${digits(10)}`],
  () => ['okta_group', `00g${mixed(17)}`],
  () => ['okta_client_id', `0oa${mixed(17)}`],
  () => ['github_app_id', digits(6)],
  () => ['github_client_id', `Iv1.${hex(16)}`],
  () => ['module_source', `git::https://git.acme.example/${name()}.git?ref=${hex(40)}`],
  () => ['endpoint', `https://${name()}.${place()}.acme.example/v${digits(1)}/hooks?team=${team()}&sig=none`],
  () => ['TOKEN_URL', `https://login.acme.example/${uuid()}/oauth2/token`],
  () => ['database_url', `postgres://db.${name()}.acme.example:5432/${team()}?sslmode=require`],
  () => ['jdbc_url', `jdbc:mysql://${name()}.internal:3306/${team()}?useSSL=true`],
  () => ['cidrs', JSON.stringify([`10.${digits(2)}.0.0/16`, `172.16.${digits(1)}.0/24`])],
  () => ['mac', hex(12).replace(/..(?!$)/g, '$&:')],
  () => ['ipv6', `2001:db8:${hex(4)}:${hex(4)}::${digits(2)}`],
  () => ['cron', `${digits(1)} ${digits(1)} * * MON-FRI`],
  () => ['email', `${team()}+${stage()}@acme.example`],
  () => ['bucket', `acme-${name()}-${digits(12)}`],
  () => ['log_level', pick(['debug', 'info', 'warning'])],
  () => ['instance_type', pick(['m6i.2xlarge', 'Standard_D4s_v5', 'n2-standard-8'])],
  () => ['password_policy', JSON.stringify({ minimumLength: 14, requireSymbols: true })],
  () => ['secret_name', `${team()}/${stage()}/database`],
  () => ['tls_secret', `${team()}-tls`],
  () => ['public_key', `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${mixed(43)} ${team()}@acme`],
  () => [
    'certificate',
    `-----BEGIN CERTIFICATE-----\nMIIB${mixed(60)}\n${mixed(64)}\n-----END CERTIFICATE-----`,
  ],
  () => ['ca_bundle', `LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${mixed(80)}`],
  () => ['fingerprint', `SHA256:${mixed(43)}`],
  () => ['user_data', `#!/bin/sh\nset -e\n/opt/${team()}/bin/start --stage ${stage()} --port ${digits(4)}\n`],
  () => ['tags', JSON.stringify({ team: team(), stage: stage(), cost: digits(8) })],
  () => ['feature_flags', `${team()}.${stage()}.enabled=true,${team()}.beta=false`],
  () => ['license_id', `lic_${digits(10)}`],
  () => ['pod', `${pick(['api', 'dapi', 'pul', 'sg', 'key'])}-${hex(10)}-${hex(5)}`],
  () => ['node', `${pick(['dp', 'sg', 'db'])}.${team()}-${hex(10)}`],
  () => ['dapi_host', `dapi.${name()}.acme.example`],
  () => ['model', `sk-${team()}-${stage()}-classifier-v${digits(2)}`],
  () => ['dataset', `hf_${team()}_${stage()}_corpus_of_documents`],
  () => ['npm_scope', `npm_${team()}_${stage()}_packages_and_their_mirrors`],
  () => ['topic', `pul-${team()}-${stage()}-events-of-the-last-day-${digits(8)}`],
  () => ['queue', `https://sqs.${place()}.amazonaws.com/${digits(12)}/${name()}.fifo`],
  () => ['build', `${digits(4)}-${digits(2)}-${digits(2)}T${digits(2)}:${digits(2)}:00Z.${hex(7)}`],
  () => ['trace_id', `00-${hex(32)}-${hex(16)}-01`],
  () => ['ulid', `01${some('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}`],
]

/** A thousand ordinary values under their keys. */
export const ORDINARY: readonly (readonly [key: string, text: string])[] = Array.from(
  { length: 1000 },
  (_, at) => KINDS[at % KINDS.length]?.() ?? ['', ''],
)
