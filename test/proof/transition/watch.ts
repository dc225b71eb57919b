import type { Plan } from '../../../src/plan/plan-data.ts'
import type { SandboxOptions, SandboxSeed, SetSeed } from '../../../src/sandbox/index.ts'
import type { Pair } from '../../support/repository.ts'
import { PLACES, seedFrom, WORKSPACES } from '../../support/world.ts'
import { type End, runEngine } from '../schedules/engine.ts'
import type { OperationName, Strike } from '../schedules/faults.ts'
import { SimulatedService } from '../schedules/service.ts'
import { StandstillError, VirtualTime } from '../schedules/time.ts'
import { type Memory, Wire } from '../schedules/wire.ts'
import { type Judged, judge, type Watched } from './judge.ts'
import type { Move } from './moves.ts'
import { addSight, allVarsOf, History, type Seen, type SeenValue } from './sight.ts'

export interface Transition extends Judged {
  readonly writes: number
  readonly requests: number
  /** The requests of the first run. */
  readonly operations: readonly OperationName[]
  /** The number of gaps that the first plan names. */
  readonly gaps: number
  /** Whether nothing was written, because the states contradict each other or are equal. */
  readonly isIdle: boolean
}

/** Makes every hidden value unique, so that mixed-up secrets are noticed. */
const distinct = (set: SetSeed): SetSeed => ({
  ...set,
  variables: (set.variables ?? []).map(variable =>
    variable.sensitive === true ? { ...variable, value: `hidden in ${set.name} ${variable.key}` } : variable,
  ),
})

export const seedOf = ({ observed }: Pick<Pair, 'observed'>): SandboxSeed => ({
  ...PLACES,
  sets: observed.sets.map(seedFrom).map(distinct),
})

/**
 * One run for each list of faults, then one without faults, in virtual time and without other writers. After each executed write
 * it reads what every workspace sees.
 */
export async function watch(
  pair: Move,
  seed: number,
  faults: readonly (readonly Strike[])[],
  { profile = {}, traits }: Pick<SandboxOptions, 'profile' | 'traits'> = {},
): Promise<Transition> {
  const time = new VirtualTime(seed)
  const service = new SimulatedService(seedOf(pair), profile, time.date, traits)
  const memory: Memory = { last: undefined, lists: new Map() }
  const history = new History()
  const concurrency = 1 + time.pick(8)
  const runs: Watched[] = []
  const ends: { readonly end: End; readonly wire: Wire }[] = []
  const look = (): Seen => sightOf(service, history)
  for (const strikes of [...faults, []]) {
    time.skip(60_000)
    const run: Watched = { old: look(), plan: undefined, seen: [] }
    runs.push(run)
    service.onWrite = () => run.seen.push(look())
    const onPlan = (plan: Plan): void => {
      run.plan = plan
    }
    const wire = new Wire(service, time, strikes, memory, profile)
    const end = await runEngine({ ...pair, wire, time, concurrency, onPlan }).catch(stuck)
    ends.push({ end, wire })
  }
  const judged = judge(runs, look(), history)
  const end = ends.at(-1)?.end
  const isRefused = end?.diagnostics !== undefined && runs.every(({ seen }) => seen.length === 0)
  return {
    ...judged,
    broken: [
      ...(end?.exitCode === 0 || isRefused ? [] : [`the run without faults ends with ${end?.exitCode}`]),
      ...judged.broken,
    ],
    writes: runs.reduce((sum, { seen }) => sum + seen.length, 0),
    requests: ends.reduce((sum, { wire }) => sum + wire.left, 0),
    operations: ends[0]?.wire.operations ?? [],
    gaps: runs[0]?.plan?.facts.transition.gaps.length ?? 0,
    isIdle: runs.every(({ seen }) => seen.length === 0),
  }
}

const stuck = (error: unknown): End => {
  if (error instanceof StandstillError) return { error }
  throw error
}

function sightOf(service: SimulatedService, history: History): Seen {
  history.add(service.snapshot())
  const sight = new Map<string, SeenValue>()
  for (const workspace of WORKSPACES)
    addSight(sight, workspace, service.handle(allVarsOf(workspace)), history.textOf)
  return sight
}
