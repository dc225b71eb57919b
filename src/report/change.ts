import type { StepOutcome } from '../apply/outcome.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import { type Category, nameOf, type TargetKind, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import type { Sign } from '../plan/changed-sets.ts'
import type { SettingItem } from '../plan/operation.ts'
import type { Origin, Step } from '../plan/plan-data.ts'
import { type LineDifference, lineDifference, linesOf } from './line-diff.ts'
import { counted, figure, name, type Phrase, say, value } from './phrase.ts'

/** `planned` before an apply, else how it ended. */
export type StepStatus = 'planned' | StepOutcome['status']

interface ChangeBase {
  readonly sign: Sign
  /** Other fields that change, what is lost, what the step waits for. */
  readonly notes: readonly Phrase[]
  /** The steps behind this one entry: two for a replacement. */
  readonly steps: readonly Step[]
  readonly status: StepStatus
  readonly source?: SourceRange
  readonly origin?: Origin
}

/** The name is shown with the set and is not an entry. */
export interface SettingChange extends ChangeBase, ShownSides {
  readonly kind: 'setting'
  readonly setting: SettingItem['name'] | 'owner'
}

export interface VariableChange extends ChangeBase, ShownSides {
  readonly kind: 'variable'
  readonly category: Category
  readonly name: string
  /** It loses a value that cannot be recovered: the one of the notes that says so. */
  readonly loss?: Phrase
  /** The origin is inferred, not observed. */
  readonly likely?: true
}

export interface AssignmentChange extends ChangeBase {
  readonly kind: 'assignment'
  readonly targets: TargetKind
  /** Sorted by name. */
  readonly named: readonly NamedTarget[]
}

interface NamedTarget {
  readonly id: string
  /** The id, if the name is unknown. */
  readonly name: string
}

export type Change = SettingChange | VariableChange | AssignmentChange

export interface SetView {
  readonly sign: Sign
  readonly name: string
  /** The old name; the id stays the same. */
  readonly previousName?: string
  /** In a few words: `3 variables, 1 secret lost, 2 workspaces`. */
  readonly what: Phrase
  readonly notes: readonly Phrase[]
  readonly changes: readonly Change[]
  /** The known origins of its differences, each once. */
  readonly origins: readonly Origin[]
  /** `what` is enough: the set is deleted or only renamed. */
  readonly folded: boolean
  readonly status: StepStatus
  readonly source?: SourceRange
}

export function countsBySign(sets: readonly Pick<SetView, 'sign'>[]): Record<Sign, number> {
  const counts = { '+': 0, '~': 0, '-': 0 }
  for (const { sign } of sets) counts[sign]++
  return counts
}

const GRAVITY: readonly StepStatus[] = ['failed', 'unknown', 'skipped', 'succeeded', 'planned']

export const worst = (statuses: readonly StepStatus[]): StepStatus =>
  GRAVITY.find(status => statuses.includes(status)) ?? 'planned'

/** What may be shown of one side of a value. No case holds the text of a secret. */
export type ShownValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'size'; readonly bytes: number; readonly lines: number }
  /** `secret`: its name, if that is not the variable's. */
  | { readonly kind: 'secret'; readonly secret?: string; readonly version?: string }
  /** Readable text, withheld because the other side is a secret. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'external' }
  /** The owner of a set: a project, or the organization. */
  | { readonly kind: 'owner'; readonly project?: string }

/** Both sides of a value. With `lines`, `before` and `after` hold only sizes. */
interface ShownSides {
  readonly before: ShownValue
  readonly after: ShownValue
  readonly lines?: LineDifference
}

export const ABSENT: ShownValue = { kind: 'absent' }
const UNCHANGED: ShownSides = { before: ABSENT, after: ABSENT }

/** Longer texts, and those of several lines, are shown as a diff. */
const INLINE = 60
/** Above the limit of HCP Terraform only sizes are shown (docs/fault-model.md F-71). */
const LARGE = 262_144

/** Keys whose new readable values the plan hides. */
export type HiddenKeys = ReadonlySet<VariableKey>

/** A plan no longer holds old values that must not be shown. */
export const shownBefore = ({ value }: Variable<ObservedValue>): ShownValue =>
  'hidden' in value ? { kind: 'secret' } : 'withheld' in value ? { kind: 'hidden' } : shownText(value.text)

