/** The format of a credential that tells by itself what it is. */
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
  /** The secret part has to look random. */
  readonly isRandom?: boolean
}

/** A token does not begin inside a longer word. */
const START = '(?<![A-Za-z0-9_-])'

/** A sign as a pattern that matches exactly it. */
export const literally = (sign: string): string => sign.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/**
 * Tokens by their beginnings, as their issuers document them: each issuer uses these for its secrets only. Public formats (publishable
 * keys, ids of accounts) are not here. What follows has to look random, so that no length and no alphabet needs to be known.
 */
const PREFIXED: readonly (readonly [name: string, beginnings: string])[] = [
  // Clouds
  ['an AWS access key', 'AKIA ASIA ABIA ACCA'],
  ['an AWS session token', 'IQoJb3JpZ2lu FwoGZXIvYXdz'],
  ['a Google API key', 'AIza'],
  ['a Google OAuth secret', 'GOCSPX-'],
  ['a Google access token', 'ya29.'],
  ['an Azure key', 'AccountKey= SharedAccessKey='],
  ['a DigitalOcean token', 'dop_v1_ doo_v1_ dor_v1_'],
  ['an Alibaba Cloud access key', 'LTAI'],
  // Code, packages and pipelines
  ['a GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_'],
  ['a GitLab token', 'glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glrtr-'],
  ['a GitLab runner token', 'GR1348941'],
  ['an npm token', 'npm_'],
  ['a PyPI token', 'pypi-Ag'],
  ['a RubyGems token', 'rubygems_'],
  ['a Docker token', 'dckr_pat_ dckr_oat_'],
  ['an Artifactory token', 'AKCp'],
  ['a CircleCI token', 'CCIPAT_'],
  ['a Buildkite token', 'bkua_'],
  // Infrastructure
  ['a Vault token', 'hvs. hvb. hvr.'],
  ['a 1Password token', 'ops_eyJ'],
  ['a Tailscale key', 'tskey-'],
  ['a PlanetScale secret', 'pscale_'],
  ['an age key', 'AGE-SECRET-KEY-'],
  // Watching
  ['a Grafana token', 'glsa_ glc_eyJ'],
  ['a New Relic key', 'NRAK-'],
  ['a Sentry token', 'sntrys_eyJ sntryu_'],
  // Messages and money; whoever knows the URL of a webhook can post
  ['a Slack token', 'xoxa- xoxb- xoxe- xoxe.xoxb- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs- xapp-'],
  ['a Slack webhook', 'hooks.slack.com/'],
  ['a Teams webhook', 'webhook.office.com/webhookb2/'],
  ['a Discord webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/'],
  ['a Stripe key', 'sk_live_ rk_live_'],
  ['a Stripe webhook secret', 'whsec_'],
  ['a Square secret', 'sq0atp- sq0csp-'],
  ['a Shopify token', 'shpat_ shpca_ shppa_ shpss_'],
  // Services
  ['an Anthropic key', 'sk-ant-'],
  ['a Hugging Face token', 'hf_'],
  ['an Atlassian token', 'ATATT3 ATCTT3 ATBB'],
  ['a Linear key', 'lin_api_'],
  ['a Notion token', 'ntn_'],
  ['a Figma token', 'figd_'],
  ['a Postman key', 'PMAK-'],
  ['a Heroku key', 'HRKU-'],
  ['a Supabase key', 'sbp_ sb_secret_'],
]

/** The part of a token that has to look random: shorter ones have no issuer. */
const RANDOM_PART = '([A-Za-z0-9_+/=.~-]{16,80})'

