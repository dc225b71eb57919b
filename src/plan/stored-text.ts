import { createHash } from 'node:crypto'
import { type Diagnostic, type SourceRange, warning } from '../model/diagnostic.ts'
import { nameOf, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { InventoryEntry, StoredText } from '../model/inventory.ts'
import type { ObservedSet, ObservedVariable, ResolvedSet } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'

/** Whether a service may have changed a text while storing it: other line ends, or no final newline. */
export function storesAs(sent: string, held: string): boolean {
  if (sent === held) return false
  const [from, to] = [unixLines(sent), unixLines(held)]
  return from === to || (from.endsWith('\n') && from.slice(0, -1) === to)
}

const unixLines = (text: string): string => text.replaceAll('\r\n', '\n')

/** What the inventory records of such a value. */
export const storedText = (sent: string, held: string): StoredText => ({
  sent: sha256(sent),
  held: sha256(held),
})

/** Whether the record has this text as sent. */
export const wasSentAs = (record: StoredText, text: string): boolean => record.sent === sha256(text)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * The observed set with values as they were sent, if the inventory knows how the service stored them and neither side
 * has changed since.
 */
export function asSent(
  observed: ObservedSet,
  { variables }: ResolvedSet,
  entry: InventoryEntry | undefined,
): ObservedSet {
  const { stored } = entry ?? {}
  if (stored === undefined) return observed
  const wanted = new Map(variables.map(({ key, value }) => [key, value]))
  const asWritten = (variable: ObservedVariable): ObservedVariable => {
    const record = stored[variable.key]
    const value = wanted.get(variable.key)
    if (record === undefined || value === undefined || !('text' in value && 'text' in variable.value))
      return variable
    const isKnown = wasSentAs(record, value.text) && record.held === sha256(variable.value.text)
    return isKnown ? { ...variable, value: { text: value.text } } : variable
  }
  return { ...observed, variables: observed.variables.map(asWritten) }
}

/** The same for values found in this run. */
export const withSent = (sets: readonly ObservedSet[], found: readonly EndsDiffer[]): ObservedSet[] =>
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

/** A readable value of a file, and what the service stores instead. */
export interface EndsDiffer {
  readonly setId: VariableSetId
  readonly set: string
  readonly key: VariableKey
  readonly sent: string
  readonly held: string
  readonly source?: SourceRange | undefined
}

/** After an apply: the service stored a value differently from what was sent. */
export const storedOtherwise = (
  { set, key, sent, held, source }: EndsDiffer,
  recorded: boolean,
): Diagnostic =>
  warning(
    'stored-otherwise',
    `The service stored "${nameOf(key)}" in ${JSON.stringify(set)} ${howStored(sent, held)}.`,
    `${whatToWrite(sent, held)} ${
      recorded
        ? 'Until then, the inventory records that both are the same.'
        : 'Until then, each plan shows the change again.'
    }`,
    source,
  )

/** Without a record, a plan cannot tell whether the service will keep these values. */
export const endsThatDiffer = (drafts: readonly Draft[]): Diagnostic[] =>
  drafts.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable') return []
    const { subject, before, after } = operation
    if (!('text' in before.value && 'text' in after.value)) return []
    const [sent, held] = [after.value.text, before.value.text]
    if (!storesAs(sent, held)) return []
    return warning(
      'stored-otherwise',
      `The service has "${nameOf(after.key)}" in ${JSON.stringify(subject.name)} ${howStored(sent, held)}.`,
      `If this remains after an apply, the service does not store the text of the file unchanged. ${whatToWrite(sent, held)}`,
      source,
    )
  })

const losesNewline = (sent: string, held: string): boolean => sent.endsWith('\n') && !held.endsWith('\n')

/** One text for a final newline that is gone, one for other line ends, or both. */
function saying(sent: string, held: string, newline: string, lines: string, between: string): string {
  if (!losesNewline(sent, held)) return lines
  return sent.replace(/\r?\n$/, '') === held ? newline : `${newline}${between}${lines}`
}

const howStored = (sent: string, held: string): string =>
  saying(sent, held, 'without its final newline', 'with other line endings', ' and ')

const whatToWrite = (sent: string, held: string): string =>
  saying(
    sent,
    held,
    "Remove the final newline: write |- instead of |, or remove the last line end of the value's file.",
    held.includes('\r\n')
      ? 'Write \\r\\n in double quotes, or save the file of the value with Windows line ends (CRLF).'
      : 'Write \\n, or save the file of the value with Unix line ends (LF).',
    ' ',
  )
