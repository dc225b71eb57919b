import {
  AmbiguousResponseError,
  ApiError,
  IncompleteListingError,
  MalformedResponseError,
} from '../../../src/api/errors.ts'
import type { SandboxSeed } from '../../../src/sandbox/index.ts'
import { type ApiRequest, TransportError } from '../../../src/wire/transport.ts'
import { OLD_SECRET, OLD_TEXT, secretText } from './case.ts'
import { isAdvice } from './engine.ts'
import { HARMLESS } from './faults.ts'
import { effectOf } from './intent.ts'
import type { Ran } from './schedule.ts'
import type { Committed, SimulatedService } from './service.ts'
import { falseReports } from './told.ts'

/** What must be true in the end, and what must never change. */
export interface Truth {
  readonly seed: SandboxSeed
  readonly managed: string
  readonly foreign: string
  /** Names that our inventory must list in the end. The next run adds those that one run missed. */
  readonly listed: string
  /** The intent of the plan of a run without faults. */
  readonly intent: ReadonlySet<string>
  /** As the service stores names and keys. */
  readonly fold: (text: string) => string
}

/** All checks. Each violation begins with the name of its check. */
export const CHECKS = {
  lost: 'after at most one run without faults, the managed sets and our inventory equal the files',
  duplicate: 'no two sets have one name, and no two variables of a set have one key',
  'foreign-touched': 'unmanaged sets are unchanged, including times and versions',
  'false-success': 'exit code 0 and each successful step agree with the service and its log',
  'false-failure': 'a step that failed or was skipped changed nothing',
  'dishonest-exit': 'exit code 1 means that nothing was written',
  'not-repaired': 'the run without faults ends with exit code 0',
  'gave-up': 'a run recovers from one lost, late, refused or garbled response',
  monotone:
    'a fault never causes a write that is not a part of the plan without faults; the parts of a set that it creates may follow as single requests',
  'went-on': 'nothing is written after a signal or a rejected token',
  secret: 'no plan, result or error contains the value of a secret',
  endless: 'a run sends a bounded number of requests, whatever happens to each of them',
  crash: 'a failure of service or network ends as an error, and every run ends',
} as const

export type Check = keyof typeof CHECKS

export function judge(truth: Truth, service: SimulatedService, runs: readonly Ran[]): string[] {
  const found: string[] = []
  for (const [index, run] of runs.entries()) {
    const committed = service.committed.filter(commit => commit.run === index)
    for (const text of ofRun(run, committed, truth)) found.push(`${text} (run ${index + 1})`)
  }
  for (const text of ofEnd(runs.at(-1), truth)) found.push(text)
  return found
}

function* ofEnd(last: Ran | undefined, truth: Truth): Generator<string> {
  if (last === undefined) return
  const { held, isQuiet, end } = last
  if (isQuiet && end.exitCode !== 0)
    yield `not-repaired: exit code ${end.exitCode ?? 'none'}: ${whyNot(last)}`
  if (held.managed.join('\n') !== truth.managed) yield 'lost: the managed sets do not equal the files'
  if (isQuiet && held.listed.join(', ') !== truth.listed) yield 'lost: the inventory does not equal the files'
  if (held.duplicates.length > 0) yield `duplicate: ${held.duplicates.join(', ')}`
}

/** Far more than any case needs. */
const MOST_REQUESTS = 200

function* ofRun(run: Ran, committed: readonly Committed[], truth: Truth): Generator<string> {
  const { end, held, snapshot } = run
  const { exitCode, error, result } = end
  if (error !== undefined && !isExternalFailure(error)) yield `crash: ${String(error)}`
  const isReached = held.managed.join('\n') === truth.managed
  if (exitCode === 0 && !isReached) yield 'false-success: exit code 0'
  if (held.foreign !== truth.foreign) yield 'foreign-touched: an unmanaged set has changed'
  if (run.left > MOST_REQUESTS) yield `endless: ${run.left} requests`
  if (exitCode === 1 && committed.length > 0)
    yield `dishonest-exit: 1, and ${committed.length} writes were executed`
  for (const told of result?.results ?? [])
    yield* falseReports(told, committed, snapshot, isReached, truth.fold)
  // The next run adds missing entries of an inventory.
  const isBehind =
    result?.inventory?.state === 'failed' && ['equal', 'not-needed'].includes(result.closing.state)
  const isHarmless = run.hits.length === 1 && HARMLESS.some(kind => kind === run.hits[0]?.kind)
  if (exitCode !== 0 && isHarmless && !isBehind && !isAdvice(end))
    yield `gave-up: exit code ${exitCode ?? 'none'}: ${whyNot(run)}`
  const [begun] = run.late
  if (begun !== undefined) yield `went-on: ${begun.method} ${begun.path}`
  yield* beyond(run.writes, snapshot, truth)
  for (const text of [...secretsInPlan(end.plan), ...secretsIn(printedOf(end))])
    yield `secret: ${text} is shown`
}

function* beyond(
  writes: readonly ApiRequest[],
  now: SandboxSeed,
  { seed, intent, fold }: Truth,
): Generator<string> {
  for (const request of writes) {
    const effects = effectOf(request, seed, now)
    if (!effects.some(effect => !intent.has(fold(effect))) || isInventory(request, effects, now)) continue
    yield `monotone: ${request.method} ${request.path}: ${effects.join(', ')}`
  }
}

const INVENTORY = 'setpoint-inventory-team'

const isInventory = (
  { path }: ApiRequest,
  [effect = '']: readonly string[],
  { sets = [] }: SandboxSeed,
): boolean =>
  effect === `set ${INVENTORY}` ||
  sets.some(({ id = '', name }) => name === INVENTORY && path.includes(`/${id}`))

const isExternalFailure = (error: unknown): boolean =>
  [ApiError, AmbiguousResponseError, IncompleteListingError, MalformedResponseError, TransportError].some(
    kind => error instanceof kind,
  )

const SECRETS = [OLD_SECRET, OLD_TEXT, ...['S', 'T', 'H', 'N', 'KEEP'].map(secretText)]
const secretsIn = (printed: string): string[] => SECRETS.filter(text => printed.includes(text))

const plansRead = new WeakMap<object, readonly string[]>()

function secretsInPlan(plan: object | undefined): readonly string[] {
  if (plan === undefined) return []
  const found = plansRead.get(plan) ?? secretsIn(JSON.stringify(plan))
  plansRead.set(plan, found)
  return found
}

function printedOf({ result, error, diagnostics }: Ran['end']): string {
  const told = error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : ''
  const { results, closing, stopped } = result ?? {}
  const outcomes = results?.map(({ outcome }) => outcome)
  const reason = closing?.state === 'unread' ? closing.message : ''
  return `${JSON.stringify([outcomes, reason, stopped, diagnostics])} ${told}`
}

function whyNot({ end }: Ran): string {
  if (end.error !== undefined) return String(end.error)
  if (end.diagnostics !== undefined) return end.diagnostics.map(one => one.message).join('; ')
  const bad = (end.result?.results ?? []).filter(({ outcome }) => outcome.status !== 'succeeded')
  return JSON.stringify([end.result?.closing.state, ...bad.map(({ step, outcome }) => [step.id, outcome])])
}
