import type { VariableKey } from '../../model/ids.ts'
import { type MovingSet, type PlacedSet, sameInOneSet } from './placed-set.ts'

/** The keys whose winner or value may become another one; of all others nobody needs to think. */
export function changedKeys(sets: readonly MovingSet[]): Set<VariableKey> {
  const keys = new Set<VariableKey>()
  for (const { before, after } of sets) {
    const placedOtherwise = before === undefined || after === undefined || !samePlace(before, after)
    for (const [key, held] of before?.held ?? []) {
      const then = after?.held.get(key)
      if (placedOtherwise || then === undefined || !sameInOneSet(key, held, then)) keys.add(key)
    }
    for (const key of after?.held.keys() ?? [])
      if (placedOtherwise || before?.held.has(key) !== true) keys.add(key)
  }
  return keys
}

const samePlace = (before: PlacedSet, after: PlacedSet): boolean =>
  before.name === after.name &&
  before.global === after.global &&
  before.priority === after.priority &&
  before.projectOwned === after.projectOwned &&
  sameList(before.workspaces, after.workspaces) &&
  sameList(before.projects, after.projects)

/** Both sorted. */
const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((id, at) => id === b[at]))
