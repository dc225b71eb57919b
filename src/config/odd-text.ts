import type { Wording } from '../model/findings.ts'
import type { Category } from '../model/ids.ts'
import { yamlScalar } from './write.ts'

/**
 * Names and texts that nobody writes on purpose: characters that cannot be seen or look like others, whitespace that a reader
 * misses, keys that no environment has. Each is a warning, because the service stores them as they are.
 */

/** What is odd in a name, and the name that was probably meant. */
interface Oddity {
  /** What follows the name in a sentence: `has a no-break space (U+00A0)`. */
  readonly words: string
  readonly meant?: string
}

/** What is odd about the name of a set or of what a set names, or `undefined`. */
export function oddName(name: string): Oddity | undefined {
  // An error of its own.
  if (name.trim() === '') return undefined
  const words = oddCharacter(name) ?? oddSpace(name)
  if (words === undefined) return undefined
  const meant = plainForm(name)
  return { words, ...(meant !== '' && meant !== name && { meant }) }
}

/** What is odd about the key of a variable. `names`: of the whole line to write, its key. */
export function oddKey(category: Category, key: string, toAccept: () => string): Wording | undefined {
  if (key === '') return undefined
  const odd = oddName(key)
  const isPossible = (category === 'env' ? ENVIRONMENT : IDENTIFIER).test(key)
  const isOfEnvironment = category === 'terraform' && OF_ENVIRONMENT.test(key)
  const isLower = category === 'env' && /^tf_var_./i.test(key) && !key.startsWith('TF_VAR_')
  if (odd === undefined && isPossible && !isOfEnvironment && !isLower) return undefined
  const meant = asIdentifier(
    category,
    odd?.meant ?? (category === 'env' ? plainForm(withoutShell(key)) : key),
  )
  const label = category === 'env' ? 'environment' : 'Terraform'
  if (odd !== undefined) return worded(toAccept, `The key ${JSON.stringify(key)} ${odd.words}.`, meant)
  if (category === 'terraform' && /^TF_VAR_./.test(key))
    return worded(
      toAccept,
      `"${key}" is under \`terraform\`, where the variable of the configuration is "${key.slice(7)}". Only environment variables have the prefix.`,
      key.slice(7),
    )
  if (isPossible && isLower)
    return worded(
      toAccept,
      `"${key}" sets no variable of the configuration: the prefix is \`TF_VAR_\`, in capitals.`,
      `TF_VAR_${key.slice(7)}`,
    )
  if (isPossible && isOfEnvironment)
    return [
      'odd-text',
      `"${key}" is under \`terraform\`, and is by its name a variable of the environment.`,
      `Move it to \`env:\`. If a configuration declares it, write ${toAccept()}.`,
    ]
  if (isPossible) return undefined
  return worded(
    toAccept,
    `"${key}" is not a valid name of ${category === 'env' ? 'an' : 'a'} ${label} variable: ${whyNone(category, key)}.`,
    meant,
  )
}

const worded = (toAccept: () => string, message: string, meant: string | undefined): Wording => [
  'odd-text',
  message,
  `${meant === undefined ? 'Choose another one.' : `Write the key \`${yamlScalar(meant)}\`.`} If it is intended, write ${toAccept()}.`,
]

/** The nearest key that is possible, or `undefined`. */
function asIdentifier(category: Category, key: string): string | undefined {
  const plain = (category === 'env' ? key.normalize('NFKD').replace(/\p{M}+/gu, '') : key).replace(
    category === 'env' ? /[^A-Za-z0-9_]+/g : /[^\p{ID_Continue}-]+/gu,
    '_',
  )
  if (/^_*$/.test(plain)) return undefined
  return /^[0-9-]/.test(plain) ? `_${plain}` : plain
}

/** As a shell writes it. */
const withoutShell = (key: string): string => key.replace(/^export\s+|^\$\{?(?=[A-Za-z_])/, '')

/** What Terraform and the providers of clouds read from the environment; a configuration has such names in lower case. */
const OF_ENVIRONMENT = /^(?:AWS|ARM|GOOGLE|TF|TFE|VAULT)_[A-Z0-9_]|^TF_VAR_/

/** POSIX, The Open Group Base Specifications 8.1. */
const ENVIRONMENT = /^[A-Za-z_][A-Za-z0-9_]*$/
/** An identifier of HCL. */
const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u

function whyNone(category: Category, key: string): string {
  if (/^[0-9]/.test(key)) return 'it begins with a digit'
  const character = key.match(category === 'env' ? /[^A-Za-z0-9_]/u : /[^\p{ID_Continue}-]/u)?.[0] ?? ''
  if (character === ' ') return 'it has a space'
  return `it has \`${character === '' ? key.charAt(0) : character.normalize('NFC')}\``
}