function shownAfter({ key, value }: Variable<DesiredValue>, hidden: HiddenKeys): ShownValue {
  if ('external' in value) return { kind: 'external' }
  if ('text' in value) return hidden.has(key) ? { kind: 'hidden' } : shownText(value.text)
  const { name, version } = value.secret
  return {
    kind: 'secret',
    secret: name === nameOf(key) ? undefined : name,
    version,
  }
}

/** The value before and after; `UNCHANGED` if equal. A secret that stays a secret has only the new side. */
export function shownUpdate(
  before: Variable<ObservedValue>,
  after: Variable<DesiredValue>,
  hidden: HiddenKeys,
): ShownSides {
  if ('external' in after.value) return { before: ABSENT, after: { kind: 'external' } }
  if ('text' in before.value && 'text' in after.value) return shownTexts(before.value.text, after.value.text)
  const staysSecret = 'hidden' in before.value && 'secret' in after.value
  return { before: staysSecret ? ABSENT : shownBefore(before), after: shownAfter(after, hidden) }
}

function shownTexts(before: string, after: string): ShownSides {
  if (before === after) return UNCHANGED
  if (isInline(before) && isInline(after)) return { before: shownText(before), after: shownText(after) }
  const sizes = { before: sizeOf(before), after: sizeOf(after) }
  if (before.length > LARGE || after.length > LARGE) return sizes
  return { ...sizes, lines: lineDifference(before, after) }
}

/** Differences at the end of a text or of its lines, which are hard to see. */
export function endNote(
  { value: before }: Variable<ObservedValue>,
  { value: after }: Variable<DesiredValue>,
): Phrase | undefined {
  if (!('text' in before && 'text' in after) || before.text === after.text) return undefined
  const isAlone = before.text.replace(/\r?\n$/, '') === after.text.replace(/\r?\n$/, '')
  if (isAlone && before.text.endsWith('\n') !== after.text.endsWith('\n'))
    return [after.text.endsWith('\n') ? 'adds a final newline' : 'removes the final newline']
  const unix = (text: string): string => text.replaceAll('\r\n', '\n')
  return unix(before.text) === unix(after.text) ? ['only line endings differ'] : undefined
}

export function shownAddition(after: Variable<DesiredValue>, hidden: HiddenKeys): ShownSides {
  const shown = shownAfter(after, hidden)
  if (shown.kind !== 'size' || !('text' in after.value) || after.value.text.length > LARGE)
    return { before: ABSENT, after: shown }
  return { before: ABSENT, after: shown, lines: lineDifference('', after.value.text) }
}

/** A short description is shown inline even if it has several lines. */
export const shownDescription = (text: string): ShownValue =>
  text.length > DESCRIPTION ? sizeOf(text) : { kind: 'text', text }

const DESCRIPTION = 200

const shownText = (text: string): ShownValue => (isInline(text) ? { kind: 'text', text } : sizeOf(text))

const isInline = (text: string): boolean => text.length <= INLINE && !/[\n\r]/.test(text)

const sizeOf = (text: string): ShownValue => ({
  kind: 'size',
  bytes: new TextEncoder().encode(text).length,
  lines: linesOf(text).length,
})

/** One side of a value in words, with the version of a secret. A style marks words that stand in place of a text. */
export function wordsOf(shown: ShownValue): {
  readonly said: Phrase
  readonly version?: Phrase | false
  readonly style?: 'dim' | 'magenta'
} {
  switch (shown.kind) {
    case 'absent':
      return { said: [] }
    case 'text':
      return { said: [value(shown.text)] }
    case 'size':
      return { said: [`${sizeText(shown.bytes)}, ${counted(shown.lines, 'line')}`], style: 'dim' }
    case 'secret': {
      const { secret, version } = shown
      return {
        said: say`secret${secret !== undefined && say` ${name(secret)}`}`,
        version: version !== undefined && say` version ${name(version)}`,
        style: 'magenta',
      }
    }
    case 'hidden':
      return { said: ['not shown'], style: 'dim' }
    case 'external':
      return { said: ['external'], style: 'dim' }
    case 'owner':
      return { said: shown.project === undefined ? ['organization'] : say`project ${name(shown.project)}` }
  }
}

const sizeText = (bytes: number): string =>
  bytes < 1024 ? counted(bytes, 'byte') : `${figure(Math.round(bytes / 102.4) / 10)} KiB`
