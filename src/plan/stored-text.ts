import { type Diagnostic, type SourceRange, warning } from '../model/diagnostic.ts'
import { fieldsDiffer } from '../model/fields.ts'
import { nameOf, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { Operation } from './operation.ts'
import type { LooksSecret } from './secrecy.ts'

/** Whether a service may have changed a text while storing it: other line ends, or less white space at its ends. */
export const isStoredFormOf = (sent: string, held: string): boolean =>
  sent !== held && lossOf(sent, held) !== undefined

/** What of a text is not as it was sent. */
interface Loss {
  /** White space, of which nothing but a final newline is another case. */
  readonly start: boolean
  readonly end: 'newline' | 'space' | undefined
  readonly lines: boolean
}

/** `undefined` if more than that differs. */
function lossOf(sent: string, held: string): Loss | undefined {
  const [from, to] = [spacesAround(unixLines(sent)), spacesAround(unixLines(held))]
  if (from.core !== to.core) return undefined
  // The white space of a text without any other is at its end.
  if (!from.before.endsWith(to.before) || !from.after.startsWith(to.after)) return undefined
  const [start, end] = [from.before !== to.before, from.after !== to.after]
  return {
    start,
    end: end ? (from.after === `${to.after}\n` ? 'newline' : 'space') : undefined,
    lines: spacesAround(sent).core !== spacesAround(held).core || !(start || end),
  }
}

const unixLines = (text: string): string => text.replaceAll('\r\n', '\n')

/** The white space at the ends of a text, and what is between. A regular expression would take quadratic time. */
function spacesAround(text: string): {
  readonly before: string
  readonly core: string
  readonly after: string
} {
  let end = text.length
  while (end > 0 && isSpace(text.charAt(end - 1))) end--
  let start = 0
  while (start < end && isSpace(text.charAt(start))) start++
  return { before: text.slice(0, start), core: text.slice(start, end), after: text.slice(end) }
}

const isSpace = (character: string): boolean => /\p{White_Space}/u.test(character)

/** An update that gives a text back what a service may have dropped. */
export function changesEndsAlone(operation: Operation): boolean {
  if (operation.type !== 'update-variable') return false
  const { before, after } = operation
  if (!('text' in before.value && 'text' in after.value) || fieldsDiffer(before, after)) return false
  return isStoredFormOf(after.value.text, before.value.text)
}

/** A readable value of a file, and what the service stores instead. */
export interface StoredDifferently {
  readonly setId: VariableSetId
  readonly set: string
  readonly key: VariableKey
  readonly sent: string
  readonly held: string
  readonly source?: SourceRange | undefined
}

/** The sets with these values as they were sent. */
export const withSent = (sets: readonly ObservedSet[], found: readonly StoredDifferently[]): ObservedSet[] =>
  sets.map(set => {
    const own = found.filter(({ setId }) => setId === set.id)
    if (own.length === 0) return set
    const texts = new Map(own.map(({ key, sent }) => [key, sent]))
    const variables = set.variables.map(variable => {
      const text = texts.get(variable.key)
      return text === undefined ? variable : { ...variable, value: { text } }
    })
    return { ...set, variables }
  })

/** After an apply: the service stored a value differently from what was sent. */
export const storedOtherwise = (
  found: StoredDifferently,
  { looksSecret, isOwned }: { readonly looksSecret: LooksSecret; readonly isOwned: boolean },
): Diagnostic =>
  told(
    found,
    'stored',
    looksSecret,
    isOwned ? 'Until then, each plan says so.' : 'Until then, each plan shows the change again.',
  )

/** In a plan: a value that was sent as it is in the file, or that is taken for it. */
export const keptOtherwise = (found: StoredDifferently, looksSecret: LooksSecret): Diagnostic =>
  told(found, 'has', looksSecret)

/** In a plan that sends such a value: nobody can tell yet whether the service will keep it. */
export const endsThatDiffer = (drafts: readonly Draft[], looksSecret: LooksSecret): Diagnostic[] =>
  drafts.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable') return []
    const { subject, before, after } = operation
    if (!('text' in before.value && 'text' in after.value)) return []
    const [sent, held] = [after.value.text, before.value.text]
    if (!isStoredFormOf(sent, held)) return []
    const found = { setId: subject.id, set: subject.name, key: after.key, sent, held, source }
    const { hint, ...one } = told(found, 'has', looksSecret)
    return [
      {
        ...one,
        hint: `If this remains after an apply, the service does not keep the text of the file. ${hint}`,
      },
    ]
  })

function told(
  { set, key, sent, held, source }: StoredDifferently,
  does: 'stored' | 'has',
  looksSecret: LooksSecret,
  more?: string,
): Diagnostic {
  const loss = lossOf(sent, held) ?? { start: false, end: undefined, lines: true }
  const isShown = sent.length <= LONGEST_SHOWN && !looksSecret(key, sent)
  const texts = isShown ? `: ${JSON.stringify(held)} instead of ${JSON.stringify(sent)}` : ''
  return warning(
    'stored-otherwise',
    `The service ${does} "${nameOf(key)}" in ${JSON.stringify(set)} ${howStored(loss)}${texts}.`,
    [whatToWrite(loss, held, isShown), more].filter(Boolean).join(' '),
    source,
  )
}

const LONGEST_SHOWN = 60

function howStored({ start, end, lines }: Loss): string {
  const space = whereOf(start, end)
  return [
    ...(space === undefined ? [] : [`without the white space at ${space}`]),
    ...(end === 'newline' ? ['without its final newline'] : []),
    ...(lines ? ['with other line endings'] : []),
  ].join(' and ')
}

/** A final newline has its own words. */
function whereOf(start: boolean, end: Loss['end']): string | undefined {
  if (start) return end === 'space' ? 'both ends' : 'its start'
  return end === 'space' ? 'its end' : undefined
}

function whatToWrite({ start, end, lines }: Loss, held: string, isShown: boolean): string {
  const space = whereOf(start, end)
  if (space !== undefined && isShown) return `Write ${JSON.stringify(held)}.`
  return [
    ...(space === undefined ? [] : [`Remove the white space at ${space}.`]),
    ...(end === 'newline' ? [FINAL_NEWLINE] : []),
    ...(lines ? [held.includes('\r\n') ? WINDOWS : UNIX] : []),
  ].join(' ')
}

const FINAL_NEWLINE =
  "Remove the final newline: write |- instead of |, or remove the last line end of the value's file."
const WINDOWS = 'Write \\r\\n in double quotes, or save the file of the value with Windows line ends (CRLF).'
const UNIX = 'Write \\n, or save the file of the value with Unix line ends (LF).'