/** Tokens whose sign is inside, or begins ordinary names as well, so that only their length and alphabet tell them from other texts. */
const MARKED: readonly (readonly [name: string, sign: string, pattern: string])[] = [
  ['a Twilio API key', 'SK', 'SK[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['a Mailgun key', 'key-', 'key-[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['a Pulumi token', 'pul-', 'pul-[a-f0-9]{40}'],
  ['a Doppler token', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40}'],
  ['a Databricks token', 'dapi', 'dapi[a-f0-9]{32}'],
  ['a Dynatrace token', 'dt0', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['a SendGrid key', 'SG.', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'],
  [
    'a signed token (JWT)',
    'eyJ',
    'eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{16}',
  ],
  ['an Azure client secret', 'Q~', '[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}'],
  ['an HCP Terraform token', '.atlasv1.', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60}'],
  ['a Telegram bot token', ':AA', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}'],
  ['a Mailchimp key', '-us', '[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])'],
  ['an OpenAI key', 'T3BlbkFJ', 'sk-[A-Za-z0-9_-]{10,100}T3BlbkFJ[A-Za-z0-9_-]{16}'],
]

/** Hashes of passwords as systems store them (crypt(5), RFC 5802, RFC 2307, PHC strings, web frameworks), by their beginnings. */
const HASHES: readonly (readonly [signs: string, pattern: string])[] = [
  ['$2a$ $2b$ $2x$ $2y$', '\\$2[abxy]\\$[0-9]{2}\\$[./A-Za-z0-9]{53}'],
  [
    '$1$ $5$ $6$ $apr1$',
    '\\$(?:1|5|6|apr1)\\$(?:rounds=[0-9]{1,9}\\$)?[./A-Za-z0-9_-]{1,16}\\$[./A-Za-z0-9]{22}',
  ],
  ['$y$ $7$ $gy$', '\\$(?:y|7|gy)\\$[./A-Za-z0-9]{1,40}\\$[./A-Za-z0-9]{1,86}\\$[./A-Za-z0-9]{43}'],
  ['md5', '(?<![A-Za-z0-9_-])md5[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['*', '\\*[0-9A-F]{40}(?![A-Za-z0-9])'],
  [
    '$argon2',
    '\\$argon2(?:id|i|d)\\$(?:v=[0-9]{1,3}\\$)?[a-z0-9=,]{5,40}\\$[A-Za-z0-9+/]{8,90}\\$[A-Za-z0-9+/]{16}',
  ],
  ['scrypt', '(?:\\$scrypt\\$|scrypt:[0-9]{1,9}:[0-9]{1,3}:[0-9]{1,3}\\$)[^\\s$]{4,90}\\$[A-Za-z0-9+/=]{16}'],
  ['pbkdf2', '\\$?pbkdf2[_:-]sha(?:1|256|512)[$:][0-9]{1,9}\\$[^\\s$]{1,90}\\$[A-Za-z0-9+/=.]{16}'],
  ['SCRAM-SHA-', 'SCRAM-SHA-(?:1|256|512)\\$[0-9]{1,9}:[A-Za-z0-9+/=]{8,90}\\$[A-Za-z0-9+/=]{16}'],
  [
    '{SSHA {SHA {SMD5 {MD5 {PBKDF2 {CRYPT {ssha {crypt',
    '\\{(?:S?SHA(?:256|384|512)?|S?MD5|PBKDF2(?:-SHA[0-9]{1,3})?|CRYPT|ssha|crypt)\\}[A-Za-z0-9+/=$.]{13}',
  ],
]

export const SHAPES: readonly SecretShape[] = [
  ...PREFIXED.map(([name, beginnings]) => {
    const signs = beginnings.split(' ')
    const pattern = new RegExp(`${START}(?:${signs.map(literally).join('|')})${RANDOM_PART}`, 'g')
    return { name, signs, pattern, isRandom: true }
  }),
  ...MARKED.map(([name, sign, pattern]) => ({
    name,
    signs: [sign],
    pattern: new RegExp(START + pattern, 'g'),
  })),
  // The signature is the permission.
  {
    name: 'a signed URL',
    signs: ['X-Amz-Signature=', 'X-Goog-Signature='],
    pattern: /[?&]X-(?:Amz|Goog)-Signature=[a-f0-9]{64}/g,
  },
  { name: 'a signed Azure URL', signs: ['sig='], pattern: /[?&]sig=[A-Za-z0-9%+/]{43}/g },
  {
    name: 'a private key',
    signs: ['PRIVATE KEY'],
    // Part of the key has to follow: its first line alone is not a secret.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,4}[nr]){0,8}(?:[A-Za-z0-9+/=]{16}|(?:Proc-Type|Version|Comment|Hash): )/g,
  },
  { name: 'a private key', signs: ['PuTTY-User-Key-File-'], pattern: /PuTTY-User-Key-File-[0-9]: /g },
  // Whoever has the seed has every code; whoever has a hash can try passwords without asking anybody.
  {
    name: 'the seed of one-time passwords',
    signs: ['otpauth'],
    pattern:
      /otpauth:\/\/[ht]otp\/[^\s"']{0,300}[?&]secret=[A-Za-z2-7]{10}|otpauth-migration:\/\/offline\?data=\S{10}/g,
  },
  ...HASHES.map(([signs, pattern]) => ({
    name: 'a password hash',
    signs: signs.split(' '),
    pattern: new RegExp(pattern, 'g'),
  })),
  {
    name: 'a database address with a password',
    signs: ['@tcp(', '@unix('],
    pattern: /[\w.-]{1,100}:(?![$<{[*%])([^\s/@:]{1,200})@(?:tcp|unix)\(/g,
  },
  {
    name: 'a database address with a password',
    signs: ['jdbc:oracle:'],
    pattern: /jdbc:oracle:[a-z0-9]{2,8}:[\w.$-]{1,100}\/(?![$<{[*%])([^\s/@]{1,200})@/g,
  },
  {
    name: 'a URL with a password',
    signs: ['@'],
    needs: '://',
    // Not with a template, a placeholder, or a digest after a tag in place of the password.
    pattern:
      /[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s"'<>/?#:@]{0,200}:(?!(?:pass(?:word|wd)?|secret|token|changeme|redacted|x{1,40}|\*{1,40}|%s|%[A-Z_]{2,40}%)@)(?![$<{[*])(?![^\s@]{0,200}[$]\{)([^\s"'<>/?#@]{1,500})@(?!sha[0-9])/gi,
  },
]

/**
 * Whether a text looks random rather than like words: a password, a key, a digest. It looks at pairs of neighbours: in words,
 * most pairs of letters are common in English; in a random text few are, and letters and digits alternate. A text with spaces or a
 * short one is never random. `isAfterBeginning`: it follows the beginning of a token.
 */
export function looksRandom(text: string, isAfterBeginning = false): boolean {
  if (text.length < SHORTEST || text.length > LONGEST || /\s/.test(text)) return false
  let strange = 0
  let pairs = 0
  let previous = kindOf(text, 0)
  for (let at = 1; at < text.length; at++) {
    const kind = kindOf(text, at)
    if (previous !== SEPARATOR && kind !== SEPARATOR) {
      pairs++
      strange += strangeness(text, at, previous, kind)
    }
    previous = kind
  }
  return (
    strange >= LEAST_STRANGE && strange >= pairs * (isAfterBeginning ? LEAST_SHARE_OF_TOKEN : LEAST_SHARE)
  )
}

const SHORTEST = 10
const LONGEST = 4096
/** Found with the corpora under test/config/lint-corpus. */
const LEAST_STRANGE = 4.5
const LEAST_SHARE = 0.46
/** Less is enough after the beginning of a token, where words are rare: of 10,000 random tokens, at most 10 are below. */
const LEAST_SHARE_OF_TOKEN = 0.25

const LETTER = 0
const DIGIT = 1
const SIGN = 2
/** Between words; its neighbours do not count. */
const SEPARATOR = 3

function kindOf(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)) return LETTER
  if (unit >= 48 && unit <= 57) return DIGIT
  return SEPARATORS.has(unit) ? SEPARATOR : SIGN
}

const SEPARATORS: ReadonlySet<number> = new Set([...'-_./:,@='].map(sign => sign.charCodeAt(0)))

function strangeness(text: string, at: number, before: number, kind: number): number {
  // Dates, numbers and versions also have several digits in a row.
  if (before === DIGIT && kind === DIGIT) return 0.4
  if (before !== LETTER || kind !== LETTER) return 1
  const pair = text.slice(at - 1, at + 1)
  const isRise = isLower(pair.charCodeAt(0)) && !isLower(pair.charCodeAt(1))
  // A word may begin with any letter: `myKey`.
  return COMMON.has(pair.toLowerCase()) ? (isRise ? 0.4 : 0) : isRise ? 0.8 : 1
}

const isLower = (unit: number): boolean => unit >= 97

/** Pairs of letters that make up four fifths of English text, and those of technical names. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ' +
    'ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ' +
    'ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp ' +
    'fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da ' +
    'yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib ' +
    'tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok'
  ).split(' '),
)
