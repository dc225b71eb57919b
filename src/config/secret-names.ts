/** A quick test that is true for every name that `isSecretName` takes. */
export const MAYBE_SECRET_NAME = /pass|pwd|pw$|secret|token|key|cred|auth|psk|salt|pepper|mnemonic|phrase/i

/** Whether a name announces a secret, and not something about one: `DB_PASSWORD`, but not `TOKEN_URL`. */
export function isSecretName(name: string): boolean {
  if (!MAYBE_SECRET_NAME.test(name)) return false
  const words = wordsOf(name)
  if (isAboutWords(words)) return false
  return words.some((word, at) => SECRET_WORD.test(word) || isSecretPair(words[at - 1] ?? '', word))
}

/** Whether a name says that its value is not what it names, but its place, its size, who may use it. */
export const isAbout = (name: string): boolean => isAboutWords(wordsOf(name))

const isAboutWords = (words: readonly string[]): boolean =>
  ABOUT.has(words.at(-1) ?? '') || words.some(word => NEVER.has(word))

/** Whether a name announces `user:password`. */
export const isLoginName = (name: string): boolean =>
  /auth|basic|cred|login|userpass|htpasswd/i.test(name) &&
  /^(?:(?:basic|http|proxy|user|registry|docker|npm)?auth|authorization|basic|creds?|credentials?|login|userpass|htpasswd)$/.test(
    wordsOf(name).at(-1) ?? '',
  )

/**
 * Whether a name announces a value that a person may have chosen: a `password`, which can be any word, a `phrase` of several, or a
 * `token`, which has to look like more than a name, because the value of `TLS_SECRET` may be the name of a secret.
 */
export function passwordKind(name: string): 'password' | 'phrase' | 'token' | undefined {
  const words = wordsOf(name).filter(word => !WHICH.has(word))
  const last = words.at(-1) ?? ''
  if (/(?:mnemonic|phrase)s?$/.test(last)) return 'phrase'
  if (PASSWORD.test(last)) return 'password'
  if (!/(?:secret|token)s?$/.test(last)) return undefined
  return /secrets?$/.test(last) && SECRETS_OF.has(words.at(-2) ?? '') ? 'password' : 'token'
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '' && !/^[0-9]+$/.test(word))

/** Last words that tell several of a kind apart, or how the value is written. */
const WHICH: ReadonlySet<string> = new Set(
  'prod production staging stage dev test qa old new previous current primary secondary default b64 base64 encoded plain'.split(
    ' ',
  ),
)

/** Things whose secret a person may have chosen. */
const SECRETS_OF: ReadonlySet<string> = new Set(
  'api app application auth client consumer cookie hmac jwt session shared signing webhook'.split(' '),
)

const PASSWORD =
  /^(?:[a-z0-9]*(?:password|passwd|passcode|pwd)s?|(?!(?:com|by|tres|over|under|sur|en)pass)[a-z0-9]*pass|[a-z]{0,8}pw|masterauth)$/

const SECRET_WORD = new RegExp(
  `${PASSWORD.source}|^(?:[a-z0-9]*(?:passphrase|secret|token|mnemonic)s?|psk|[a-z]*(?:api|private|access|secret|auth|signing|encryption|master|shared)keys?|credentials?|creds?|salts?|pepper)$`,
)

/** Two words that make a secret together. A `public` or `primary` key is not one. */
const isSecretPair = (before: string, word: string): boolean =>
  (/^keys?$/.test(word) && SECRET_KEYS.has(before)) ||
  (/^phrases?$/.test(word) && /^(?:seed|recovery|backup|pass)$/.test(before))

const SECRET_KEYS: ReadonlySet<string> = new Set(
  (
    'api app application private access secret auth signing sign encryption encrypt master account client license session ' +
    'shared preshared deploy service root admin storage hmac jwt cipher aes fernet'
  ).split(' '),
)

/** Last words that say that the value is only about a secret. */
const ABOUT: ReadonlySet<string> = new Set(
  (
    'id ids name names arn path paths file files dir directory folder url urls uri uris endpoint endpoints host hostname ' +
    'issuer audience ttl length size count limit limits days hours minutes seconds expiry expiration expires age rotation ' +
    'policy policies type kind format enabled disabled required version versions prefix suffix header headers field column region ' +
    'ref reference engine backend provider store manager mode method algorithm alg scope scopes role user username digest ' +
    'checksum fingerprint thumbprint image label labels namespace owner email alias kms location bucket description hint ' +
    'parameter template rule rules class regex pattern charset schedule domain service server port project group'
  ).split(' '),
)

/** Words that make any name harmless. */
const NEVER: ReadonlySet<string> = new Set([
  'public',
  'pub',
  'max',
  'min',
  'fingerprint',
  'hash',
  'checksum',
  'existing',
])
