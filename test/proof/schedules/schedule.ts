import type { Profile, SandboxSeed } from '../../../src/sandbox/index.ts'
import { serverOf } from '../../../src/sandbox/profile.ts'
import type { ApiRequest, Transport } from '../../../src/wire/transport.ts'
import { type Case, onService } from './case.ts'
import { caseNamed } from './cases.ts'
import { type End, isAdvice, runEngine } from './engine.ts'
import { EVERY, isKind, type Strike } from './faults.ts'
import { intentOf } from './intent.ts'
import { judge, type Truth } from './judge.ts'
import { PROFILES } from './profiles.ts'
import { SimulatedService } from './service.ts'
import { allItemsOf, expectedListed, expectedManaged, type Held, held, type Parts } from './state.ts'
import { StandstillError, VirtualTime } from './time.ts'
import { type Hit, type Memory, Wire } from './wire.ts'

/** Everything that a schedule depends on. `runs` contains the faults of each run. A run without faults follows if needed. */
export interface Schedule {
  readonly case: string
  readonly profile: string
  readonly seed: number
  readonly runs: readonly (readonly Strike[])[]
}

/** One run of a schedule: its end, and the state at that time. */
export interface Ran {
  readonly end: End
  readonly held: Held
  readonly snapshot: SandboxSeed
  readonly hits: readonly Hit[]
  readonly operations: Wire['operations']
  /** Number of requests that the program sent. The process may be killed before they arrive. */
  readonly left: number
  readonly writes: readonly ApiRequest[]
  readonly late: readonly ApiRequest[]
  readonly concurrency: number
  readonly isQuiet: boolean
}

/** A deliberate defect of the program, where it meets its surroundings. It shows that a check finds something. */
export interface Defect {
  /** Between the program and the network. */
  readonly transport?: (next: Transport) => Transport
  /** What the program reports. */
  readonly end?: (end: End) => End
}

export interface Verdict {
  readonly violations: readonly string[]
  readonly runs: readonly Ran[]
  readonly requests: number
}

/** `mixed hcp 7 3=lost-after,5=html-before|0=kill-after`; `*=html-after` meets every request. */
export function printSchedule({ case: name, profile, seed, runs }: Schedule): string {
  const printed = runs.map(strikes =>
    strikes.map(({ index, kind }) => `${index === EVERY ? '*' : index}=${kind}`).join(','),
  )
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
  return { index: index === '*' ? EVERY : Number(index), kind }
}

/** A case on a service, and everything that is needed to judge its schedules. */
interface Stage {
  readonly one: Case
  readonly profile: Partial<Profile>
  readonly parts: Parts
  readonly truth: Truth
}

const stages = new Map<string, Promise<Stage>>()

function stageOf(name: string, profileName: string): Promise<Stage> {
  const place = `${name} ${profileName}`
  const stage = stages.get(place) ?? setStage(name, profileName)
  stages.set(place, stage)
  return stage
}

async function setStage(name: string, profileName: string): Promise<Stage> {
  const profile = PROFILES[profileName]
  if (profile === undefined) throw new RangeError(`there is no profile "${profileName}"`)
  const named = caseNamed(name)
  const one = onService(named, serverOf(profile))
  const parts = allItemsOf(one.seed, one.desired)
  const time = new VirtualTime(1)
  const service = new SimulatedService(one.seed, profile, time.date)
  const end = one.advised ?? one.desired
  const fold = (text: string): string => (one.advised === undefined ? text : text.toLowerCase())
  const truth = {
    seed: one.seed,
    managed: expectedManaged(one.seed, end).join('\n'),
    listed: expectedListed(end),
    fold,
    foreign: held(service.snapshot(), parts).foreign,
  }
  const wire = new Wire(service, time, [], emptyMemory(), profile)
  const { plan } = await runEngine({ desired: one.desired, wire, time, concurrency: 1 })
  const meant = intentOf((plan?.steps ?? []).map(({ operation }) => operation))
  const intent = new Set([...meant].map(fold))
  return { one, profile, parts, truth: { ...truth, intent } }
}

const emptyMemory = (): Memory => ({ last: undefined, lists: new Map() })

/** Plays a schedule to its end and reports what it broke. The same schedule always gives the same result. */
export async function play(schedule: Schedule, defect: Defect = {}): Promise<Verdict> {
  const { one, profile, parts, truth } = await stageOf(schedule.case, schedule.profile)
  const time = new VirtualTime(schedule.seed)
  const service = new SimulatedService(one.seed, profile, time.date)
  const memory = emptyMemory()
  const concurrency = 1 + time.pick(6)
  const runs: Ran[] = []
  let { desired } = one
  const run = async (strikes: readonly Strike[]): Promise<void> => {
    service.run = runs.length
    time.skip(60_000)
    service.catchUp()
    const wire = new Wire(service, time, strikes, memory, profile)
    const transport = defect.transport?.(wire.transport) ?? wire.transport
    const told = await runEngine({ desired, wire, transport, time, concurrency }).catch(stuck)
    const end = defect.end?.(told) ?? told
    // Whoever is told what to write writes it.
    if (isAdvice(end)) desired = one.advised ?? desired
    const snapshot = service.snapshot()
    const { hits, operations, left, writes, late } = wire
    const isQuiet = strikes.length === 0
    const seen = { hits, operations, left, writes, late, snapshot, held: held(snapshot, parts) }
    runs.push({ end, ...seen, concurrency, isQuiet })
  }
  for (const strikes of schedule.runs) await run(strikes)
  const last = runs.at(-1)
  if (last?.isQuiet !== true && (last?.end.exitCode !== 0 || parts.inventory !== undefined)) await run([])
  const told = runs.at(-1)
  if (told !== undefined && isAdvice(told.end)) await run([])
  const requests = runs.reduce((sum, { left }) => sum + left, 0)
  return { violations: judge(truth, service, runs), runs, requests }
}

const stuck = (error: unknown): End => {
  if (error instanceof StandstillError) return { error }
  throw error
}
