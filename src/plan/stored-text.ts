import { type Diagnostic, mistake, type SourceRange, warning } from '../model/diagnostic.ts'
import { fieldsDiffer } from '../model/fields.ts'
import { nameOf, type VariableId, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { Operation } from './operation.ts'
import type { LooksSecret } from './secrecy.ts'

/** What a service may do to a text while it stores it. */
interface Loss {
  /** After "The service has it". */
  readonly said: string
  /** Nothing of the meaning is lost, so it needs no other proof that a text was sent. */
  readonly isSmall?: true
  readonly lose: (text: string) => string
}

/** Unicode white space. A regular expression for both ends would take quadratic time. */
const isSpace = (character: string): boolean => /\p{White_Space}/u.test(character)

function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && isSpace(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function withoutStart(text: string): string {
  let start = 0
  while (start < text.length && isSpace(text.charAt(start))) start++
  return text.slice(start)
}

const LINES: Loss = {
  said: 'with other line endings',
  isSmall: true,
  lose: text => text.replaceAll('\r\n', '\n'),
}
const NEWLINE: Loss = {
  said: 'without its final newline',
  isSmall: true,
  lose: text => text.replace(/\r?\n$/, ''),
}
const END: Loss = { said: 'without the white space at its end', isSmall: true, lose: withoutEnd }
const START: Loss = { said: 'without the white space at its start', isSmall: true, lose: withoutStart }
const COMPOSED: Loss = {
  said: 'in the composed form of Unicode (NFC)',
  isSmall: true,
  lose: text => text.normalize('NFC'),
}
const CUT_SAID = 'cut'

/** In the order in which they are tried: what is less is tried first. */
const LOSSES: readonly Loss[] = [
  LINES,
  NEWLINE,
  END,
  START,
  COMPOSED,
  { said: 'with single spaces', lose: text => text.replace(/\p{White_Space}+/gu, ' ') },
  { said: 'in lower case', lose: text => text.toLowerCase() },
  { said: 'in upper case', lose: text => text.toUpperCase() },
  { said: 'without its quotes', lose: text => /^"(.*)"$/su.exec(text)?.[1] ?? text },
]

/** No service cuts texts shorter than this. */
const CUT_FROM = 64

/** HCL without its layout: white space and commas outside of strings only separate. */
const withoutLayout = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|[\s,]+/g, (_, quoted) => quoted ?? ' ').replace(/ ?([[\]{}=:]) ?/g, '$1')

/**
 * All names, keys or values that a service shows. What it shows tells what it may do to a text: a loss is one only if nothing that is
 * shown would lose anything by it.
 */
export class ShownTexts {
  readonly #texts: () => Iterable<string>
  readonly #known = new Map<Loss, boolean>()
  #longest: number | undefined

  constructor(texts: () => Iterable<string>) {
    this.#texts = texts
  }

  mayLose(loss: Loss): boolean {
    const known = this.#known.get(loss)
    if (known !== undefined) return known
    let may = true
    for (const text of this.#texts())
      if (loss.lose(text) !== text) {
        may = false
        break
      }
    this.#known.set(loss, may)
    return may
  }

  get longest(): number {
    if (this.#longest === undefined) {
      this.#longest = 0
      for (const text of this.#texts()) this.#longest = Math.max(this.#longest, text.length)
    }
    return this.#longest
  }
}

/** Names, keys (without their categories) and readable values of these sets. */
export const shownIn = (sets: readonly ObservedSet[]) => ({
  name: new ShownTexts(() => sets.map(({ name }) => name)),
  key: new ShownTexts(() => sets.flatMap(({ variables }) => variables.map(({ key }) => nameOf(key)))),
  value: new ShownTexts(() =>
    sets.flatMap(({ variables }) => variables.flatMap(({ value }) => ('text' in value ? [value.text] : []))),
  ),
})

interface FormOptions {
  /** Everything of this kind that the service shows. Without it, `held` alone tells what may be lost. */
  readonly shown?: ShownTexts | undefined
  /** The text is HCL code, which a service may lay out. */
  readonly hcl?: boolean
  /** Only what keeps the meaning. */
  readonly small?: boolean
}

/**
 * Whether a service may have stored one text as another: with less white space, other line ends, another case, composed, without quotes,
 * cut, or HCL laid out otherwise. For names, keys and values alike.
 */
export const isStoredFormOf = (sent: string, held: string, options: FormOptions = {}): boolean =>
  sent !== held && lossesOf(sent, held, options) !== undefined

/** Which of all names may be a stored form of one; `undefined` if no service stores this one in another form. */
export function storedForms(
  sent: string,
): ((names: readonly string[]) => (name: string) => boolean) | undefined {
  const isPlain =
    sent.length <= CUT_FROM &&
    LOSSES.every(({ lose }) => lose(sent) === sent || lose(sent) === sent.toUpperCase())
  if (isPlain) return undefined
  return names => {
    const shown = new ShownTexts(() => names)
    return name => isStoredFormOf(sent, name, { shown })
  }
}

/** How a text was stored, in the fewest words; `undefined` if it cannot be a stored form of what was sent. */
function lossesOf(
  sent: string,
  held: string,
  { shown, hcl = false, small = false }: FormOptions,
): readonly string[] | undefined {
  const possible = LOSSES.filter(
    loss => (!small || loss.isSmall === true) && loss.lose(held) === held && (shown?.mayLose(loss) ?? true),
  )
  // Few texts differ, and few losses are possible for them.
  const found = (isReached: (text: string) => boolean): readonly string[] | undefined => {
    for (let size = 0; size <= possible.length; size++)
      for (const chosen of choices(possible, size))
        if (isReached(chosen.reduce((text, { lose }) => lose(text), sent)))
          return chosen.map(({ said }) => said)
    return undefined
  }
  const whole = found(text => text === held)
  if (whole !== undefined) return whole
  const mayCut = !small && held.length >= CUT_FROM && held.length >= (shown?.longest ?? 0)
  const cut = mayCut ? found(text => text.startsWith(held)) : undefined
  if (cut !== undefined) return [...cut, CUT_SAID]
  return hcl && withoutLayout(sent) === withoutLayout(held) ? ['in another layout'] : undefined
}

/** All ways to choose so many, in order. */
function* choices<T>(all: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let at = from; at <= all.length - size; at++)
    for (const rest of choices(all, size - 1, at + 1)) yield [all[at] as T, ...rest]
}

/** An update that gives a text back what a service may have dropped. */
export function changesEndsAlone(operation: Operation): boolean {
  if (operation.type !== 'update-variable') return false
  const { before, after } = operation
  if (!('text' in before.value && 'text' in after.value) || fieldsDiffer(before, after)) return false
  return isStoredFormOf(after.value.text, before.value.text, { small: true, hcl: after.hcl })
}

/** A name, a key or a readable value of a file, and what the service stores instead. */
export interface StoredDifferently {
  readonly of: 'name' | 'key' | 'value'
  readonly setId: VariableSetId
  readonly set: string
  /** The key in the file, unless it is the name of a set. */
  readonly key?: VariableKey
  /** Of a key: the variable that has it in another form. */
  readonly variableId?: VariableId
  readonly sent: string
  readonly held: string
  readonly hcl?: boolean
  readonly source?: SourceRange | undefined
}

/** The sets with these names, keys and values as they were sent. */
export const withSent = (sets: readonly ObservedSet[], found: readonly StoredDifferently[]): ObservedSet[] =>
  sets.map(set => {
    const own = found.filter(({ setId }) => setId === set.id)
    if (own.length === 0) return set
    const name = own.find(one => one.of === 'name')?.sent ?? set.name
    const keys = new Map(own.flatMap(({ variableId, key }) => (variableId && key ? [[variableId, key]] : [])))
    const texts = new Map(own.flatMap(({ of, key, sent }) => (of === 'value' ? [[key, sent]] : [])))
    const variables = set.variables.map(variable => {
      const key = keys.get(variable.id) ?? variable.key
      const text = texts.get(key)
      return { ...variable, key, ...(text === undefined ? {} : { value: { text } }) }
    })
    return { ...set, name, variables }
  })

/** After an apply: the service stored a text differently from what was sent. */
export function storedOtherwise(
  found: StoredDifferently,
  { looksSecret, isOwned }: { readonly looksSecret: LooksSecret; readonly isOwned: boolean },
): Diagnostic {
  return told(
    found,
    'stored',
    looksSecret,
    isOwned
      ? 'Until then, each plan says so.'
      : 'Until then, each plan shows the change again, and applying it again cannot help.',
  )
}

/** In a plan: a text that was sent as it is in the file, or that is taken for it. */
export const keptOtherwise = (found: StoredDifferently, looksSecret: LooksSecret): Diagnostic =>
  told(found, 'has', looksSecret)

/** In a plan that sends such a value: nobody can tell yet whether the service will keep it. */
export const endsThatDiffer = (
  drafts: readonly Draft[],
  looksSecret: LooksSecret,
  shown: ShownTexts,
): Diagnostic[] =>
  drafts.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable') return []
    const { subject, before, after } = operation
    if (!('text' in before.value && 'text' in after.value)) return []
    const [sent, held] = [after.value.text, before.value.text]
    const { key, hcl } = after
    if (!isStoredFormOf(sent, held, { shown, hcl })) return []
    const found = { of: 'value', setId: subject.id, set: subject.name, key, sent, held, hcl, source } as const
    const { hint, ...one } = told(found, 'has', looksSecret)
    return [
      {
        ...one,
        hint: `If this remains after an apply, the service does not keep the text of the file. ${hint}`,
      },
    ]
  })

