import type { Profile, SandboxSeed } from '../../src/sandbox/index.ts'
import { type Case, caseNamed } from './cases.ts'
import { type End, runEngine } from './engine.ts'
import { isKind, type Strike } from './faults.ts'
import { judge } from './judge.ts'
import { PROFILES } from './profiles.ts'
import { SimulatedService } from './service.ts'
import { expectedManaged, type Held, held, type Parts, partsOf } from './state.ts'
import { StandstillError, VirtualTime } from './time.ts'
import { type Hit, type Memory, Wire } from './wire.ts'

/** Everything that a schedule depends on. `runs` are the faults of each run; a quiet one follows where it is needed. */
export interface Schedule {
  readonly case: string
  readonly profile: string
  readonly seed: number
  readonly runs: readonly (readonly Strike[])[]
}

/** One run of a schedule: how it ended, and what was true then. */
export interface Ran {
  readonly end: End
  readonly held: Held
  readonly snapshot: SandboxSeed
  readonly hits: readonly Hit[]
  readonly operations: Wire['operations']
  readonly isQuiet: boolean
}

export interface Verdict {
  readonly violations: readonly string[]
  readonly runs: readonly Ran[]
  readonly requests: number
}

/** `mixed default 7 3=lost-after,5=html-before|0=kill-after` */
export function printSchedule({ case: name, profile, seed, runs }: Schedule): string {
  const printed = runs.map(strikes => strikes.map(({ index, kind }) => `${index}=${kind}`).join(','))
  return `${name} ${profile} ${seed} ${printed.join('|') || '-'}`
}

export function parseSchedule(text: string): Schedule {
  const [name = '', profile = '', seed = '', faults = '-'] = text.trim().split(/\s+/)
  const runs =
    faults === '-' ? [[]] : faults.split('|').map(run => run.split(',').filter(Boolean).map(parseStrike))
  return { case: name, profile, seed: Number(seed), runs }
}

function parseStrike(text: string): Strike {
  const [index = '', kind = ''] = text.split('=')
  if (!isKind(kind)) throw new RangeError(`there is no fault "${kind}"`)
  return { index: Number(index), kind }
}

/** Runs it to its end and says what was broken. The same schedule gives the same verdict, always. */
export async function play(schedule: Schedule): Promise<Verdict> {
  const profile = PROFILES[schedule.profile]
  if (profile === undefined) throw new RangeError(`there is no profile "${schedule.profile}"`)
  return await playOn(caseNamed(schedule.case), profile, schedule)
}

async function playOn(one: Case, profile: Partial<Profile>, schedule: Schedule): Promise<Verdict> {
  const time = new VirtualTime(schedule.seed)
  const service = new SimulatedService(one.seed, profile, time.date)
  const memory: Memory = { last: undefined, lists: new Map() }
  const concurrency = 1 + time.pick(6)
  const parts = partsFor(one)
  const truth = { managed: managedFor(one), foreign: held(service.snapshot(), parts).foreign }
  const runs: Ran[] = []
  let requests = 0
  const run = async (strikes: readonly Strike[]): Promise<void> => {
    service.run = runs.length
    time.skip(60_000)
    service.catchUp()
    const wire = new Wire(service, time, strikes, memory, profile)
    const end = await runEngine({ desired: one.desired, wire, time, concurrency }).catch(stuck)
    requests += wire.operations.length
    const { hits, operations } = wire
    const snapshot = service.snapshot()
    runs.push({ end, hits, operations, snapshot, held: held(snapshot, parts), isQuiet: strikes.length === 0 })
  }
  for (const strikes of schedule.runs) await run(strikes)
  if (runs.at(-1)?.isQuiet !== true && runs.at(-1)?.end.exitCode !== 0) await run([])
  return { violations: judge(truth, service, runs), runs, requests }
}

const knownParts = new WeakMap<Case, Parts>()
const knownManaged = new WeakMap<Case, string>()

function partsFor(one: Case): Parts {
  const known = knownParts.get(one) ?? partsOf(one.seed, one.desired)
  knownParts.set(one, known)
  return known
}

function managedFor(one: Case): string {
  const known = knownManaged.get(one) ?? expectedManaged(one.seed, one.desired).join('\n')
  knownManaged.set(one, known)
  return known
}

const stuck = (error: unknown): End => {
  if (error instanceof StandstillError) return { error }
  throw error
}
