/** A format that identifies a secret. */
export interface SecretShape {
  /** What it is, for a message: "contains …". */
  readonly name: string
  /** Every match contains one of these texts. They are searched first, those of all formats at once. */
  readonly signs: readonly string[]
  /** Another text that every match contains, if the signs alone are common. */
  readonly needs?: string
  /**
   * Every repetition is bounded, so that no text takes long. It need not match the whole token. If it has a group, that is the
   * secret part.
   */
  readonly pattern: RegExp
  /** Why it is always a secret. */
  readonly reason: string
}

const OWN_PREFIX = 'the issuer uses this prefix for its secrets only'

/** A token does not begin inside a longer word. */
const START = '(?<![A-Za-z0-9_-])'

const prefixed = (
  name: string,
  signs: string | readonly string[],
  pattern: string,
  reason = OWN_PREFIX,
): SecretShape => ({
  name,
  signs: typeof signs === 'string' ? [signs] : signs,
  pattern: new RegExp(START + pattern, 'g'),
  reason,
})

/** Formats as their issuers document them. Public ones (publishable keys, ids of accounts) are not here. */
export const SHAPES: readonly SecretShape[] = [
  // Clouds
  prefixed(
    'an AWS access key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])',
  ),
  prefixed(
    'an AWS session token',
    ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz'],
    '(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/]{60}',
  ),
  prefixed('a Google API key', 'AIza', 'AIza[A-Za-z0-9_-]{35}'),
  prefixed('a Google OAuth secret', 'GOCSPX-', 'GOCSPX-[A-Za-z0-9_-]{28}'),
  prefixed('a Google access token', 'ya29.', 'ya29\\.[A-Za-z0-9_-]{20}'),
  prefixed(
    'an Azure key',
    ['AccountKey=', 'SharedAccessKey='],
    '(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{43}',
    'connection strings label their key',
  ),
  prefixed('an Azure client secret', 'Q~', '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}'),
  {
    name: 'a signed Azure URL',
    signs: ['sig='],
    pattern: /[?&]sig=[A-Za-z0-9%+/]{43}/g,
    reason: 'the signature is the permission',
  },
  prefixed('a DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'do[opr]_v1_[a-f0-9]{64}'),
  prefixed('an Alibaba Cloud access key', 'LTAI', 'LTAI[A-Za-z0-9]{16}'),
  // Code, packages and pipelines
  prefixed('a GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{36}'),
  prefixed('a GitHub token', 'github_pat_', 'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}'),
  prefixed(
    'a GitLab token',
    [
      'glpat-',
      'gloas-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'glffct-',
      'glrtr-',
    ],
    'gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{20}',
  ),
  prefixed('a GitLab runner token', 'GR1348941', 'GR1348941[A-Za-z0-9_-]{20}'),
  prefixed('an npm token', 'npm_', 'npm_[A-Za-z0-9]{36}'),
  prefixed('a PyPI token', 'pypi-Ag', 'pypi-Ag[A-Za-z0-9_-]{50}'),
  prefixed('a RubyGems token', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  prefixed('a Docker token', ['dckr_pat_', 'dckr_oat_'], 'dckr_[po]at_[A-Za-z0-9_-]{27}'),
  prefixed('an Artifactory token', 'AKCp', 'AKCp[A-Za-z0-9]{60}'),
  prefixed('a CircleCI token', 'CCIPAT_', 'CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}'),
  prefixed('a Buildkite token', 'bkua_', 'bkua_[a-f0-9]{40}'),
  // Infrastructure
  prefixed('an HCP Terraform token', '.atlasv1.', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60}'),
  prefixed('a Vault token', ['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[A-Za-z0-9_-]{24}'),
  prefixed('a Pulumi token', 'pul-', 'pul-[a-f0-9]{40}'),
  prefixed(
    'a Doppler token',
    'dp.',
    'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40}',
  ),
  prefixed('a 1Password token', 'ops_eyJ', 'ops_eyJ[A-Za-z0-9_-]{100}'),
  prefixed('a Tailscale key', 'tskey-', 'tskey-[a-z]{2,12}-[A-Za-z0-9]{5,30}'),
  prefixed('a Databricks token', 'dapi', 'dapi[a-f0-9]{32}'),
  prefixed('a PlanetScale secret', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32}'),
  prefixed('an age key', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}'),
  // Watching
  prefixed('a Grafana token', 'glsa_', 'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}'),
  prefixed('a Grafana token', 'glc_eyJ', 'glc_eyJ[A-Za-z0-9+/=]{40}'),
  prefixed('a New Relic key', 'NRAK-', 'NRAK-[A-Z0-9]{27}'),
  prefixed('a Sentry token', ['sntrys_', 'sntryu_'], 'sntry(?:s_eyJ|u_)[A-Za-z0-9+/=_-]{40}'),
  prefixed('a Dynatrace token', 'dt0', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  // Messages and money
  prefixed(
    'a Slack token',
    ['xoxa-', 'xoxb-', 'xoxe', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    'xox(?:[abeoprs]-|e\\.xox[bp]-)[A-Za-z0-9-]{20}',
  ),
  prefixed('a Slack token', 'xapp-', 'xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,15}-[a-f0-9]{20}'),
  prefixed(
    'a Slack webhook',
    'hooks.slack.com/',
    'hooks\\.slack\\.com/(?:services|workflows)/T[A-Z0-9]{6,12}/[A-Z0-9]{6,14}/[A-Za-z0-9]{16}',
    'whoever knows the URL can post',
  ),
  prefixed(
    'a Discord webhook',
    '/api/webhooks/',
    'discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60}',
    'whoever knows the URL can post',
  ),
  prefixed('a Telegram bot token', ':AA', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}'),
  prefixed('a Stripe key', ['sk_live_', 'rk_live_'], '[rs]k_live_[A-Za-z0-9]{16}'),
  prefixed('a Stripe webhook secret', 'whsec_', 'whsec_[A-Za-z0-9+/]{32}'),
  prefixed('a Square secret', ['sq0atp-', 'sq0csp-'], 'sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})'),
  prefixed('a Shopify token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  prefixed('a SendGrid key', 'SG.', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  prefixed('a Twilio API key', 'SK', 'SK[a-f0-9]{32}(?![A-Za-z0-9])'),
  prefixed('a Mailgun key', 'key-', 'key-[a-f0-9]{32}(?![A-Za-z0-9])'),
  prefixed('a Mailchimp key', '-us', '[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])'),
  // Services
  prefixed('an OpenAI key', 'T3BlbkFJ', 'sk-[A-Za-z0-9_-]{10,100}T3BlbkFJ[A-Za-z0-9_-]{16}'),
  prefixed('an Anthropic key', 'sk-ant-', 'sk-ant-[a-z]{3,10}[0-9]{2}-[A-Za-z0-9_-]{60}'),
  prefixed('a Hugging Face token', 'hf_', 'hf_[A-Za-z]{34}(?![A-Za-z0-9])'),
  prefixed(
    'an Atlassian token',
    ['ATATT3', 'ATCTT3', 'ATBB'],
    '(?:AT[AC]TT3[A-Za-z0-9_=-]{60}|ATBB[A-Za-z0-9]{32})',
  ),
  prefixed('a Linear key', 'lin_api_', 'lin_api_[A-Za-z0-9]{40}'),
  prefixed('a Notion token', 'ntn_', 'ntn_[A-Za-z0-9]{43}'),
  prefixed('a Figma token', 'figd_', 'figd_[A-Za-z0-9_-]{40}'),
  prefixed('a Postman key', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  prefixed('a Heroku key', 'HRKU-', 'HRKU-(?:AA[A-Za-z0-9_-]{58}|[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4})'),
  prefixed('a Supabase key', ['sbp_', 'sb_secret_'], '(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31})'),
  // Of no issuer
  {
    name: 'a private key',
    signs: ['PRIVATE KEY'],
    // Part of the key has to follow: its first line alone is not a secret.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,4}[nr]){0,8}(?:[A-Za-z0-9+/=]{16}|(?:Proc-Type|Version|Comment|Hash): )/g,
    reason: 'its first line says what it is',
  },
  {
    name: 'a private key',
    signs: ['PuTTY-User-Key-File-'],
    pattern: /PuTTY-User-Key-File-[0-9]: /g,
    reason: 'its first line says what it is',
  },
  prefixed(
    'a signed token (JWT)',
    'eyJ',
    'eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{16}',
    'whoever holds it has access until it expires',
  ),
  {
    name: 'a URL with a password',
    signs: ['@'],
    needs: '://',
    // Not with a template, a placeholder, or a digest after a tag in place of the password.
    pattern:
      /[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s"'<>/?#:@]{0,200}:(?!(?:pass(?:word|wd)?|secret|token|changeme|redacted|x{1,40}|\*{1,40}|%s|%[A-Z_]{2,40}%)@)(?![$<{[*])(?![^\s@]{0,200}[$]\{)([^\s"'<>/?#@]{1,500})@(?!sha[0-9])/gi,
    reason: 'the URL contains the password',
  },
]

/** A format that identifies a secret together with its name. */
export interface NamedShape {
  readonly name: string
  readonly key: RegExp
  readonly value: RegExp
  readonly reason: string
}

const NO_PREFIX = 'the issuer gives its secrets this length and alphabet, and the name says whose it is'

export const NAMED_SHAPES: readonly NamedShape[] = [
  {
    name: 'an AWS secret key',
    key: /aws.{0,30}(?:secret|key)|secret_?access_?key/i,
    value: /^[A-Za-z0-9+/]{40}$/,
    reason: NO_PREFIX,
  },
  {
    name: 'an Azure storage key',
    key: /(?:azure|storage|account).{0,30}key/i,
    value: /^[A-Za-z0-9+/]{86}==$/,
    reason: NO_PREFIX,
  },
  {
    name: 'a Twilio token',
    key: /twilio.{0,30}(?:token|secret)/i,
    value: /^[a-f0-9]{32}$/,
    reason: NO_PREFIX,
  },
  {
    name: 'a Datadog key',
    key: /(?:datadog|^dd)_?.{0,20}(?:api|app)_?key/i,
    value: /^(?:[a-f0-9]{32}|[a-f0-9]{40})$/,
    reason: NO_PREFIX,
  },
  { name: 'a Vault token', key: /vault.{0,20}token/i, value: /^s\.[A-Za-z0-9]{24}$/, reason: NO_PREFIX },
  {
    name: 'a Cloudflare token',
    key: /(?:cloudflare|^cf)_.{0,20}(?:token|key)$/i,
    value: /^(?:[A-Za-z0-9_-]{40}|[a-f0-9]{37})$/,
    reason: NO_PREFIX,
  },
  {
    name: 'a Heroku key',
    key: /heroku.{0,20}key/i,
    value: /^[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}$/,
    reason: NO_PREFIX,
  },
]
