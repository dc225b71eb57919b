import type { ApplyResult } from '../apply/outcome.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan-data.ts'
import { isDrift } from '../plan/plan-findings.ts'
import type { ConfigurationReport } from '../report/index.ts'
import type { World } from './run.ts'

/** Exit codes, one table for code, help and docs. Below it, how each kind of run gets its own. */
export const EXIT = {
  done: 0,
  error: 1,
  changes: 2,
  partial: 3,
  refused: 4,
  interrupted: 130,
  terminated: 143,
} as const

/** Of a command that ends before it has a result. 4 if all that is wrong is that something was refused: then nothing was written. */
export const exitCodeOfMistakes = (mistakes: readonly Diagnostic[]): number =>
  mistakes.every(({ code }) => code === 'refused') ? EXIT.refused : EXIT.error

/** Of `plan --detailed-exitcode`. */
export const exitCodeOfPlan = (plan: Plan): number => (plan.blocked ? EXIT.refused : exitCodeOfSteps(plan))

/** To take a set from another owner is a change; to list an equal one that nobody lists is none. */
const exitCodeOfSteps = ({ steps, facts }: Plan): number =>
  steps.length > 0 || facts.inventory.taken.length > 0 ? EXIT.changes : EXIT.done

/** What no operation can mend is drift, and nothing that an apply would change. */
export const exitCodeOfDrift = (plan: Plan): number =>
  plan.facts.findings.some(isDrift) ? EXIT.changes : exitCodeOfSteps(plan)

/**
 * Of an apply that began and that no signal ended: 0 only if the closing read showed that nothing is left, 1 if certainly nothing was
 * written, 3 otherwise. An apply that was refused before it began has 4.
 */
export function exitCodeOfApply(ended: Omit<ApplyResult, 'exitCode'>, interrupted: boolean): number {
  const outcomes = ended.results.map(result => result.outcome.status)
  const clean = outcomes.every(status => status === 'succeeded') && ended.inventory?.state !== 'failed'
  if (clean && !interrupted && (ended.closing.state === 'equal' || outcomes.length === 0)) return EXIT.done
  const maybeListed = ended.inventory?.state !== 'none' && ended.requests.writes > 0
  const maybeWritten =
    maybeListed ||
    ended.results.some(({ isInPart }) => isInPart) ||
    outcomes.some(status => status === 'succeeded' || status === 'unknown')
  return maybeWritten ? EXIT.partial : EXIT.error
}

/** Of a run for several configurations: the gravest. If one was refused or failed after another was written, the run was partly applied. */
export function exitCodeOfAll(parts: readonly ConfigurationReport[]): number {
  const codes = parts.flatMap(({ code }) => code ?? [])
  const isBad = codes.some(code => code === EXIT.error || code === EXIT.refused)
  const wrote = parts.some(({ report }) => report?.kind === 'apply' && report.result.requests.writes > 0)
  if (codes.includes(EXIT.partial) || (isBad && wrote)) return EXIT.partial
  return [EXIT.error, EXIT.refused, EXIT.changes].find(code => codes.includes(code)) ?? EXIT.done
}

/** Success and drift mean that everything is known, so a missing report turns both into an error. */
export const failedAfter = (code: number): number =>
  code === EXIT.done || code === EXIT.changes ? EXIT.error : code

/** Of a run that a signal ended; `undefined` without a signal. */
export function codeOfSignal({ stoppedBy }: Pick<World, 'stoppedBy'>): number | undefined {
  const signal = stoppedBy()
  if (signal === undefined) return undefined
  return signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
}
