import type { ObservedSet, ObservedState, ResolvedSet } from '../../../src/model/variable-set.ts'
import type { Operation } from '../../../src/plan/operation.ts'
import { gapsIn, type Places, performedOn, viewOf } from './oracle.ts'

/**
 * Whether some order of a plan's operations shows only old and new values, found by trying every set of finished operations.
 * The rules of the service are repeated here, from docs/service.md.
 */
export function hasOrderWithoutGaps(
  observed: ObservedState,
  operations: readonly Operation[],
  places: Places,
  files: readonly ResolvedSet[],
): boolean {
  const waits = operations.map((later, at) =>
    operations.reduce(
      (mask, earlier, bit) =>
        bit !== at && (mustFollow(later, earlier, observed) || isTakenOver(later, earlier, files))
          ? mask | (1 << bit)
          : mask,
      0,
    ),
  )
  const all = (1 << operations.length) - 1
  const moments = new Map<number, readonly ObservedSet[]>([[0, observed.sets]])
  const legal = new Map<number, boolean>()
  // Every valid order of the same operations leads to the same moment.
  for (const [mask, moment] of moments)
    for (const [bit, operation] of operations.entries()) {
      const next = mask | (1 << bit)
      if (next === mask || (mask & (waits[bit] ?? 0)) !== waits[bit] || moments.has(next)) continue
      const then = performedOn(moment, operation)
      if (isLegal(then)) moments.set(next, then)
      else legal.set(next, false)
    }
  const last = moments.get(all)
  if (last === undefined) return false
  const [before, after] = [viewOf(observed.sets, places), viewOf(last, places)]
  const isGood = new Map(
    [...moments].map(([mask, moment]) => [
      mask,
      gapsIn(before, after, viewOf(moment, places), () => '').length === 0,
    ]),
  )
  const isFree = (operation: Operation): boolean =>
    revokes(operation, observed) && !operations.some(earlier => isTakenOver(operation, earlier, files))
  const free = freeMask(isFree, operations, waits, moments)
  // Free operations may run at any time. All others may have to wait for all of these.
  const isBelow = (mask: number) => (mask & ~free) === 0
  if ([...moments.keys()].some(mask => isBelow(mask) && isGood.get(mask) !== true)) return false
  const reached = new Set([free])
  for (const mask of reached)
    for (const bit of operations.keys()) {
      const next = mask | (1 << bit)
      if (next !== mask && (mask & (waits[bit] ?? 0)) === waits[bit] && isGood.get(next) === true)
        reached.add(next)
    }
  return reached.has(all)
}

/** Operations that remove a secret, and everything that must come before them. */
function freeMask(
  isFree: (operation: Operation) => boolean,
  operations: readonly Operation[],
  waits: readonly number[],
  moments: ReadonlyMap<number, unknown>,
): number {
  let free = operations.reduce((mask, operation, bit) => (isFree(operation) ? mask | (1 << bit) : mask), 0)
  const add = (mask: number): void => {
    for (const [bit, earlier] of waits.entries()) if (mask & (1 << bit)) free |= earlier
  }
  for (let size = -1; size !== free; ) {
    size = free
    add(free)
    // Operations that must release a slot first, because otherwise the state would not be valid.
    for (const bit of operations.keys())
      if (free & (1 << bit)) {
        const ways = [...moments.keys()].filter(mask => mask & (1 << bit))
        free |= ways.reduce((common, mask) => common & mask, ~0)
      }
  }
  return free
}

function revokes(operation: Operation, { sets }: ObservedState): boolean {
  const set = sets.find(({ id }) => id === operation.subject.id)
  const holdsSecret = set?.variables.some(({ value }) => 'hidden' in value) === true
  if (operation.type === 'delete-variable') return 'hidden' in operation.before.value
  if (operation.type === 'delete-set') return holdsSecret
  if (operation.type === 'update-set')
    return holdsSecret && operation.before.global && !operation.after.global
  return operation.type === 'unassign' && holdsSecret
}

/**
 * A removed set goes after the new one that has its name as a previous name (docs/files.md#sets-of-projects), unless a file still declares
 * a set of that name: then nothing was renamed.
 */
const isTakenOver = (later: Operation, earlier: Operation, files: readonly ResolvedSet[]): boolean =>
  later.type === 'delete-set' &&
  earlier.type === 'create-set' &&
  !files.some(({ name }) => name.toLowerCase() === later.before.name.toLowerCase()) &&
  files.some(
    ({ name, previousNames }) => name === earlier.subject.name && previousNames.includes(later.before.name),
  )

/** Rules between two operations on one set, independent of the rest of the service. */
function mustFollow(later: Operation, earlier: Operation, { sets }: ObservedState): boolean {
  if (later.subject.id === undefined || later.subject.id !== earlier.subject.id) return false
  const isGlobal = sets.find(({ id }) => id === later.subject.id)?.global === true
  const movesScope = (operation: Operation, to: boolean): boolean =>
    operation.type === 'update-set' && operation.before.global !== to && operation.after.global === to
  if (isGlobal && movesScope(earlier, false)) return later.type !== 'delete-variable'
  if (!isGlobal && movesScope(later, true)) return true
  return (
    later.type === 'create-variable' &&
    earlier.type === 'delete-variable' &&
    later.after.key === earlier.before.key
  )
}

const isTwice = (text: string, at: number, texts: readonly string[]): boolean => texts.indexOf(text) !== at

function isLegal(sets: readonly ObservedSet[]): boolean {
  const names = sets.map(({ name }) => name.toLowerCase())
  const keys = sets.flatMap(({ global, variables }) => (global ? variables.map(({ key }) => key) : []))
  const own = sets.some(({ variables }) => variables.map(({ key }) => key).some(isTwice))
  return !names.some(isTwice) && !keys.some(isTwice) && !own
}
