import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { CASES } from './cases.ts'
import {
  ALL_KINDS,
  EVERY,
  type Kind,
  OPERATIONS,
  type OperationName,
  type Strike,
  whyNever,
} from './faults.ts'
import { SERVICES, UNITS } from './plan.ts'
import { play, type Schedule, type Verdict } from './schedule.ts'
import { emptyTally, record, type Tally, type Unit } from './unit.ts'

/** An aim: every fault hits one operation at least `each` times. */
export interface Aim {
  readonly operation: OperationName
  readonly each: number
  readonly seed: number
}

/** A schedule in which an operation occurs, and its places in it. */
interface Way {
  readonly schedule: Schedule
  readonly places: readonly number[]
}

/** The number of schedules to find. A case with the operation in its plan gives one at once. */
const WAYS = 6
const MOST_TRIES = 600

export const aims = (each: number, seed: number): readonly Aim[] =>
  OPERATIONS.map((operation, index) => ({ operation, each, seed: seed * OPERATIONS.length + index }))

/** Plays the aim. A cell without a hit counts as broken, because the case that contained it no longer exists. */
export async function hit({ operation, each, seed }: Aim): Promise<Tally> {
  const tally = emptyTally()
  const random = seededRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  const played = async (schedule: Schedule): Promise<Verdict> => {
    const verdict = await play(schedule)
    record(tally, schedule, verdict)
    return verdict
  }
  const ways: Way[] = []
  for (let tries = 0; tries < MOST_TRIES && ways.length < WAYS; tries++) {
    const { case: name, profile } = UNITS[pick(UNITS.length)] as Unit
    const quiet: Schedule = { case: name, profile, seed: pick(1_000_000), runs: [[]] }
    const usual = operationsOf(await played(quiet))
    if (usual.includes(operation)) ways.push({ schedule: quiet, places: placesOf(operation, usual, 0) })
    else {
      // A first fault causes a read or a retry.
      const strike = { index: pick(usual.length), kind: ALL_KINDS[pick(ALL_KINDS.length)] ?? 'lost-after' }
      const schedule: Schedule = { ...quiet, runs: [[strike]] }
      const places = placesOf(operation, operationsOf(await played(schedule)), strike.index + 1)
      if (places.length > 0) ways.push({ schedule, places })
    }
  }
  for (const kind of ALL_KINDS) if (whyNever(operation, kind) === undefined) await hitWith(kind, ways, tally)
  return tally

  async function hitWith(kind: Kind, from: readonly Way[], into: Tally): Promise<void> {
    const cell = `${operation}/${kind}`
    const hits = (): number => into.cells[cell] ?? 0
    const wanted = hits() + each
    for (let tries = 0; hits() < wanted && tries < each * 20 + 100; tries++) {
      const way = from[pick(from.length)]
      const index = way?.places[pick(way.places.length)]
      if (way === undefined || index === undefined) break
      await played(struck(way.schedule, { index, kind }))
    }
    if (hits() < wanted)
      into.broken.push({
        schedule: 'none',
        violations: [`unmet: ${kind} at ${operation}, ${hits()} of ${wanted}`],
      })
  }
}

const operationsOf = ({ runs }: Verdict): readonly OperationName[] => runs[0]?.operations ?? []

const placesOf = (operation: OperationName, all: readonly OperationName[], from: number): number[] =>
  all.flatMap((one, index) => (one === operation && index >= from ? [index] : []))

/** With the same seed, everything is equal up to the second fault. */
const struck = (schedule: Schedule, strike: Strike): Schedule => ({
  ...schedule,
  runs: [[...(schedule.runs[0] ?? []), strike]],
})

/** Every case on every service, once, with one fault. */
export async function tour(seed: number): Promise<Tally> {
  const tally = emptyTally()
  const random = seededRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  for (const [turn, unit] of UNITS.entries()) {
    const kind = ALL_KINDS[(turn + seed) % ALL_KINDS.length] ?? 'lost-after'
    const schedule = {
      case: unit.case,
      profile: unit.profile,
      seed: pick(1_000_000),
      runs: [[{ index: pick(12), kind }]],
    }
    record(tally, schedule, await play(schedule))
  }
  return tally
}

/** Every fault at every request of a run: of every case, or of one, on a service that the seed chooses. */
export async function always(seed: number, isWhole: boolean): Promise<Tally> {
  const tally = emptyTally()
  for (const [turn, kind] of ALL_KINDS.entries())
    for (const unit of UNITS.filter((_, index) => index % SERVICES === (turn + seed) % SERVICES)) {
      if (!isWhole && unit.case !== CASES[(turn + seed) % CASES.length]?.name) continue
      const { case: name, profile } = unit
      const schedule = { case: name, profile, seed: seed * 1_000 + turn, runs: [[{ index: EVERY, kind }]] }
      record(tally, schedule, await play(schedule))
    }
  return tally
}
