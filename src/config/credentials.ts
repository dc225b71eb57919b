import { append } from '../model/lists.ts'
import { type HclLiteral, parseLiteral } from './hcl-literal.ts'
import { literally, looksRandom, type SecretShape, SHAPES } from './lint-shapes.ts'
import { isAbout, isLoginName, isSecretName, MAYBE_SECRET_NAME, passwordKind } from './secret-names.ts'

/** A credential in a text. `inside`: the text has more than it. */
export interface Credential {
  /** Its format, such as "a GitHub token", if that alone tells. Otherwise its name tells, and a value that is `random` or like a password. */
  readonly format?: string
  readonly random?: true
  readonly inside?: true
}

/**
 * The credential in the value of a variable, if anybody who reads the value has one. The text is taken apart (JSON, HCL, base64,
 * query strings and connection strings, settings, lists of names with values, lines of `.netrc` and `.pgpass`), and each name
 * with its value is judged alike. The certain one if there are several.
 */
export function credentialIn(name: string, text: string): Credential | undefined {
  return strongest(search(name, text, { depth: 0, isSure: true }))
}

/** Looks only for formats that tell by themselves, as in a text that has no name. */
export function formatIn(text: string): string | undefined {
  if (text.length < SHORTEST_FORMAT || !SIGNS.test(text)) return undefined
  const shapes = new Set<SecretShape>()
  for (const [, sign = ''] of text.matchAll(SIGNS_THERE))
    for (const shape of BY_SIGN.get(sign) ?? []) shapes.add(shape)
  for (const shape of shapes)
    if ((shape.needs === undefined || text.includes(shape.needs)) && isIn(shape, text)) return shape.name
  return undefined
}

const SHORTEST_FORMAT = 10

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

function strongest(found: Iterable<Credential>): Credential | undefined {
  let best: Credential | undefined
  for (const one of found) {
    if (one.format !== undefined) return one
    if (best === undefined || (one.random === true && best.random !== true)) best = one
  }
  return best
}

/** Where a name and its value stand. `isSure`: nothing else than names with values is there, so that no sentence is taken for one. */
interface Place {
  readonly depth: number
  readonly isSure: boolean
}

/** Texts are in texts, such as JSON in base64 in JSON, and no real one is deeper. */
const DEEPEST = 4

function* search(name: string, text: string, place: Place): Generator<Credential> {
  const { depth } = place
  if (text.length < SHORTEST_PASSWORD || depth > DEEPEST) return
  const inside = depth > 0 && INSIDE
  const format = formatIn(text)
  if (format !== undefined) yield { format, ...inside }
  // Without a telling word, its formats and what is in base64 are found in the text as it stands.
  const structure = MAYBE_INSIDE.test(text) || MAYBE_INSIDE.test(name) ? structureIn(text) : undefined
  if (structure !== undefined) {
    yield* inStructure(name, structure, depth + 1)
    return
  }
  const judged = judge(name, text, place.isSure)
  if (judged !== undefined) yield { ...judged, ...inside }
  for (const decoded of decodedIn(text))
    if (typeof decoded === 'string') yield* search(name, decoded, { depth: depth + 1, isSure: true })
    else yield { format: decoded.format, ...inside }
  for (const pair of pairsIn(text))
    yield* search(pair.name, pair.value, { depth: depth + 1, isSure: pair.isSure })
}

const INSIDE = { inside: true } as const

/** One name with its value. */
function judge(name: string, text: string, isSure: boolean): Credential | undefined {
  if (isLoginName(name) && isLogin(text)) return {}
  if (!isSecretName(name) || REFERENCE.test(text)) return undefined
  if (looksRandom(text)) return { random: true }
  return looksLikePassword(name, text) && (isSure || /[0-9]/.test(text)) ? {} : undefined
}

/** Whether a person may have chosen a value as the password that its name announces. */
function looksLikePassword(name: string, text: string): boolean {
  const kind = passwordKind(name)
  if ((kind === 'phrase' || kind === 'password') && /^(?:[a-z]{2,20}[ -]){3,24}[a-z]{2,20}$/.test(text))
    return true
  if (kind === undefined || !couldBePassword(text)) return false
  return kind !== 'token' || (/[0-9]/.test(text) && /[A-Za-z]/.test(text))
}

