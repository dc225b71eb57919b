/** Whether a name says that its value is a secret, and not something about one: `DB_PASSWORD`, but not `TOKEN_URL`. */
export function isTelling(name: string): boolean {
  if (!MAYBE_TELLING.test(name)) return false
  const words = wordsOf(name)
  if (ABOUT.has(words.at(-1) ?? '') || words.some(word => NEVER.has(word))) return false
  return words.some(
    (word, at) => TELLING.test(word) || (/^keys?$/.test(word) && SECRET_KEYS.has(words[at - 1] ?? '')),
  )
}

/**
 * Whether a name promises a password or something like it, so that a person may have made the value up: `password` where
 * any word may be one, `token` where the value has to look like more than a name, for `TLS_SECRET` may name a secret.
 */
export function promises(name: string): 'password' | 'token' | undefined {
  if (!isTelling(name)) return undefined
  const words = wordsOf(name).filter(word => !WHICH.has(word))
  const last = words.at(-1) ?? ''
  if (/(?:password|passwd|passphrase|^pass|pwd|^pw)$/.test(last)) return 'password'
  if (!/(?:secret|token)$/.test(last)) return undefined
  return last.endsWith('secret') && SECRETS_OF.has(words.at(-2) ?? '') ? 'password' : 'token'
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '' && !/^[0-9]+$/.test(word))

/** At the end of a name: which one of several. */
const WHICH: ReadonlySet<string> = new Set(
  'prod production staging stage dev test qa old new previous current primary secondary default'.split(' '),
)

/** What has a secret that people make up. */
const SECRETS_OF: ReadonlySet<string> = new Set(
  'api app application auth client consumer cookie hmac jwt session shared signing webhook'.split(' '),
)

/** Quick, and true for every telling name. */
export const MAYBE_TELLING = /pass|pwd|secret|token|key|cred/i

const TELLING =
  /^(?:(?:[a-z0-9]*(?:password|passwd|passphrase|secret|token)|pass|pwd|pw)s?|[a-z]*(?:api|private|access|secret|auth|signing|encryption|master)keys?|credentials?|creds?)$/

/** What a key is a secret of. A `public` or `primary` one is none. */
const SECRET_KEYS: ReadonlySet<string> = new Set(
  (
    'api app application private access secret auth signing sign encryption encrypt master account client license session ' +
    'shared deploy service root admin storage hmac jwt cipher aes'
  ).split(' '),
)

/** At the end of a name: the value is about the secret. */
const ABOUT: ReadonlySet<string> = new Set(
  (
    'id ids name names arn path paths file files dir directory folder url urls uri uris endpoint endpoints host hostname ' +
    'issuer audience ttl length size count limit limits days hours minutes seconds expiry expiration expires age rotation ' +
    'policy type kind format enabled disabled required version versions prefix suffix header headers field column region ' +
    'ref reference engine backend provider store manager mode method algorithm alg scope scopes role user username digest ' +
    'checksum fingerprint thumbprint image label labels namespace owner email alias kms location bucket description hint ' +
    'parameter template rule rules class regex pattern charset schedule domain service server port project group'
  ).split(' '),
)

/** Anywhere in a name. */
const NEVER: ReadonlySet<string> = new Set(['public', 'pub', 'max', 'min', 'fingerprint', 'hash', 'checksum'])
