import { nameOf, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import { sameText } from '../plan/equality.ts'
import { type ValueBefore, variablesSent } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
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

/** Readable texts that a plan must not show, because it moves or replaces a secret under the same key. */
export interface Secrecy {
  readonly before: (key: VariableKey) => boolean
  readonly after: (key: VariableKey) => boolean
}

export function secrecyOf(plan: Plan): Secrecy {
  const becomes = new Set<VariableKey>()
  const was = new Set<VariableKey>()
  for (const { operation } of plan.steps) {
    for (const sent of variablesSent(operation)) if ('secret' in sent.value) becomes.add(sent.key)
    if (operation.type === 'delete-variable' && 'hidden' in operation.before.value)
      was.add(operation.before.key)
    if (operation.type === 'delete-set')
      for (const gone of operation.before.variables) if ('hidden' in gone.value) was.add(gone.key)
  }
  return { before: key => becomes.has(key), after: key => was.has(key) }
}

export const shownBefore = ({ key, value }: Variable<ValueBefore>, secrecy: Secrecy): Shown =>
  'hidden' in value
    ? { kind: 'secret' }
    : 'withheld' in value || secrecy.before(key)
      ? { kind: 'hidden' }
      : shownText(value.text)

export function shownAfter({ key, value }: Variable<DesiredValue>, secrecy: Secrecy): Shown {
  if ('external' in value) return { kind: 'external' }
  if ('text' in value) return secrecy.after(key) ? { kind: 'hidden' } : shownText(value.text)
  const { name, version } = value.secret
  return {
    kind: 'secret',
    ...(name === nameOf(key) ? {} : { secret: name }),
    ...(version === undefined ? {} : { version }),
  }
}

/** The value of a variable before and after; `UNCHANGED` where it is equal. Of a secret that stays one, only the new side. */
export function shownUpdate(before: Variable<ValueBefore>, after: Variable<DesiredValue>): ShownChange {
  const both = {
    before: (): boolean => 'secret' in after.value,
    after: (): boolean => 'hidden' in before.value,
  }
  if ('external' in after.value) return { before: ABSENT, after: { kind: 'external' } }
  if ('text' in before.value && 'text' in after.value) return shownTexts(before.value.text, after.value.text)
  const staysSecret = 'hidden' in before.value && 'secret' in after.value
  return { before: staysSecret ? ABSENT : shownBefore(before, both), after: shownAfter(after, both) }
}

function shownTexts(before: string, after: string): ShownChange {
  if (sameText(before, after)) return UNCHANGED
  if (isInline(before) && isInline(after)) return { before: shownText(before), after: shownText(after) }
  const sizes = { before: sizeOf(before), after: sizeOf(after) }
  if (before.length > LARGE || after.length > LARGE) return sizes
  return { ...sizes, lines: lineDifference(before, after) }
}

/** A value that comes: with its lines where it is long. */
export function shownAddition(after: Variable<DesiredValue>, secrecy: Secrecy): ShownChange {
  const shown = shownAfter(after, secrecy)
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