const couldBePassword = (text: string): boolean =>
  text.length >= SHORTEST_PASSWORD &&
  text.length <= LONGEST_PASSWORD &&
  !NO_PASSWORD.test(text) &&
  !PLACEHOLDER.test(text) &&
  !text.split(/[^A-Za-z]+/).some(word => INSTEAD.has(word.toLowerCase()))

const SHORTEST_PASSWORD = 4
const LONGEST_PASSWORD = 64

/** Several words, a number, a version, a row of one character, code, a path, or a function or a value of another tool. */
const NO_PASSWORD =
  /\s|^v?[\d.,:_-]+$|^(\W)\1*$|^x+$|^["'[{(@]|^[\w.-]+(?:\/[\w.#@:-]+)+$|^[a-z_]\w*(?:\.[a-z_]\w*)+$|^[a-z_][\w.]*[[(]/i

/** Words written in place of a password, or that say where it is. */
const INSTEAD: ReadonlySet<string> = new Set(
  (
    'true false yes no on off none nil null undefined unset empty disabled enabled auto automatic default required optional ' +
    'changeme change replace replaceme todo tbd placeholder dummy fake example sample redacted hidden masked external managed ' +
    'stored generated rotated provided injected set see by the your here vault keyvault keychain string text'
  ).split(' '),
)

/** What documentation writes in place of a secret. A random secret does not contain such a row. */
const PLACEHOLDER = /EXAMPLE|(.)\1{7}|0123456789|1234567890|abcdefgh/i

/** A reference and not a literal: a path, an address, a resource name, a template, a certificate. */
const REFERENCE =
  /^(?:(?:\.{1,2}|~)?\/|[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/|arn:|urn:|projects\/|secret\/|kv\/|vault:|ssh-|ecdsa-|-----BEGIN |sha(?:256|384|512)[:-]|[A-Za-z]:\\)|\$\{|\$\(|\{\{|<[A-Za-z][\w -]{1,40}>|%[({]|^\$[A-Za-z_]\w{0,100}$|^(?:var|local|data|module|env|secrets)\./

/** `user:password`, as it is or in base64. */
function isLogin(text: string): boolean {
  const [, plain] = LOGIN.exec(text) ?? []
  if (plain !== undefined) return couldBePassword(plain) && !REFERENCE.test(text) && /[0-9\W]/.test(plain)
  const decoded = BASE64.test(text) ? plainText(Buffer.from(text, 'base64')) : undefined
  const [, encoded] = LOGIN.exec(decoded ?? '') ?? []
  return encoded !== undefined && couldBePassword(encoded)
}

const LOGIN = /^[\w.@+-]{1,100}:([^\s:/][^\s:]{3,63})$/
const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/

/** The value of a text that is all JSON, or an HCL literal that can contain other texts. */
function structureIn(text: string): unknown {
  if (!/^\s*(?:[[{"]|<<)/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    const parsed = parseLiteral(text)
    return 'value' in parsed ? plainValue(parsed.value) : undefined
  }
}

function plainValue(literal: HclLiteral): unknown {
  switch (literal.kind) {
    case 'string':
    case 'number':
      return literal.text
    case 'boolean':
      return literal.value
    case 'null':
      return null
    case 'list':
      return literal.items.map(plainValue)
    case 'map':
      return Object.fromEntries(literal.entries.map(({ key, value }) => [key, plainValue(value)]))
  }
}

/** Nested values, from the outside in. What has no telling name of its own has the name of what contains it. */
function* inStructure(name: string, structure: unknown, depth: number): Generator<Credential> {
  const left: (readonly [name: string, value: unknown])[] = [[name, structure]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [outer, value] = next
    if (typeof value === 'string') yield* search(outer, value, { depth, isSure: true })
    else if (Array.isArray(value)) for (const item of value) left.push([outer, item])
    else if (typeof value === 'object' && value !== null) {
      const entries: (readonly [key: string, value: unknown])[] = Object.entries(value)
      if (isPrivateJwk(new Map(entries))) yield { format: 'a private key (JWK)', ...INSIDE }
      const given = namedBy(entries)
      for (const [key, part] of entries)
        left.push([key === given?.of ? given.name : nameInside(outer, key), part])
    }
  }
}

const nameInside = (outer: string, key: string): string =>
  isSecretName(key) || isLoginName(key) || isAbout(key) ? key : outer

/** RFC 7517: the parts of a private key, or a symmetric one. */
const isPrivateJwk = (key: ReadonlyMap<string, unknown>): boolean =>
  typeof key.get('kty') === 'string' && ['d', 'k', 'p', 'q'].some(part => typeof key.get(part) === 'string')

/** `{ name: DB_PASSWORD, value: … }` */
function namedBy(entries: readonly (readonly [key: string, value: unknown])[]) {
  const of = entries.find(([key]) => IS_VALUE.test(key))?.[0]
  const name = entries.find(([key, value]) => IS_NAME.test(key) && typeof value === 'string')?.[1]
  return of !== undefined && typeof name === 'string' ? { of, name } : undefined
}

const IS_NAME = /^(?:name|key|parameter_?name|variable|var|field|label)$/i
const IS_VALUE = /^(?:value|parameter_?value|val|content|default)$/i

/** What base64 and percent signs hide: a text, or a key in DER. */
function* decodedIn(text: string): Generator<string | { readonly format: string }> {
  if (/%[0-9A-Fa-f]{2}/.test(text)) {
    const plain = withoutPercent(text)
    if (plain !== undefined && plain !== text) yield plain
  }
  if (text.length < SHORTEST_BASE64) return
  for (const [run] of text.matchAll(BASE64_RUN)) {
    const compact = run.replace(/\s+/g, '')
    if (compact.length < SHORTEST_BASE64) continue
    const bytes = Buffer.from(compact, 'base64')
    const format = keyFormat(bytes)
    const plain = format === undefined ? plainText(bytes) : undefined
    if (format !== undefined) yield { format }
    else if (plain !== undefined) yield plain
  }
}

const SHORTEST_BASE64 = 20
/** Also in lines of one length. */
const BASE64_RUN =
  /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]{0,16}){0,4096}[A-Za-z0-9+/_-]+={0,2}/g

function withoutPercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The text of bytes, if they are one. */
function plainText(bytes: Uint8Array): string | undefined {
  // First, because nearly all are none, and an exception takes long.
  for (const byte of bytes) if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** A key in DER is a sequence that begins with its version, as a key store does (RFC 5208, 5915, 7292, 8017). A certificate does not. */
function keyFormat(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xed && bytes[2] === 0xfe && bytes[3] === 0xed) return 'a key store'
  if (bytes[0] !== 0x30) return undefined
  const first = bytes[1] ?? 0
  const more = first < 0x80 ? 0 : first & 0x7f
  const length = more === 0 ? first : bytes.slice(2, 2 + more).reduce((sum, byte) => sum * 256 + byte, 0)
  const start = 2 + more
  if (length + start !== bytes.length || bytes[start] !== 2 || bytes[start + 1] !== 1) return undefined
  const version = bytes[start + 2] ?? -1
  return version === 3 ? 'a key store' : version === 0 || version === 1 ? 'a private key' : undefined
}

interface NamedText extends Pick<Place, 'isSure'> {
  readonly name: string
  readonly value: string
}

/** Names with values in code, settings, addresses and commands: `password = "…"`, `token: …`, `;Pwd=…`, `<secret>…</secret>`. */
function* pairsIn(text: string): Generator<NamedText> {
  if (text.length < SHORTEST_PAIR) return
  if (MAYBE_LOGIN.test(text))
    for (const pattern of LOGINS)
      for (const [, password = ''] of text.matchAll(pattern))
        if (couldBePassword(password) && !REFERENCE.test(password))
          yield { name: 'password', value: password, isSure: true }
  for (const [, kind = '', value = ''] of text.matchAll(SCHEME))
    yield { name: kind.toLowerCase() === 'basic' ? 'auth' : 'token', value, isSure: false }
  if (!MAYBE_INSIDE.test(text)) return
  for (const [, name = '', value = ''] of text.matchAll(ELEMENT)) yield { name, value, isSure: true }
  for (const pattern of [FLAG, TWO_WORDS])
    for (const [, name = '', value = ''] of text.matchAll(pattern)) yield { name, value, isSure: false }
  yield* assignmentsIn(text)
}

const SHORTEST_PAIR = 8
/** A word of a name, of a key in JSON, or another text in the text. */
const MAYBE_INSIDE = new RegExp(`${MAYBE_SECRET_NAME.source.replace('pw$', 'pw')}|kty|\\\\["nu]`, 'i')

const MAYBE_LOGIN = /login|password|identified|-u|user|sshpass|mysql|:[*\d]{1,5}:/i
/** Passwords by their place: `.netrc`, `.pgpass`, arguments of `curl`, `sshpass` and `mysql`, SQL. */
const LOGINS = [
  /(?:\bmachine\s{1,8}\S{1,200}|\bdefault)\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(\S{1,200})/g,
  /^(?=[^:\n]{0,200}[A-Za-z*])[\w.*/-]{1,200}:(?:[0-9]{2,5}|\*):[^:\s]{1,100}:[^:\s]{1,100}:([^:\s]{1,200})$/gm,
  /\b(?:curl|wget|https?|xh)\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]["']?[\w.@-]{1,100}:([^\s"':]{1,200})/g,
  /\bsshpass\s{1,8}-p[ ]?["']?([^\s"']{1,200})/g,
  /\bmysql[a-z]{0,10}\s[^\n|;]{0,200}?\s-p([^\s"']{1,200})/g,
  /\b(?:identified\s{1,4}by|password)\s{1,4}["']([^\s"']{1,200})["']/gi,
]
/** Of a header. */
const SCHEME =
  /\b(Bearer|Basic|bearer|basic|(?<=[Aa]uthorization["']?\s?[:=]\s?["']?)[A-Za-z]{3,12})\s{1,4}([A-Za-z0-9._~+/=-]{8,4000})/g
const ELEMENT = /<([A-Za-z_][\w.:-]{1,80})(?:\s[^<>]{0,200})?>([^<>\s]{4,4000})<\//g
/** Of a command: a flag, or a setting, with its value. */
const FLAG = /(?<![\w.-])(?:--?|(?=[a-z]{1,30}_))([A-Za-z][\w-]{2,80})[ \t]{1,8}["']?([^\s"']{4,4000})/g
const TWO_WORDS =
  /^[ \t]{0,40}(?:set[ \t]{1,8})?([A-Za-z_][\w.-]{1,80})[ \t]{1,40}["']?([^\s"'=:]{4,4000})["']?[ \t]{0,40};?$/gm

function* assignmentsIn(text: string): Generator<NamedText> {
  let isSure: boolean | undefined
  let named = ''
  let from = 0
  for (;;) {
    // Kept here, because what is yielded is searched by the same pattern.
    NAME.lastIndex = from
    const [all, before = '', word = ''] = NAME.exec(text) ?? []
    if (all === undefined) return
    from = NAME.lastIndex
    const isName = IS_NAME.test(word)
    const isValue = named !== '' && IS_VALUE.test(word)
    const name = isValue ? named : word
    if (!isName && !isSecretName(name) && !isLoginName(name)) continue
    const value = valueAt(text, from, before !== '')
    if (value === undefined) continue
    from += value.length
    if (isName) named = value
    if (isValue) named = ''
    isSure ??= isSettings(text)
    yield { name, value, isSure }
  }
}

const NAME =
  /(?<![\w.-]|\w:)([?&]?)(?:--?)?([A-Za-z_][\w.-]{1,80})\\?["']?[ \t]{0,8}(?:=>|:=|[=:])[ \t]{0,8}(?![=:])/g

function valueAt(text: string, at: number, isQuery: boolean): string | undefined {
  const form = isQuery ? IN_QUERY : text.slice(at, at + 2).match(/^\\?["']/) === null ? BARE : QUOTED
  form.lastIndex = at
  return form.exec(text)?.[1]
}

const QUOTED = /\\?["']([^"'\s\\]{4,4000})\\?["']/y
const BARE = /([^\s"',;{}[\]()<>\\]{4,4000})/y
const IN_QUERY = /([^\s"'&#;<>\\]{2,4000})/y

/** Whether a text is nothing but names with values, and not prose or a program: the rest is comments, headings, and an address before. */
const isSettings = (text: string): boolean =>
  !/[A-Za-z0-9]/.test(
    text
      .replace(/^\s{0,40}(?:[a-z][a-z0-9+.-]{0,30}:){1,3}\/\/[^\s?;]{0,400}/i, '')
      .replace(/^[^\s=,;]{1,200}:[0-9]{1,5},/, '')
      .replace(/^[ \t]{0,40}(?:#|\/\/|;|\[)[^\n]*|^[ \t]{0,40}(?:export|set|ENV|-)[ \t]/gm, '')
      .replace(
        /[\w.-]{1,80}(?: [\w.-]{1,80}){0,2}["']?[ \t]{0,8}[=:][ \t]{0,8}(?:"[^"\n]{0,4000}"|'[^'\n]{0,4000}'|[^\s;&,]{0,4000})/g,
        '',
      ),
  )
