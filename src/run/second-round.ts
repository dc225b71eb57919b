import { observeSets } from '../api/observe.ts'
import type { Answer, Answers } from '../apply/answers.ts'
import { applySteps, type Execute } from '../apply/apply.ts'
import type { Closing, StepResult } from '../apply/outcome.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { settingsDiffer } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import { showsInService } from '../plan/done.ts'
import { changeOf } from '../plan/equality.ts'
import { coveredSteps } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import { withSent } from '../plan/stored-text.ts'
import type { ApplyRun } from './apply-run.ts'
import { judgeClosing } from './closing.ts'
import { storedIn } from './stored.ts'

/**
 * Once, where every step is said to have succeeded and the service still shows what the plan should have removed (one
 * that ignores variables added in an update, say): the same changes as narrower operations. Nothing that was not in the
 * plan is done, nothing that the sets themselves show although the list does not, and nothing that an answer proved. Results
 * of what was sent.
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
  const steps = await stillMissing(run, results, answers)
  return steps.length === 0 ? [] : (await applySteps(steps, execute, run)).results
}

/**
 * What the touched sets by themselves lack: a list may lag behind them, and what it asks for could undo what was done.
 * Nothing is where they cannot be read: much was written already, so a failure here must not end the run without its
 * report.
 */
async function stillMissing(
  { prepared, service, abandon }: ApplyRun,
  results: readonly StepResult[],
  answers: Answers,
): Promise<readonly Step[]> {
  const { plan, resolved, observed, names, adopt } = prepared
  const touched = new Set<VariableSetId>([
    ...plan.steps.flatMap(({ operation }) => operation.subject.id ?? []),
    ...[...answers.values()].flatMap(({ setId }) => setId ?? []),
  ])
  const read = await observeSets(service.reader, [...touched], abandon).catch(() => undefined)
  if (read === undefined) return []
  const seen = [...observed.sets.filter(({ id }) => !touched.has(id)), ...read.sets]
  const sets = withSent(seen, storedIn({ ...observed, sets: seen }, resolved, results, answers))
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
  const steps = shown.remaining.steps.filter(
    ({ operation }) => showsInService(operation) && !isProven(operation, results, answers),
  )
  return coveredSteps(plan, steps)
}

/**
 * Whether an answer showed what is asked for: then the read is behind, or somebody else undid it, and sending it again could make
 * it twice.
 */
const isProven = (asked: Operation, results: readonly StepResult[], answers: Answers): boolean =>
  results.some(({ step: { id, operation } }) => {
    const answer = answers.get(id)
    if (answer === undefined || asked.subject.id === undefined) return false
    return (operation.subject.id ?? answer.setId) === asked.subject.id && proves(answer, asked)
  })

function proves({ settings, variables }: Answer, asked: Operation): boolean {
  if (asked.type === 'create-variable') return variables.some(({ key }) => key === asked.after.key)
  if (asked.type === 'update-variable')
    return variables.some(shown => shown.key === asked.after.key && changeOf(shown, asked.after) === 'none')
  return asked.type === 'update-set' && settings !== undefined && !settingsDiffer(settings, asked.after)
}
