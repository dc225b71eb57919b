import { observeSets } from '../api/observe.ts'
import type { Answers } from '../apply/answers.ts'
import { applySteps, type Execute } from '../apply/apply.ts'
import type { Closing, StepResult } from '../apply/outcome.ts'
import { looksLikeSecret } from '../config/lint.ts'
import type { VariableSetId } from '../model/ids.ts'
import { coveredSteps } from '../plan/covers.ts'
import { showsInService } from '../plan/done.ts'
import type { Step } from '../plan/plan.ts'
import type { ApplyRun } from './apply-run.ts'
import { judgeClosing } from './closing.ts'

/**
 * Once, where every step is said to have succeeded and the service still shows what the plan should have removed (one
 * that ignores variables added in an update, say): the same changes as narrower operations. Nothing that was not in the
 * plan is done, and nothing that the sets themselves show although the list does not. Results of what was sent.
 */
export async function secondRound(
  run: ApplyRun,
  execute: Execute,
  results: readonly StepResult[],
  closing: Closing,
  answers: Answers,
): Promise<readonly StepResult[]> {
  if (closing.state !== 'differs' || run.stop.aborted) return []
  if (results.some(({ outcome }) => outcome.status !== 'succeeded')) return []
  const steps = await stillMissing(run, answers)
  return steps.length === 0 ? [] : (await applySteps(steps, execute, run)).results
}

/**
 * What the touched sets by themselves lack: a list may lag behind them, and what it asks for could undo what was done.
 * Nothing is where they cannot be read: much was written already, so a failure here must not end the run without its
 * report.
 */
async function stillMissing(
  { prepared, service, abandon }: ApplyRun,
  answers: Answers,
): Promise<readonly Step[]> {
  const { plan, resolved, observed, names, adopt } = prepared
  const touched = new Set<VariableSetId>([
    ...plan.steps.flatMap(({ operation }) => operation.subject.id ?? []),
    ...[...answers.values()].flatMap(({ setId }) => setId ?? []),
  ])
  const read = await observeSets(service.reader, [...touched], abandon).catch(() => undefined)
  if (read === undefined) return []
  const sets = [...observed.sets.filter(({ id }) => !touched.has(id)), ...read.sets]
  const options = {
    address: service.address,
    only: plan.only,
    reads: 0,
    names,
    adopt,
    looksSecret: looksLikeSecret,
  }
  const shown = judgeClosing(resolved, { ...observed, sets }, options)
  if (shown.state !== 'differs') return []
  const steps = shown.remaining.steps.filter(({ operation }) => showsInService(operation))
  return coveredSteps(plan, { ...shown.remaining, steps })
}
