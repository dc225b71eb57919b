import { FIELD_NAMES } from '../model/fields.ts'
import type { Findings } from '../model/findings.ts'
import { nameOf, type VariableKey } from '../model/ids.ts'
import { append } from '../model/lists.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import { literally, looksRandom, NAMED_SHAPES, type SecretShape, SHAPES } from './lint-shapes.ts'
import { yamlScalar } from './write.ts'

/**
 * Reports a readable value, or the text of a field, that looks like a secret: as an error if its format is known, as a warning if a
 * suspicious name has a random value or a password. Never quotes the value.
 */
export function lintVariable(variable: DesiredVariable, findings: Findings): void {
  const name = nameOf(variable.key)
  const { value } = variable
  const found = 'text' in value ? secretIn(value.text, name) : undefined
  if (found !== undefined)
    findings[found[0]](
      'looks-like-a-secret',
      variable.source,
      `The value of "${name}" ${found[1]}.`,
      `Write \`${yamlScalar(name)}: { secret: ${/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : 'NAME'} }\` and pass the value to the run. If it is not a secret, write \`accept: [looks-like-a-secret]\` beside \`value\`.`,
    )
  for (const field of FIELD_NAMES) {
    const text = variable[field]
    if (typeof text === 'string' && text !== '')
      lintDescription(text, variable.source, `The ${field} of "${name}"`, findings)
  }
}

/** Checks only known formats, because a description has no name. */
export function lintDescription(
  text: string,
  source: DesiredVariable['source'],
  label: string,
  findings: Findings,
): void {
  const shape = shapeIn(text)
  if (shape !== undefined)
    findings.error(
      'looks-like-a-secret',
      source,
      `${label} contains ${shape}.`,
      'Remove it, and rotate the secret. Everyone can read a description.',
    )
}

export const looksLikeSecret = (key: VariableKey, text: string): boolean =>
  secretIn(text, nameOf(key)) !== undefined

type Suspicion = readonly ['error' | 'warning', words: string]

const RANDOM: Suspicion = ['warning', 'looks like a secret (suspicious name, high-entropy value)']
const NAMED: Suspicion = ['warning', 'looks like a secret (suspicious name)']
const RANDOM_INSIDE: Suspicion = [
  'warning',
  'contains what looks like a secret (suspicious name, high-entropy value)',
]
const NAMED_INSIDE: Suspicion = ['warning', 'contains what looks like a secret (suspicious name)']

function secretIn(text: string, name: string): Suspicion | undefined {
  const shape = text.length < SHORTEST ? undefined : shapeIn(text)
  if (shape !== undefined) return ['error', `contains ${shape}`]
  return secretOf(name, text) ?? secretInside(text)
}

/** No known format is shorter. */
const SHORTEST = 10

function secretOf(name: string, text: string): Suspicion | undefined {
  if (!MAYBE_SECRET_NAME.test(name)) return undefined
  const shape = NAMED_SHAPES.find(({ key, value }) => value.test(text) && key.test(name))
  if (shape !== undefined && !PLACEHOLDER.test(text)) return ['error', `contains ${shape.name}`]
  if (!isSecretName(name) || REFERENCE.test(text)) return undefined
  if (looksRandom(text)) return RANDOM
  return looksLikePassword(name, text) ? NAMED : undefined
}

/** Whether a person may have chosen a value as the password that its name announces. */
function looksLikePassword(name: string, text: string): boolean {
  if (text.length < SHORTEST_PASSWORD || text.length > LONGEST_PASSWORD) return false
  if (NO_PASSWORD.test(text) || PLACEHOLDER.test(text)) return false
  if (text.split(/[^A-Za-z]+/).some(word => INSTEAD.has(word.toLowerCase()))) return false
  const kind = passwordKind(name)
  return kind === 'password' || (kind === 'token' && /[0-9]/.test(text) && /[A-Za-z]/.test(text))
}

const SHORTEST_PASSWORD = 4
const LONGEST_PASSWORD = 64

