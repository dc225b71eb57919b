import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { ALL_KINDS, type Kind, type OperationName, type Strike, whyNever } from './faults.ts'
import { play, printSchedule, type Schedule, type Verdict } from './schedule.ts'

/** One case on one service, and its number of schedules. */
export interface Unit {
  readonly case: string
  readonly profile: string
  readonly count: number
  readonly seed: number
}

export interface Broken {
  readonly schedule: string
  readonly violations: readonly string[]
}

/** The results of a unit, as sums, so that units can be added in any order. */
export interface Tally {
  schedules: number
  requests: number
  /** The fewest requests of a run without faults. */
  shortest: number
  /** The fewest requests of a schedule. */
  fewest: number
  /** Hits by `operation/kind`. */
  readonly cells: Record<string, number>
  readonly broken: Broken[]
}

export const emptyTally = (): Tally => ({
  schedules: 0,
  requests: 0,
  shortest: Number.MAX_SAFE_INTEGER,
  fewest: Number.MAX_SAFE_INTEGER,
  cells: {},
  broken: [],
})

export function addTally(sum: Tally, more: Tally): void {
  sum.schedules += more.schedules
  sum.requests += more.requests
  sum.shortest = Math.min(sum.shortest, more.shortest)
  sum.fewest = Math.min(sum.fewest, more.fewest)
  for (const [cell, hits] of Object.entries(more.cells)) sum.cells[cell] = (sum.cells[cell] ?? 0) + hits
  sum.broken.push(...more.broken)
}

/**
 * Number of schedules of a unit whose second fault hits one of these: reads after a first fault, writes of few cases, and
 * requests that a first fault repeats or delays.
 */
const SECOND: readonly { readonly operation: OperationName | 'other'; readonly most: number }[] = [
  { operation: 'list-variables', most: 200 },
  { operation: 'search-sets', most: 100 },
  { operation: 'show-set', most: 100 },
  { operation: 'update-set', most: 60 },
  { operation: 'assign', most: 60 },
  { operation: 'unassign', most: 60 },
  { operation: 'other', most: 60 },
]

/**
 * Exactly `count` schedules, or none if the files have no plan: first every index with every kind; then faults at the reads and
 * retries that a first fault causes; then pairs in one run, pairs across a run and its rerun, and triples.
 */
export async function sweep(unit: Unit): Promise<Tally> {
  const tally = emptyTally()
  const random = seededRandom(unit.seed)
  const pick = (below: number): number => Math.floor(random() * below)
  const kind = (): Kind => ALL_KINDS[pick(ALL_KINDS.length)] ?? 'lost-after'
  const scheduled = (...runs: readonly (readonly Strike[])[]): Schedule => ({
    case: unit.case,
    profile: unit.profile,
    seed: pick(1_000_000),
    runs,
  })
  const count = async (schedule: Schedule): Promise<Verdict | undefined> => {
    if (tally.schedules === unit.count) return undefined
    const verdict = await play(schedule)
    record(tally, schedule, verdict)
    return verdict
  }

  const quiet = scheduled([])
  const free = await play(quiet)
  const first = free.runs[0]?.operations ?? []
  // A random state may contradict itself, and then there is no plan.
  if (free.runs[0]?.end.plan === undefined && free.runs[0]?.end.diagnostics !== undefined) return tally
  tally.shortest = first.length
  if (free.violations.length > 0)
    tally.broken.push({ schedule: printSchedule(quiet), violations: free.violations })
  const found: Recovering[] = []
  for (let index = 0; index < first.length; index++)
    for (const one of ALL_KINDS) {
      const schedule = scheduled([{ index, kind: one }])
      const verdict = await count(schedule)
      found.push(...recovering(schedule, verdict, index, first.length))
    }
  for (const { operation, most } of SECOND) {
    const mine = found.filter(one =>
      operation === 'other'
        ? !SECOND.some(other => other.operation === one.operation)
        : one.operation === operation,
    )
    let turn = unit.seed * 7
    for (const second of shuffled(mine, pick).slice(0, most)) await count(withSecond(second, turn++))
  }
  const strike = (): Strike => ({ index: pick(first.length + 3), kind: kind() })
  const shapes = [
    () => scheduled([strike(), strike()]),
    () => scheduled([strike()], [strike()]),
    () => scheduled([strike(), strike(), strike()]),
    () => scheduled([strike(), strike()], [strike()]),
  ]
  while (tally.schedules < unit.count)
    await count((shapes[pick(shapes.length)] ?? shapes[0] ?? (() => scheduled()))())
  return tally
}

/** A request of the first run after a fault: one of SECOND, or one that the fault caused. */
interface Recovering {
  readonly schedule: Schedule
  readonly operation: OperationName
  readonly index: number
}

function recovering(
  schedule: Schedule,
  verdict: Verdict | undefined,
  struck: number,
  usual: number,
): Recovering[] {
  const operations = verdict?.runs[0]?.operations ?? []
  return operations.flatMap((operation, index) => {
    const isSought = SECOND.some(second => second.operation === operation)
    return index > struck && (isSought || index >= usual) ? [{ schedule, operation, index }] : []
  })
}

/** With the same seed, everything is equal up to the second fault. */
function withSecond({ schedule, operation, index }: Recovering, turn: number): Schedule {
  const kinds = ALL_KINDS.filter(kind => whyNever(operation, kind) === undefined)
  const kind = kinds[turn % kinds.length] ?? 'lost-after'
  const [strikes = []] = schedule.runs
  return { ...schedule, runs: [[...strikes, { index, kind }]] }
}

function shuffled<T>(list: readonly T[], pick: (below: number) => number): T[] {
  const rest = [...list]
  return list.flatMap(() => rest.splice(pick(rest.length), 1))
}

export function record(tally: Tally, schedule: Schedule, verdict: Verdict): void {
  tally.schedules += 1
  tally.requests += verdict.requests
  tally.fewest = Math.min(tally.fewest, verdict.requests)
  for (const run of verdict.runs)
    for (const { operation, kind } of run.hits) {
      const cell = `${operation}/${kind}`
      tally.cells[cell] = (tally.cells[cell] ?? 0) + 1
    }
  if (verdict.violations.length > 0)
    tally.broken.push({ schedule: printSchedule(schedule), violations: verdict.violations })
}
