import { type Diagnostic, mistake, type SourceRange, warning } from '../model/diagnostic.ts'
import { fieldsDiffer } from '../model/fields.ts'
import { nameOf, type VariableId, type VariableKey, type VariableSetId } from '../model/ids.ts'
import {
  CUT_SAID,
  END,
  isStoredFormOf,
  LINES,
  lossesOf,
  NEWLINE,
  ShownTexts,
  START,
} from '../model/stored-form.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { Operation } from './operation.ts'
import type { LooksSecret } from './secrecy.ts'

/** Names, keys (without their categories) and readable values of these sets. */
export const shownIn = (sets: readonly ObservedSet[]) => ({
  name: new ShownTexts(() => sets.map(({ name }) => name)),
  key: new ShownTexts(() => sets.flatMap(({ variables }) => variables.map(({ key }) => nameOf(key)))),
  value: new ShownTexts(() =>
    sets.flatMap(({ variables }) => variables.flatMap(({ value }) => ('text' in value ? [value.text] : []))),
  ),
})

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
export const storedAs = (found: StoredDifferently, looksSecret: LooksSecret): Diagnostic =>
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
        hint: `If the difference remains after an apply, the service stores the text in another form. ${hint}`,
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
    `${place} ${is} and no ${was}, and may store ${was} as ${is} (${how}).`,
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

/** Whitespace at both ends is one thing, and comes before the rest. */
function inWords(how: readonly string[]): string {
  const isBoth = how.includes(START.said) && how.includes(END.said)
  const order = [BOTH_ENDS, START.said, END.said, NEWLINE.said]
  const words = isBoth ? [BOTH_ENDS, ...how.filter(one => one !== START.said && one !== END.said)] : how
  const first = order.filter(one => words.includes(one))
  return [...first, ...words.filter(one => !first.includes(one))].join(' and ')
}

const BOTH_ENDS = 'without the whitespace at both ends'

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
  "Remove the final newline: write |- instead of |, or remove the newline at the end of the value's file."
const WINDOWS =
  'Write \\r\\n in double quotes, or save the file of the value with Windows line endings (CRLF).'
const UNIX = 'Write \\n, or save the file of the value with Unix line endings (LF).'
