import type { SeenChange } from './change.ts'
import type { SeenChanges } from './seen.ts'

/** A change with the places of the groups that see it, in order. At least one does. */
export interface Membership {
  readonly change: SeenChange
  readonly at: readonly number[]
}

/** Each change that anybody sees. `count`: of groups. */
export function membershipsOf(count: number, { general, own }: SeenChanges): Membership[] {
  const departing = new Map<number, number[]>()
  const special = new Map<SeenChange, number[]>()
  for (const [at, departs] of own.entries())
    for (const [key, change] of departs) {
      if (general.has(key)) append(departing, key, at)
      if (change !== undefined) append(special, change, at)
    }
  const everybody = Array.from({ length: count }, (_, at) => at)
  const without = new Map<string, readonly number[]>()
  const shared = [...general].map(([key, change]) => {
    const others = departing.get(key)
    if (others === undefined) return { change, at: everybody }
    const signature = others.join()
    const away = new Set(others)
    const at = without.get(signature) ?? everybody.filter(one => !away.has(one))
    without.set(signature, at)
    return { change, at }
  })
  return [...shared, ...[...special].map(([change, at]) => ({ change, at }))].filter(
    ({ at }) => at.length > 0,
  )
}

function append<K>(lists: Map<K, number[]>, key: K, at: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [at])
  else list.push(at)
}
