import { nameOf, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import type { ValueBefore } from '../plan/operation.ts'
import { type LineDifference, lineDifference, linesOf } from './line-diff.ts'

/** What may be shown of one side of a value. There is no case for a secret's text. */
export type Shown =
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
  readonly before: Shown
  readonly after: Shown
  readonly lines?: LineDifference
}

export const ABSENT: Shown = { kind: 'absent' }
export const UNCHANGED: ShownChange = { before: ABSENT, after: ABSENT }

/** One line of at most this many characters stands beside its change. */
const INLINE = 60
/** Beyond what HCP Terraform takes, sizes are shown and no text (docs/fault-model.md F-71). */
const LARGE = 262_144

/** Keys whose new readable texts are not shown: the plan says which. */
export type HiddenKeys = ReadonlySet<VariableKey>

/** What must not be shown is not in the plan any more. */
export const shownBefore = ({ value }: Variable<ValueBefore>): Shown =>
  'hidden' in value ? { kind: 'secret' } : 'withheld' in value ? { kind: 'hidden' } : shownText(value.text)

export function shownAfter({ key, value }: Variable<DesiredValue>, hidden: HiddenKeys): Shown {
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

const shownText = (text: string): Shown => (isInline(text) ? { kind: 'text', text } : sizeOf(text))

const isInline = (text: string): boolean => text.length <= INLINE && !/[\n\r]/.test(text)

const sizeOf = (text: string): Shown => ({
  kind: 'size',
  bytes: new TextEncoder().encode(text).length,
  lines: linesOf(text).length,
})
