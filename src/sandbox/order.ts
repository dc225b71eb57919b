import type { SetRecord } from './records.ts'
import type { Context } from './service.ts'
import type { Store } from './store.ts'

/** Unicode code point order, which the service uses for names (docs/service.md 13); `<` compares UTF-16 units. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const left = one.charCodeAt(index)
    const right = other.charCodeAt(index)
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return one.length - other.length
}

/** Surrogates stand for code points above all that one unit can hold. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

type Compare = (one: SetRecord, other: SetRecord) => number

const byId: Compare = (one, other) => compareCodePoints(one.id, other.id)

const COMPARE = {
  id: byId,
  name: (one, other) => compareCodePoints(one.name, other.name) || byId(one, other),
  'updated-at': (one, other) => compareCodePoints(one.updatedAt, other.updatedAt) || byId(one, other),
} as const satisfies Record<string, Compare>

/** Sets in the order in which lists show them ("not shown" in the interface). */
export function inListOrder(ids: Iterable<string>, context: Context): SetRecord[] {
  const sets = [...ids].flatMap(id => context.listed.sets.get(id) ?? [])
  const { listOrder } = context.profile
  return listOrder === 'random' ? shuffled(sets, context.random) : sets.sort(COMPARE[listOrder])
}

const ordered = new WeakMap<
  Store,
  Map<string, { readonly revision: number; readonly sets: readonly SetRecord[] }>
>()

/** All sets of an organization in list order, sorted once for each state. */
export function allInListOrder(organization: string, context: Context): readonly SetRecord[] {
  const { listed } = context
  if (context.profile.listOrder === 'random') return inListOrder(listed.setsOf(organization), context)
  const known = ordered.get(listed) ?? new Map()
  ordered.set(listed, known)
  const last = known.get(organization)
  if (last?.revision === listed.revision) return last.sets
  const sets = inListOrder(listed.setsOf(organization), context)
  known.set(organization, { revision: listed.revision, sets })
  return sets
}

function shuffled<T>(values: T[], random: () => number): T[] {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    const [value] = values.splice(other, 1)
    if (value !== undefined) values.push(value)
  }
  return values
}
