import { observeSets } from '../api/observe.ts'
import { applySteps, type Execute } from '../apply/apply.ts'
import type { Closing, StepResult } from '../apply/outcome.ts'
import { coveredSteps } from '../plan/covers.ts'
import { isDone } from '../plan/done.ts'
import type { Step } from '../plan/plan.ts'
import type { ApplyRun } from './apply-run.ts'

/**
 * Once, where every step is said to have succeeded and the service still shows what the plan should have removed (one
 * that ignores variables added in an update, say): the same changes as narrower operations. Nothing that was not in the
 * plan is done, and nothing that the set itself shows although the list does not. Results of what was sent.
 */
export async function secondRound(
  run: ApplyRun,
  execute: Execute,
  results: readonly StepResult[],
  closing: Closing,
): Promise<readonly StepResult[]> {
  if (closing.state !== 'differs' || run.stop.aborted) return []
  if (results.some(({ outcome }) => outcome.status !== 'succeeded')) return []
  const steps = await stillMissing(run, coveredSteps(run.prepared.plan, closing.remaining))
  return steps.length === 0 ? [] : (await applySteps(steps, execute, run)).results
}

/**
 * A list may lag behind the set that it lists: what the set shows is not sent again. Nothing is where the sets cannot be
 * read: much was written already, so a failure here must not end the run without its report.
 */
async function stillMissing({ service, abandon }: ApplyRun, steps: readonly Step[]): Promise<Step[]> {
  const ids = new Set(steps.flatMap(({ operation }) => ('setId' in operation ? [operation.setId] : [])))
  const read = observeSets(service.reader, [...ids], abandon)
  const { sets } = await read.catch(() => ({ sets: [] }))
  const missing = steps.filter(({ operation }) => {
    const set = sets.find(({ id }) => 'setId' in operation && id === operation.setId)
    return set !== undefined && !isDone(operation, set)
  })
  const kept = new Set(missing.map(step => step.id))
  return missing.map(step => ({ ...step, after: step.after.filter(id => kept.has(id)) }))
}