/** Several words, a number, a version, a row of one character, code, a path, or a function of another tool. */
const NO_PASSWORD = /\s|^v?[\d.,:_-]+$|^(\W)\1*$|^x+$|^["'[{(@]|^[\w.-]+(?:\/[\w.#@:-]+)+$/i

/** Words written in place of a password, or that say where it is. */
const INSTEAD: ReadonlySet<string> = new Set(
  (
    'true false yes no on off none nil null undefined unset empty disabled enabled auto automatic default required optional ' +
    'changeme change replace replaceme todo tbd placeholder dummy fake example sample redacted hidden masked external managed ' +
    'stored generated rotated provided injected set see by the your here vault keyvault keychain'
  ).split(' '),
)

function shapeIn(text: string): string | undefined {
  if (!SIGNS.test(text)) return undefined
  const shapes = new Set<SecretShape>()
  for (const [, sign = ''] of text.matchAll(SIGNS_THERE))
    for (const shape of BY_SIGN.get(sign) ?? []) shapes.add(shape)
  for (const shape of shapes)
    if ((shape.needs === undefined || text.includes(shape.needs)) && isIn(shape, text)) return shape.name
  return undefined
}

function isIn({ pattern, isRandom = false }: SecretShape, text: string): boolean {
  for (const [match, part = match] of text.matchAll(pattern))
    if (!PLACEHOLDER.test(part) && (!isRandom || looksRandom(part, true))) return true
  return false
}

const BY_SIGN = new Map<string, SecretShape[]>()
for (const shape of SHAPES) for (const sign of shape.signs) append(BY_SIGN, sign, shape)
const ANY_SIGN = [...BY_SIGN.keys()].map(literally).join('|')
/** Every value is searched for these, and nearly none has one. */
const SIGNS = new RegExp(ANY_SIGN)
/** Finds all of them, also one inside another. */
const SIGNS_THERE = new RegExp(`(?=(${ANY_SIGN}))`, 'g')

/** What documentation writes in place of a secret. A random secret does not contain such a row. */
const PLACEHOLDER = /EXAMPLE|(.)\1{7}|0123456789|1234567890|abcdefgh/i

/** A reference and not a literal: a path, an address, a resource name, a template, a certificate. */
const REFERENCE =
  /^(?:(?:\.{1,2}|~)?\/|[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/|arn:|urn:|projects\/|secret\/|kv\/|vault:|ssh-|ecdsa-|-----BEGIN |sha(?:256|384|512)[:-]|[A-Za-z]:\\)|\$\{|\$\(|\{\{|<[A-Za-z][\w -]{1,40}>|%[({]|^\$[A-Za-z_]\w{0,100}$|^(?:var|local|data|module|env|secrets)\./

/** Finds names with values in code, settings and data: `password = "…"`, `"token":"…"`. */
function secretInside(text: string): Suspicion | undefined {
  if (text.length < SHORTEST_INSIDE || !MAYBE_SECRET_NAME.test(text)) return undefined
  let found: Suspicion | undefined
  for (const [, name = '', quoted, bare] of text.matchAll(ASSIGNMENT)) {
    const suspicion = secretOf(name, quoted ?? bare ?? '')
    if (suspicion?.[0] === 'error') return suspicion
    if (suspicion === RANDOM) found = RANDOM_INSIDE
    else if (suspicion === NAMED && quoted !== undefined && /[0-9]/.test(quoted)) found ??= NAMED_INSIDE
  }
  return found
}

const SHORTEST_INSIDE = 20
const ASSIGNMENT =
  /(?<![\w.-])([A-Za-z_][\w.-]{2,80})\\?["']?[ \t]{0,8}[=:][ \t]{0,8}(?:\\?["']([^"'\s\\]{4,500})\\?["']|([^"'\s,;{}[\]()\\]{10,500}))/g

/** Whether a name announces a secret, and not something about one: `DB_PASSWORD`, but not `TOKEN_URL`. */
function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  if (ABOUT.has(words.at(-1) ?? '') || words.some(word => NEVER.has(word))) return false
  return words.some(
    (word, at) => SECRET_WORD.test(word) || (/^keys?$/.test(word) && SECRET_KEYS.has(words[at - 1] ?? '')),
  )
}

/**
 * Whether a name announces a value that a person may have chosen: a `password`, which can be any word, or a `token`, which has
 * to look like more than a name, because the value of `TLS_SECRET` may be the name of a secret.
 */
function passwordKind(name: string): 'password' | 'token' | undefined {
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

/** Last words that tell several of a kind apart. */
const WHICH: ReadonlySet<string> = new Set(
  'prod production staging stage dev test qa old new previous current primary secondary default'.split(' '),
)

/** Things whose secret a person may have chosen. */
const SECRETS_OF: ReadonlySet<string> = new Set(
  'api app application auth client consumer cookie hmac jwt session shared signing webhook'.split(' '),
)

/** A quick test that is true for every suspicious name. */
const MAYBE_SECRET_NAME = /pass|pwd|secret|token|key|cred/i

const SECRET_WORD =
  /^(?:(?:[a-z0-9]*(?:password|passwd|passphrase|secret|token)|pass|pwd|pw)s?|[a-z]*(?:api|private|access|secret|auth|signing|encryption|master)keys?|credentials?|creds?)$/

/** Words before `key` that make it a secret. A `public` or `primary` key is not one. */
const SECRET_KEYS: ReadonlySet<string> = new Set(
  (
    'api app application private access secret auth signing sign encryption encrypt master account client license session ' +
    'shared deploy service root admin storage hmac jwt cipher aes'
  ).split(' '),
)

/** Last words that say that the value is only about a secret. */
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

/** Words that make any name harmless. */
const NEVER: ReadonlySet<string> = new Set(['public', 'pub', 'max', 'min', 'fingerprint', 'hash', 'checksum'])
