import { seededRandom } from '../../src/sandbox/random.ts'
import { KINDS, type Kind, LIST_KINDS, SIGNAL_KINDS, type Strike } from './faults.ts'
import { play, printSchedule, type Schedule, type Verdict } from './schedule.ts'

/** One case on one service, and how many schedules of faults it gets. */
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

/** What a unit came to: sums, so that units can be added in any order. */
export interface Tally {
  schedules: number
  requests: number
  /** The fewest requests that a run of the plan takes where nothing goes wrong. */
  shortest: number
  /** Hits by `operation/kind`. */
  readonly cells: Record<string, number>
  readonly broken: Broken[]
}

export const emptyTally = (): Tally => ({
  schedules: 0,
  requests: 0,
  shortest: Number.POSITIVE_INFINITY,
  cells: {},
  broken: [],
})

export function addTally(sum: Tally, more: Tally): void {
  sum.schedules += more.schedules
  sum.requests += more.requests
  sum.shortest = Math.min(sum.shortest, more.shortest)
  for (const [cell, hits] of Object.entries(more.cells)) sum.cells[cell] = (sum.cells[cell] ?? 0) + hits
  sum.broken.push(...more.broken)
}

/** How many schedules of a unit meet the looks after a first fault, and how many its repetitions. */
const LOOKS = 150
const OTHERS = 60

const ALL_KINDS: readonly Kind[] = [...KINDS, ...LIST_KINDS, ...SIGNAL_KINDS]

/**
 * Exactly `count` schedules: every index with every kind; then faults that meet the reads and repetitions that a first
 * fault brings about; then pairs in one run, pairs across a run and its rerun, and triples.
 */
export async function sweep(unit: Unit): Promise<Tally> {
  const tally = emptyTally()
  const random = seededRandom(unit.seed)
  const pick = (below: number): number => Math.floor(random() * below)
  let turn = unit.seed * 7
  const next = (): Kind => ALL_KINDS[turn++ % ALL_KINDS.length] ?? 'lost-after'
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

  const free = await play(scheduled([]))
  const first = free.runs[0]?.operations ?? []
  tally.shortest = first.length
  if (free.violations.length > 0)
    tally.broken.push({ schedule: printSchedule(scheduled([])), violations: free.violations })
  const looks: Schedule[] = []
  const others: Schedule[] = []
  for (let index = 0; index < first.length; index++)
    for (const one of ALL_KINDS) {
      const strike = { index, kind: one }
      const verdict = await count(scheduled([strike]))
      for (const { index: second, isLook } of recovering(verdict, index, first.length)) {
        const list = isLook ? looks : others
        list.push(scheduled([strike, { index: second, kind: next() }]))
      }
    }
  for (const schedule of [
    ...shuffled(looks, pick).slice(0, LOOKS),
    ...shuffled(others, pick).slice(0, OTHERS),
  ])
    await count(schedule)
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

/** Requests of the first run that are there only because of the fault: looks, and repetitions with what comes after. */
function recovering(
  verdict: Verdict | undefined,
  struck: number,
  usual: number,
): { readonly index: number; readonly isLook: boolean }[] {
  const operations = verdict?.runs[0]?.operations ?? []
  return operations.flatMap((operation, index) => {
    const isLook = operation === 'show-set' || operation === 'search-sets'
    return index > struck && (isLook || index >= usual) ? [{ index, isLook }] : []
  })
}

function shuffled<T>(list: readonly T[], pick: (below: number) => number): T[] {
  const rest = [...list]
  return list.flatMap(() => rest.splice(pick(rest.length), 1))
}

function record(tally: Tally, schedule: Schedule, verdict: Verdict): void {
  tally.schedules += 1
  tally.requests += verdict.requests
  for (const run of verdict.runs)
    for (const { operation, kind } of run.hits) {
      const cell = `${operation}/${kind}`
      tally.cells[cell] = (tally.cells[cell] ?? 0) + 1
    }
  if (verdict.violations.length > 0)
    tally.broken.push({ schedule: printSchedule(schedule), violations: verdict.violations })
}
