/**
 * Readable credentials in the forms in which people keep them: what it is, a key that says nothing more unless the form needs it,
 * and the text. None was ever real; tokens are put together here, so that no scanner finds one in this repository.
 */
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const PASSWORD = ['mJ7xQ2', 'vR9tLw'].join('')
const CHOSEN = 'Sommer2024'
const HEX = ['9f86d081884c7d65', '9a2feaa0c55ad015'].join('')
const BASE32 = ['KVKFKRCPNZQUYMLX', 'OVYDSQKJKZDTSRLD'].join('')
const BODY = ['MIIEvQIBADANBgkqhkiG9w0BAQ', 'EFAASCBKcwggSjAgEAAoIBAQC7'].join('')
const PRIVATE = (kind = '') =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${BODY}\n-----END ${kind}PRIVATE KEY-----\n`
const JWK = { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN' }
const SERVICE_ACCOUNT = JSON.stringify({
  type: 'service_account',
  project_id: 'acme',
  private_key: PRIVATE(),
})
const SALT = 'saltstring9aB'
const HASHED = [
  'svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO',
  'O817G3uBnIFNjnQJuesI68OTLiBFdcbYEdFCoEOfaS35inz1',
].join('')
/** PKCS#8 in DER: a sequence of the version, an algorithm and a key. */
const DER = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 0xa7)])

export const FORMS: readonly (readonly [what: string, key: string, text: string])[] = [
  // JSON
  ['a password in JSON', 'db', `{"user":"app","password":"${CHOSEN}"}`],
  [
    'nested JSON',
    'settings',
    JSON.stringify({ a: { b: [{ host: 'x', credentials: { password: CHOSEN } }] } }),
  ],
  ['JSON in JSON', 'settings', JSON.stringify({ config: JSON.stringify({ password: CHOSEN }) })],
  ['a list of names and values', 'environment', `[{"name":"DB_PASSWORD","value":"${CHOSEN}"}]`],
  ['a list of keys and values', 'environment', JSON.stringify([{ key: 'apiToken', value: PASSWORD }])],
  [
    'parameters',
    'p',
    `[{"ParameterKey":"DbPassword","ParameterValue":"${CHOSEN}"}]`.replace('Key"', 'Name"'),
  ],
  ['a list under a telling name', 'api_keys', JSON.stringify([HEX, PASSWORD])],
  ['a map under a telling name', 'tokens', JSON.stringify({ ci: PASSWORD })],
  ['a JWK, elliptic', 'key', JSON.stringify({ ...JWK, d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' })],
  ['a JWK, symmetric', 'k', JSON.stringify({ kty: 'oct', k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMko' })],
  [
    'a set of JWKs',
    'jwks',
    JSON.stringify({ keys: [{ kty: 'RSA', n: 'x', e: 'AQAB', d: 'X4cTteJY_gn4FYPsXB8rdX' }] }),
  ],
  ['a service account', 'google', SERVICE_ACCOUNT],
  ['an authorized user', 'google', JSON.stringify({ type: 'authorized_user', client_secret: PASSWORD })],
  ['a service principal', 'azure', JSON.stringify({ clientId: 'x', clientSecret: `a~${PASSWORD}~b9` })],
  [
    'credentials of STS',
    'aws',
    JSON.stringify({ Credentials: { SecretAccessKey: `${PASSWORD}/${PASSWORD}` } }),
  ],
  [
    'docker config.json',
    'docker',
    JSON.stringify({ auths: { 'r.acme.example': { auth: base64(`ci:${CHOSEN}`) } } }),
  ],
  [
    'credentials.tfrc.json',
    'tfrc',
    JSON.stringify({ credentials: { 'app.acme.example': { token: PASSWORD } } }),
  ],
  // Base64
  ['a service account in base64', 'google', base64(SERVICE_ACCOUNT)],
  ['a service account in lines of base64', 'google', base64(SERVICE_ACCOUNT).replace(/.{76}/g, '$&\n')],
  ['settings in base64', 'dotenv', base64(`USER=app\nPASSWORD=${CHOSEN}\n`)],
  ['a PEM key in base64', 'tls', base64(PRIVATE('RSA '))],
  ['base64 of base64 of JSON', 'settings', base64(base64(JSON.stringify({ password: CHOSEN })))],
  ['base64 in a script', 'user_data', `#!/bin/sh\necho ${base64(SERVICE_ACCOUNT)} | base64 -d > /x\n`],
  ['a key in DER', 'signer', DER.toString('base64')],
  [
    'kubeconfig',
    'kube',
    `apiVersion: v1\nusers:\n- name: a\n  user:\n    client-key-data: ${base64(PRIVATE())}\n`,
  ],
  ['kubeconfig with a token', 'kube', `users:\n- name: a\n  user:\n    token: ${PASSWORD}\n`],
  ['a Kubernetes secret', 'manifest', `kind: Secret\ndata:\n  password: ${base64(CHOSEN)}\n`],
  // Addresses and connection strings
  ['JDBC, PostgreSQL', 'jdbc', `jdbc:postgresql://db.acme.example:5432/app?user=app&password=${CHOSEN}`],
  [
    'JDBC, SQL Server',
    'jdbc',
    `jdbc:sqlserver://db.acme.example:1433;user=app;password=${CHOSEN};encrypt=true`,
  ],
  ['JDBC, a chosen word', 'jdbc', 'jdbc:mysql://db.acme.example/app?user=app&password=swordfish'],
  ['JDBC, Oracle', 'jdbc', `jdbc:oracle:thin:scott/${CHOSEN}@db.acme.example:1521:xe`],
  ['ADO', 'db', `Server=db.acme.example;Database=app;User Id=app;Password=${CHOSEN};`],
  ['ADO, short', 'db', `Data Source=db;Uid=app;Pwd=swordfish`],
  ['libpq', 'db', `host=db.acme.example user=app password=${CHOSEN} dbname=app`],
  ['redis', 'cache', `cache.acme.example:6380,password=${CHOSEN},ssl=True`],
  ['a Go address', 'db', `app:${CHOSEN}@tcp(db.acme.example:3306)/app?parseTime=true`],
  ['an address with a login', 'db', `postgres://app:${CHOSEN}@db.acme.example/app`],
  ['a query string', 'body', `grant_type=client_credentials&client_secret=${PASSWORD}`],
  ['a query of an address', 'hook', `https://hooks.acme.example/x?api_key=${HEX}`],
  [
    'a query with percent signs',
    'hook',
    `https://acme.example/x?config=${encodeURIComponent(JSON.stringify({ password: CHOSEN }))}`,
  ],
  ['a signed address', 'dump', `https://b.s3.amazonaws.com/x?X-Amz-Signature=${HEX}${HEX}`],
  ['the seed of one-time passwords', 'mfa', `otpauth://totp/acme:ops?secret=${BASE32}&issuer=acme`],
  // Lines
  ['.netrc on one line', 'netrc', `machine git.acme.example login ci password ${CHOSEN}`],
  ['.netrc on several lines', 'netrc', 'machine git.acme.example\n  login ci\n  password swordfish\n'],
  ['.pgpass', 'pgpass', `db.acme.example:5432:app:app:${CHOSEN}`],
  ['.pgpass with stars', 'pgpass', '*:*:*:app:swordfish'],
  ['.npmrc', 'npmrc', `registry=https://npm.acme.example/\n//npm.acme.example/:_authToken=${PASSWORD}\n`],
  ['.npmrc with a login', 'npmrc', `_auth=${base64(`ci:${CHOSEN}`)}\nemail=ci@acme.example\n`],
  ['dotenv', 'dotenv', `USER=app\nDB_PASSWORD=swordfish\n`],
  ['dotenv with export', 'dotenv', `export USER=app\nexport DB_PASSWORD='swordfish'\n`],
  ['properties', 'properties', `db.user = app\ndb.password = ${CHOSEN}\n`],
  ['my.cnf', 'cnf', `[client]\nuser=app\npassword="${CHOSEN}"\n`],
  ['an AWS credentials file', 'aws', `[default]\naws_secret_access_key = ${PASSWORD}/${PASSWORD}\n`],
  ['redis.conf', 'redis', `port 6379\nrequirepass ${CHOSEN}\n`],
  ['WireGuard', 'wg', `[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n`],
  ['YAML', 'values', `db:\n  user: app\n  password: ${CHOSEN}\n`],
  ['names and values in YAML', 'values', `env:\n  - name: DB_PASSWORD\n    value: ${CHOSEN}\n`],
  ['TOML', 'config', `[db]\npassword = "${CHOSEN}"\n`],
  ['Maven', 'settings', `<server><id>x</id><password>${CHOSEN}</password></server>`],
  ['web.config', 'config', `<add key="DbPassword" value="${CHOSEN}" />`],
  ['a command', 'run', `mysqldump --user=app --password=${CHOSEN} app`],
  ['a flag with a space', 'run', `tool login --token ${PASSWORD} --host x`],
  ['curl', 'run', `curl -u ci:${CHOSEN} https://acme.example/`],
  ['a header', 'run', `curl -H "Authorization: Bearer ${PASSWORD}${HEX}" https://acme.example/`],
  ['a basic header', 'header', `Authorization: Basic ${base64(`ci:${CHOSEN}`)}`],
  // HCL
  ['an HCL map', 'db', `{ user = "app", password = "${CHOSEN}" }`],
  ['an HCL list of names and values', 'env', `[{ name = "DB_PASSWORD", value = "${CHOSEN}" }]`],
  ['JSON in an HCL string', 'db', `{ config = ${JSON.stringify(JSON.stringify({ password: CHOSEN }))} }`],
  ['a quoted HCL string', 'db_password', `"${CHOSEN}"`],
  ['a heredoc', 'dotenv', `<<EOT\nUSER=app\nDB_PASSWORD=${CHOSEN}\nEOT\n`],
  // Hashes and more
  ['bcrypt', 'users', `admin:$2y$10$${'N9qo8uLOickgx2ZMRZoMye'}IjZAgcfl7p92ldGxad68LJZdL17lhWy`],
  ['a hash of crypt', 'shadow', `root:$6$${SALT}$${HASHED}:19000:0:99999:7:::`],
  ['apr1', 'htpasswd', 'ci:$apr1$7uHfTz0K$mQH3nLhfC9bUoWyqP0Zx1/'],
  ['yescrypt', 'hash', `$y$j9T$${'F5Jx5fExrKuPp53xLKQ..1'}$tnSYvahCwPBHKZUspmcxMfb0.WiB9W.zEaKlOBL35rC`],
  [
    'argon2',
    'admin',
    `$argon2id$v=19$m=65536,t=3,p=4$${'c29tZXNhbHQxMjM0'}$RdescudvJCsgt3ub+b4dWRWJTmaaJObG`,
  ],
  ['scrypt', 'admin', `scrypt:32768:8:1$${'kR2vTq8mXz1LpW4y'}$${HEX}${HEX}`],
  [
    'pbkdf2',
    'admin',
    `pbkdf2_sha256$600000$${'kR2vTq8mXz1LpW4y'}$${'Rdescud/vJCsgt3ubb4dWRWJTmaaJObGq0t7Bn5mPz8'}=`,
  ],
  ['SCRAM', 'role', `SCRAM-SHA-256$4096:${'kR2vTq8mXz1LpW4yQw'}==$${'Rdescud/vJCsgt3ubb4dWRWJTmaaJObG'}=:x`],
  ['LDAP', 'ldif', `userPassword: {SSHA}${'kR2vTq8mXz1LpW4yQwRdescudvJCsgt3'}`],
  ['a private key for SSH', 'deploy', PRIVATE('OPENSSH ')],
  [
    'a key after its certificate',
    'bundle',
    `-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n${PRIVATE('EC ')}`,
  ],
  [
    'words to recover a wallet',
    'wallet_mnemonic',
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
  ],
  ['a hash of PostgreSQL', 'role', `md5${HEX}`],
  ['a hash of MySQL', 'role', `*${`${HEX}9A2FEAA0`.toUpperCase()}`],
  ['SQL', 'init', `CREATE USER app WITH PASSWORD '${CHOSEN}';`],
  ['SQL of MySQL', 'init', `CREATE USER 'app' IDENTIFIED BY '${CHOSEN}'`],
  ['mysql', 'run', `mysql -u root -p${CHOSEN} app`],
  ['a setting by a command', 'run', `aws configure set aws_secret_access_key ${PASSWORD}/${PASSWORD}`],
  ['a header of another scheme', 'header', `Authorization: ApiKey ${PASSWORD}${HEX}`],
  ['an element with attributes', 'config', `<password type="plain">${CHOSEN}</password>`],
  ['a webhook', 'hook', `https://acme.webhook.office.com/webhookb2/${HEX}-${HEX}@x/IncomingWebhook/y`],
  ['a login', 'ELASTIC_AUTH', `elastic:${CHOSEN}`],
]