/** A declared name or key that is not there, beside one as which a service may store it. */
export function wouldBeStoredAs(
  { of, set, sent, held, source }: Pick<StoredDifferently, 'of' | 'set' | 'sent' | 'held' | 'source'>,
  shown: ShownTexts,
): Diagnostic {
  const how = (lossesOf(sent, held, { shown }) ?? []).join(' and ')
  const [is, was] = [held, sent].map(text => JSON.stringify(text))
  const place = of === 'name' ? 'The service has a set' : `${JSON.stringify(set)} has`
  return mistake(
    'stored-otherwise',
    `${place} ${is} and no ${was}, and may store ${was} as that (${how}).`,
    `Write ${is}. If it is another ${of === 'name' ? 'set, give this one a name' : 'variable, give this one a key'} that differs in more than this, or delete the other one first.`,
    source,
  )
}

function told(
  found: StoredDifferently,
  does: 'stored' | 'has',
  looksSecret: LooksSecret,
  more?: string,
): Diagnostic {
  const { of, set, key, sent, held, hcl, source } = found
  const how = lossesOf(sent, held, { hcl }) ?? []
  const isShown =
    of !== 'value' || (sent.length <= LONGEST_SHOWN && key !== undefined && !looksSecret(key, sent))
  const texts = isShown ? `: ${JSON.stringify(held)} instead of ${JSON.stringify(sent)}` : ''
  const name = JSON.stringify(set)
  const what =
    of === 'name'
      ? `the name of the set ${name}`
      : `${of === 'key' ? 'the key ' : ''}"${key === undefined ? '' : nameOf(key)}" in ${name}`
  return warning(
    'stored-otherwise',
    `The service ${does} ${what} ${inWords(how)}${texts}.`,
    [whatToWrite(how, held, isShown), more].filter(Boolean).join(' '),
    source,
  )
}