function oddCharacter(name: string): string | undefined {
  // Nearly all names.
  if (/^[\x21-\x7e]*$/.test(name)) return undefined
  const [control] = name.match(CONTROL) ?? []
  if (control !== undefined) return `has a control character (${codeOf(control)})`
  const [invisible] = name.replace(EMOJI, '').match(HIDDEN) ?? []
  if (invisible !== undefined) return `has a character that cannot be seen (${codeOf(invisible)})`
  const [space] = name.match(OTHER_SPACE) ?? []
  if (space !== undefined)
    return `has ${space === '\u00a0' ? 'a no-break space' : 'an unusual space'} (${codeOf(space)})`
  const [quote] = name.match(QUOTES) ?? []
  if (quote !== undefined) return `has the typographic mark ${quote} (${codeOf(quote)})`
  const alike = /[A-Za-z]/.test(name) ? [...name].find(isAlike) : undefined
  return alike === undefined ? undefined : `has ${alike} (${codeOf(alike)}), which looks like another letter`
}

function oddSpace(name: string): string | undefined {
  if (!/\s/.test(name)) return undefined
  if (/^\s/.test(name)) return 'begins with whitespace'
  if (/\s$/.test(name)) return 'ends with whitespace'
  return /\s\s/.test(name) ? 'has two spaces in a row' : undefined
}

/** A character of these that cannot be seen, named: for what a parser takes for part of a word. */
export function unusualSpaceIn(text: string): string | undefined {
  const [character] = text.match(OTHER_SPACE) ?? text.match(HIDDEN) ?? []
  if (character === undefined) return undefined
  const what =
    character === '\u00a0' ? 'a no-break space' : 'a character that is invisible or looks like a space'
  return `There is ${what} (${codeOf(character)}). Write an ordinary space, or remove it.`
}

const CONTROL = /\p{Cc}/u
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u
const EMOJI = /\p{Extended_Pictographic}[\u200d\ufe0f\p{Emoji_Modifier}\p{Extended_Pictographic}]*/gu
const OTHER_SPACE = /(?! )[\p{Zs}\p{Zl}\p{Zp}]/u
const QUOTES = /[\u2018-\u201f\u2032-\u2036\u00ab\u00bb\u2039\u203a\u00b4\u2010-\u2015\u2212]/u
const isAlike = (character: string): boolean => ALIKE.has(character) || /[\uff01-\uff5e]/.test(character)

/** Letters of Cyrillic and Greek that look like Latin ones, with these (Unicode Technical Standard 39). */
const ALIKE: ReadonlyMap<string, string> = new Map(
  [
    'АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԚQ ԜW аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw',
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi νv οo ρp υu',
  ].flatMap(row => row.split(' ').map(pair => [pair.charAt(0), pair.charAt(1)] as const)),
)

const plainForm = (name: string): string =>
  [...name.replace(new RegExp(OTHER_SPACE, 'gu'), ' ')]
    .map(one => (isAlike(one) ? (ALIKE.get(one) ?? one.normalize('NFKC')) : (MARKS.get(one) ?? one)))
    .filter(one => !HIDDEN.test(one) && (!CONTROL.test(one) || /\s/.test(one)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

const MARKS: ReadonlyMap<string, string> = new Map([
  ...[...'\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u2039\u203a'].map(one => [one, "'"] as const),
  ...[...'\u201c\u201d\u201e\u201f\u2033\u2034\u2036\u00ab\u00bb'].map(one => [one, '"'] as const),
  ...[...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212'].map(one => [one, '-'] as const),
])

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A readable value that was probably a mistake: in quotes of a word processor, or with a slip of double quotes, as in `"C:\bin"`. */
export function oddValue(name: string, text: string, toAccept: () => string): Wording | undefined {
  const [slip] = text.match(SLIPS) ?? []
  if (slip !== undefined)
    return [
      'odd-text',
      `The value of "${name}" has a control character (${codeOf(slip)}), which \`${SLIP_OF.get(slip) ?? ''}\` makes in double quotes.`,
      `In double quotes, write a backslash as \`\\\\\`. If it is intended, write ${toAccept()}.`,
    ]
  if (!/^[\u2018-\u201f].*[\u2018-\u201f]$/u.test(text)) return undefined
  return [
    'odd-text',
    `The value of "${name}" is in typographic quotes, which become part of it.`,
    `Remove them, or write straight quotes. If they are intended, write ${toAccept()}.`,
  ]
}

const SLIP_OF: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\v', '\\v'],
  ['\f', '\\f'],
])
const SLIPS = new RegExp(`[${[...SLIP_OF.keys()].join('')}]`)

/** A key or certificate in PEM (RFC 7468) needs its line breaks, which a folded scalar and single quotes do not keep. */
export function foldedPem(name: string, text: string, toAccept: () => string): Wording | undefined {
  const [, after = ''] = /^-----BEGIN [A-Z0-9 ]{1,40}-----( |\\n)/.exec(text) ?? []
  if (after === '') return undefined
  return [
    'odd-text',
    `The value of "${name}" is PEM ${after === ' ' ? 'in one line: its line breaks became spaces' : 'with `\\n` as two characters in place of its line breaks'}.`,
    `Write \`${yamlScalar(name)}: |\` and its lines below, indented by two spaces more. If it is intended, write ${toAccept()}.`,
  ]
}