/** Ordinary texts of the same kinds in which nothing is secret. */
export const NO_CREDENTIALS: readonly (readonly [what: string, key: string, text: string])[] = [
  ['a public JWK', 'key', JSON.stringify(JWK)],
  [
    'public JWKs',
    'jwks',
    JSON.stringify({ keys: [{ kty: 'RSA', use: 'sig', kid: 'a1', n: base64('x'.repeat(60)), e: 'AQAB' }] }),
  ],
  [
    'a certificate',
    'ca',
    `-----BEGIN CERTIFICATE-----\n${'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n'.repeat(4)}-----END CERTIFICATE-----\n`,
  ],
  [
    'a certificate in base64',
    'ca',
    base64(`-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----\n`),
  ],
  ['a certificate in DER', 'ca', Buffer.from('3082000430820000', 'hex').toString('base64').padEnd(44, 'A')],
  [
    'a public key',
    'pub',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
  ],
  ['a public key for SSH', 'ssh_key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7x ops@acme.example'],
  ['a role', 'role', 'arn:aws:iam::123456789012:role/deploy'],
  [
    'the address of a secret',
    'db_password_arn',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf',
  ],
  [
    'a file that names addresses of secrets',
    'dotenv',
    'SECRET_ARN=arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf\n',
  ],
  [
    'secrets of ECS',
    'secrets',
    '[{"name":"DB_PASSWORD","valueFrom":"arn:aws:ssm:eu-west-1:1:parameter/db"}]',
  ],
  [
    'a reference to a Kubernetes secret',
    'env',
    '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-1\n      key: password\n',
  ],
  [
    'a policy',
    'policy',
    '{"Statement":[{"Sid":"ReadSecrets1","Effect":"Allow","Action":["secretsmanager:GetSecretValue"],"Resource":"*"}]}',
  ],
  [
    'a schema',
    'schema',
    '{"type":"object","properties":{"password":{"type":"string","format":"password"},"token":{"type":"string"}}}',
  ],
  ['a short schema', 'schema', '{"password":"string"}'],
  [
    'a rule for passwords',
    'password_policy',
    '{"minimum_length":14,"require_symbols":true,"regex":"^[a-z]{8}$"}',
  ],
  [
    'a discovery document',
    'oidc',
    '{"issuer":"https://id.acme.example","token_endpoint":"https://id.acme.example/oauth/token","jwks_uri":"https://id.acme.example/keys"}',
  ],
  [
    'a public OAuth client',
    'oidc',
    '{"client_id":"b2c91f3e","redirect_uri":"https://acme.example/cb","scope":"openid"}',
  ],
  ['settings', 'dotenv', 'LOG_LEVEL=info\nTOKEN_TTL=3600\nPASSWORD_MIN_LENGTH=12\nSECRET_NAME=db-1\n'],
  ['settings with references', 'dotenv', 'DB_PASSWORD=${DB_PASSWORD}\nAPI_TOKEN=$API_TOKEN\n'],
  ['HCL code', 'code', 'password = var.password\ntoken    = data.vault.x.token\n'],
  ['a function call', 'code', 'connect(user=user, password=password, token=os.environ["TOKEN"])'],
  ['an address', 'url', 'https://acme.example/reset-password?lang=en&token_type=jwt'],
  ['an address with a port', 'db', 'jdbc:postgresql://db.acme.example:5432/app?ssl=true&user=app'],
  [
    'a connection without password',
    'db',
    'Server=tcp:db.acme.example,1433;Database=app;Authentication=Active Directory Managed Identity;',
  ],
  [
    'a sentence',
    'notice',
    'The password is in the vault. Ask the team for a token if you need one; the secret rotates monthly.',
  ],
  ['a title', 'title', 'Password reset'],
  ['an error', 'message', 'Token expired'],
  ['Basic, the word', 'notice', 'Basic authentication is off, Bearer tokens only'],
  ['an address of Ethernet', 'mac', 'aa:11:22:33:44:55'],
  ['ports', 'ports', '127.0.0.1:8080:80'],
  ['a list of hosts', 'hosts', 'db1.acme.example:5432,db2.acme.example:5432'],
  ['times', 'cron', '10:20:30:40:50'],
  ['text in base64', 'motd', base64('Welcome to the machines of Acme. Be kind.\n')],
  ['public settings in base64', 'settings', base64(JSON.stringify({ region: 'eu-west-1', size: 3 }))],
  ['a digest', 'image', 'acme/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['a user agent', 'agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
  ['tags', 'tags', '{ Name = "app", Owner = "team-auth", Key = "prod/app/terraform.tfstate" }'],
  ['a map of settings', 'app', '{ name = "auth-service", value = "on", port = 8080 }'],
  ['a feature', 'features', '{"passwordless":true,"tokenBucket":"large","secretSanta":"2024"}'],
  ['an Nginx line', 'nginx', 'auth_basic "Restricted";\nauth_basic_user_file /etc/nginx/.htpasswd;\n'],
  ['a keyboard', 'keys', '["ctrl-a","ctrl-b"]'],
  [
    'a place in a state',
    'backend',
    'bucket = "acme-state"\nkey    = "prod/app.tfstate"\nregion = "eu-west-1"\n',
  ],
  ['a login without a password', 'auth', 'oauth2:8080'],
  ['a provider and an account', 'OAUTH', 'github:acme2'],
  ['users of commands', 'run', 'chown -u root:wheel2 /srv && rsync -u deploy:host1'],
  ['a public address of Sentry', 'dsn', 'https://9f86d081884c7d659a2feaa0c55ad015@o1.ingest.sentry.io/1'],
  [
    'DKIM',
    'dns',
    `v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7${'vbqajDw4o6gJy8UtmIbkcpnkO3Kwc4qs'}`,
  ],
  ['values of Helm', 'values', 'auth:\n  existingSecret: db-1\n  existingSecretPasswordKey: password\n'],
  ['a query', 'sql', 'SELECT password FROM users WHERE id = 1'],
  ['a template', 'tpl', '{"password":"{{ .Values.password }}","token":"<your token>"}'],
]
