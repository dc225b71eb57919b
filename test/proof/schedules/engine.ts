import { openClient } from '../../../src/api/client.ts'
import { observe } from '../../../src/api/observe.ts'
import { createReader } from '../../../src/api/reader.ts'
import { createWriter } from '../../../src/api/writer.ts'
import type { ApplyResult } from '../../../src/apply/outcome.ts'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { Secret } from '../../../src/model/secret.ts'
import type { ObservedState, ResolvedState } from '../../../src/model/variable-set.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { carryOut } from '../../../src/run/apply.ts'
import type { Service } from '../../../src/run/service.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { planFrom } from '../../support/prepare.ts'
import { secretText } from './case.ts'
import type { VirtualTime } from './time.ts'
import type { Wire } from './wire.ts'

/** How one run of the program ended, as the command line would report it. */
export interface End {
  /** Undefined if the process was killed. */
  readonly exitCode?: number
  readonly plan?: Plan
  readonly result?: ApplyResult
  readonly diagnostics?: readonly Diagnostic[]
  /** An unexpected error: a failure of the environment, or a bug. */
  readonly error?: unknown
}

const ADDRESS = 'https://service.test'

export interface Running {
  readonly desired: ResolvedState
  readonly wire: Wire
  /** Between the program and the wire; by default, nothing. */
  readonly transport?: Transport
  readonly time: VirtualTime
  readonly concurrency: number
  /** Names of the selected sets; without it, all sets. */
  readonly only?: readonly string[]
  /** Receives the plan before anything is written, even if the process is killed later. */
  readonly onPlan?: (plan: Plan) => void
}

/** Plans and applies with everything between the program and the network, until it ends or is killed. */
export async function runEngine(running: Running): Promise<End> {
  const { wire, time } = running
  let end: End | undefined
  planAndApply(running).then(
    done => {
      end = done
    },
    error => {
      end = { exitCode: 1, error }
    },
  )
  await time.drive(() => end !== undefined || wire.killed)
  return end ?? {}
}

/** A name or a key that the service already has in another form. */
export const isAdvice = ({ diagnostics = [] }: End): boolean =>
  diagnostics.some(({ code, severity }) => code === 'stored-otherwise' && severity === 'error')

type Planned = ReturnType<typeof planFrom>

/** Enough for the initial state of a case, as services of different profiles show it. */
const MOST_PLANS = 20

const plans = new WeakMap<ResolvedState, Map<string, Planned>>()

/** Cached, because most schedules begin with a plan from the same two states. */
function planOnce(desired: ResolvedState, observed: ObservedState, only: readonly string[]): Planned {
  const known = plans.get(desired) ?? new Map<string, Planned>()
  plans.set(desired, known)
  const state = JSON.stringify([observed, only])
  const before = known.get(state)
  if (before !== undefined) return before
  const planned = planFrom(desired, observed, { address: ADDRESS, only, reads: 1 })
  if (known.size < MOST_PLANS) known.set(state, planned)
  return planned
}

async function planAndApply(running: Running): Promise<End> {
  const { desired, wire, transport = wire.transport, time, concurrency, only = [], onPlan } = running
  const timing = { now: time.now, sleep: time.sleep, random: time.random }
  const line = openClient(transport, { timing, stop: wire.stop })
  const service: Service = {
    address: ADDRESS,
    reader: createReader(line.reading),
    writer: () => createWriter(line.transport),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
  const observed = await observe(service.reader, desired.organization)
  const { value: prepared, diagnostics } = planOnce(desired, observed, only)
  if (prepared === undefined) return { exitCode: 1, diagnostics }
  const { plan } = prepared
  onPlan?.(plan)
  if (plan.steps.length === 0 && plan.facts.inventory.requests === 0) return { exitCode: 0, plan }
  const applied = await carryOut({
    made: prepared,
    service,
    secrets: name => new Secret(secretText(name)),
    concurrency,
    failFast: false,
    stop: wire.stop,
    abandon: new AbortController().signal,
    sleep: time.sleep,
  })
  if (applied.result === undefined) return { exitCode: 1, plan, diagnostics: applied.diagnostics }
  return { exitCode: applied.result.exitCode, plan, result: applied.result }
}