const LONGEST_SHOWN = 60

/** White space at both ends is one thing, and comes before the rest. */
function inWords(how: readonly string[]): string {
  const isBoth = how.includes(START.said) && how.includes(END.said)
  const order = [BOTH_ENDS, START.said, END.said, NEWLINE.said]
  const words = isBoth ? [BOTH_ENDS, ...how.filter(one => one !== START.said && one !== END.said)] : how
  const first = order.filter(one => words.includes(one))
  return [...first, ...words.filter(one => !first.includes(one))].join(' and ')
}

const BOTH_ENDS = 'without the white space at both ends'

/** The text to write; of one that is long or may be a secret, what to change in it. */
function whatToWrite(how: readonly string[], held: string, isShown: boolean): string {
  const others = how.filter(one => one !== LINES.said && one !== NEWLINE.said)
  if (isShown && others.length > 0) return `Write ${JSON.stringify(held)}.`
  const unsaid = others.filter(one => ![START.said, END.said, CUT_SAID].includes(one))
  const ends = inWords(others.filter(one => !unsaid.includes(one) && one !== CUT_SAID))
  return [
    ...(ends === '' ? [] : [`${ends.replace('without', 'Remove')}.`]),
    ...(how.includes(NEWLINE.said) ? [FINAL_NEWLINE] : []),
    ...(how.includes(LINES.said) ? [held.includes('\r\n') ? WINDOWS : UNIX] : []),
    ...(how.includes(CUT_SAID) ? [`Write its first ${held.length} characters.`] : []),
    ...(unsaid.length > 0 ? [AS_SHOWN] : []),
  ].join(' ')
}

const AS_SHOWN = 'Write what the service shows: setpoint export --update writes it into the file.'
const FINAL_NEWLINE =
  "Remove the final newline: write |- instead of |, or remove the last line end of the value's file."
const WINDOWS = 'Write \\r\\n in double quotes, or save the file of the value with Windows line ends (CRLF).'
const UNIX = 'Write \\n, or save the file of the value with Unix line ends (LF).'
