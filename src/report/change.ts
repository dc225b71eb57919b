import type { StepOutcome } from '../apply/outcome.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import type { SetSettings } from '../model/fields.ts'
import { type Category, nameOf, type TargetKind, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import type { OperationId, ValueBefore } from '../plan/operation.ts'
import type { Origin } from '../plan/origin.ts'
import { type LineDifference, lineDifference, linesOf } from './line-diff.ts'
import type { Phrase } from './phrase.ts'

export type Sign = '+' | '~' | '-'

/** `planned` before an apply, else how it ended. */
export type StepStatus = 'planned' | StepOutcome['status']

interface ChangeBase {
  readonly sign: Sign
  /** What else there is to say: other fields that change, what is lost, what it waits for. */
  readonly notes: readonly Phrase[]
  /** The operations behind this one entry: two for a replacement. */
  readonly operations: readonly OperationId[]
  readonly status: StepStatus
  readonly source?: SourceRange
  /** Where the difference comes from, where it is known. */
  readonly origin?: Origin
}

/** `name` is shown with the set, so it is not among these. */
export interface SettingChange extends ChangeBase, ShownChange {
  readonly kind: 'setting'
  readonly setting: keyof SetSettings | 'owner'
}

export interface VariableChange extends ChangeBase, ShownChange {
  readonly kind: 'variable'
  readonly category: Category
  readonly name: string
  /** Deleted and created again under the same key. */
  readonly replaced: boolean
  /** A value that no one can read back goes with it. */
  readonly irreversible: boolean
  /** Its origin is what everything speaks for, and not what anybody saw. */
  readonly likely?: true
}

/** What is assigned or unassigned, of one kind. */
export interface AssignmentChange extends ChangeBase {
  readonly kind: 'assignment'
  readonly targets: TargetKind
  /** Names where known, else ids; sorted. */
  readonly names: readonly string[]
}

/** One entry under a set. */
export type Change = SettingChange | VariableChange | AssignmentChange

/** Everything that happens to one set. */
export interface SetView {
  readonly sign: Sign
  readonly name: string
  /** The name it had; the id stays the same. */
  readonly previousName?: string
  /** In a few words: `3 variables, 1 secret lost, 2 workspaces`. */
  readonly what: Phrase
  readonly notes: readonly Phrase[]
  readonly changes: readonly Change[]
  /** Where its differences come from, as far as it is known; each once. */
  readonly origins: readonly Origin[]
  /** `what` says enough: the entries of a set that goes, or of one that is only renamed. */
  readonly folded: boolean
  readonly status: StepStatus
  readonly source?: SourceRange
}

const GRAVITY: readonly StepStatus[] = ['failed', 'unknown', 'skipped', 'succeeded', 'planned']

/** How several steps ended together. */
export const worst = (statuses: readonly StepStatus[]): StepStatus =>
  GRAVITY.find(status => statuses.includes(status)) ?? 'planned'

/** What may be shown of one side of a value. There is no case for a secret's text. */
export type ShownValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'size'; readonly bytes: number; readonly lines: number }
  /** `secret`: which one, where its name is not the variable's. */
  | { readonly kind: 'secret'; readonly secret?: string; readonly version?: string }
  /** Readable text, withheld because the other side is a secret. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'external' }
  /** Whose a set is; without a project the organization's. */
  | { readonly kind: 'owner'; readonly project?: string }

/** Both sides of a value. `lines`: long texts, of which `before` and `after` give the sizes only. */
export interface ShownChange {
  readonly before: ShownValue
  readonly after: ShownValue
  readonly lines?: LineDifference
}

export const ABSENT: ShownValue = { kind: 'absent' }
const UNCHANGED: ShownChange = { before: ABSENT, after: ABSENT }

/** One line of at most this many characters stands beside its change. */
const INLINE = 60
/** Beyond what HCP Terraform takes, sizes are shown and no text (docs/fault-model.md F-71). */
const LARGE = 262_144

/** Keys whose new readable texts are not shown: the plan says which. */
export type HiddenKeys = ReadonlySet<VariableKey>

/** What must not be shown is not in the plan any more. */
export const shownBefore = ({ value }: Variable<ValueBefore>): ShownValue =>
  'hidden' in value ? { kind: 'secret' } : 'withheld' in value ? { kind: 'hidden' } : shownText(value.text)

function shownAfter({ key, value }: Variable<DesiredValue>, hidden: HiddenKeys): ShownValue {
  if ('external' in value) return { kind: 'external' }
  if ('text' in value) return hidden.has(key) ? { kind: 'hidden' } : shownText(value.text)
  const { name, version } = value.secret
  return {
    kind: 'secret',
    ...(name === nameOf(key) ? {} : { secret: name }),
    ...(version === undefined ? {} : { version }),
  }
}

/** The value of a variable before and after; `UNCHANGED` where it is equal. Of a secret that stays one, only the new side. */
export function shownUpdate(
  before: Variable<ValueBefore>,
  after: Variable<DesiredValue>,
  hidden: HiddenKeys,
): ShownChange {
  if ('external' in after.value) return { before: ABSENT, after: { kind: 'external' } }
  if ('text' in before.value && 'text' in after.value) return shownTexts(before.value.text, after.value.text)
  const staysSecret = 'hidden' in before.value && 'secret' in after.value
  return { before: staysSecret ? ABSENT : shownBefore(before), after: shownAfter(after, hidden) }
}

function shownTexts(before: string, after: string): ShownChange {
  if (before === after) return UNCHANGED
  if (isInline(before) && isInline(after)) return { before: shownText(before), after: shownText(after) }
  const sizes = { before: sizeOf(before), after: sizeOf(after) }
  if (before.length > LARGE || after.length > LARGE) return sizes
  return { ...sizes, lines: lineDifference(before, after) }
}

/** A value that comes: with its lines where it is long. */
export function shownAddition(after: Variable<DesiredValue>, hidden: HiddenKeys): ShownChange {
  const shown = shownAfter(after, hidden)
  if (shown.kind !== 'size' || !('text' in after.value) || after.value.text.length > LARGE)
    return { before: ABSENT, after: shown }
  return { before: ABSENT, after: shown, lines: lineDifference('', after.value.text) }
}

/** A description stands beside its change even where it has several lines, up to a length. */
export const shownDescription = (before: string, after: string): ShownChange => ({
  before: before.length > DESCRIPTION ? sizeOf(before) : { kind: 'text', text: before },
  after: after.length > DESCRIPTION ? sizeOf(after) : { kind: 'text', text: after },
})

const DESCRIPTION = 200

const shownText = (text: string): ShownValue => (isInline(text) ? { kind: 'text', text } : sizeOf(text))

const isInline = (text: string): boolean => text.length <= INLINE && !/[\n\r]/.test(text)

const sizeOf = (text: string): ShownValue => ({
  kind: 'size',
  bytes: new TextEncoder().encode(text).length,
  lines: linesOf(text).length,
})
