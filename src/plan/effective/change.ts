import type { VariableKey } from '../../model/ids.ts'
import type { Hides } from '../secrecy.ts'
import type { Effect, EffectKind, EffectReason, Giver } from './effect.ts'
import { type Held, type PlacedSet, sameInTwoSets } from './placed-set.ts'

/** An effect before it is shown. Without `why` and with both sides, one set gives another value. */
export interface SeenChange {
  readonly key: VariableKey
  readonly before: PlacedSet | undefined
  readonly after: PlacedSet | undefined
  /** Why another set gives it. */
  readonly why: EffectReason | undefined
  /** Before or after, a set with priority gives it: also a workspace that has the variable by itself sees the change. */
  readonly certain: boolean
}

export function kindOf({ key, before, after, why }: SeenChange): EffectKind {
  const was = before?.held.get(key)
  const is = after?.held.get(key)
  if (was === undefined) return 'gained'
  if (is === undefined) return 'lost'
  if (why === undefined) return 'value'
  return sameInTwoSets(key, was, is) ? 'source' : 'winner'
}

/** Longer texts stand in the operations, once. */
const INLINE = 60

export function effectOf(change: SeenChange, hides: Hides): Effect {
  const { key, before, after, why } = change
  return {
    kind: kindOf(change),
    key,
    ...(before === undefined ? {} : { before: giverOf(before, key, hides) }),
    ...(after === undefined ? {} : { after: giverOf(after, key, hides) }),
    ...(why === undefined ? {} : { why }),
  }
}

function giverOf({ name, held, ours }: PlacedSet, key: VariableKey, hides: Hides): Giver {
  const holds = held.get(key)
  if (holds?.secret) return { set: name, secret: true }
  return ours && isShort(holds) && !hides(key, holds.text) ? { set: name, text: holds.text } : { set: name }
}

const isShort = (held: Held | undefined): held is Held & { readonly secret: false; readonly text: string } =>
  held !== undefined &&
  !held.secret &&
  held.text !== undefined &&
  held.text.length <= INLINE &&
  !/[\n\r]/.test(held.text)
