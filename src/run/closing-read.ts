import { observe, observeSets } from '../api/observe.ts'
import type { Answers } from '../apply/answers.ts'
import type { Closing, StepResult } from '../apply/outcome.ts'
import { looksLikeSecret } from '../config/lint.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedState } from '../model/variable-set.ts'
import type { ApplyRun } from './apply-run.ts'
import { asksAgain, judgeClosing } from './closing.ts'

/** A service may show a write late: so often is it read again, after so many milliseconds (docs/fault-model.md F-33). */
const WAITS = [250, 500, 1_000, 2_000] as const

/**
 * Reads the service after an apply and says what is left to do. Read again only while the service does not show yet what
 * is said to have succeeded: a run right after this one would take what is late for missing, and make it twice.
 */
export async function closingRead(
  run: ApplyRun,
  results: readonly StepResult[],
  answers: Answers,
): Promise<Closing> {
  const failed = results.some(({ outcome }) => outcome.status !== 'succeeded')
  let closing = await readOnce(run, results, answers)
  for (const wait of WAITS) {
    if (failed ? !asksAgain(closing, results) : closing.state !== 'differs') break
    if (run.stop.aborted) break
    await run.sleep(wait, run.stop)
    closing = await readOnce(run, results, answers)
  }
  return closing
}

async function readOnce(run: ApplyRun, results: readonly StepResult[], answers: Answers): Promise<Closing> {
  const { prepared, service } = run
  const { plan, resolved, names, adopt } = prepared
  try {
    const observed = await observeAfter(run, results, answers)
    const reads = service.requests().reads
    const options = {
      address: service.address,
      only: plan.only,
      reads,
      names,
      adopt,
      looksSecret: looksLikeSecret,
    }
    const closing = judgeClosing(resolved, observed, options)
    const overtaken = closing.state === 'equal' ? overtakenSets(observed, results, answers) : []
    if (overtaken.length === 0) return closing
    const { sets } = await observeSets(service.reader, overtaken, run.abandon)
    const others = observed.sets.filter(({ id }) => !overtaken.includes(id))
    return judgeClosing(resolved, { ...observed, sets: [...others, ...sets] }, options)
  } catch (error) {
    return {
      state: 'unread',
      message: error instanceof Error ? error.message : 'the service could not be read',
    }
  }
}

/**
 * The cheaper of the whole listing and one read a touched set; an absent one needs proof that the rest is readable, and a
 * set whose deletion was never confirmed is asked for by itself: a list that leaves it out is not enough.
 */
async function observeAfter(
  run: ApplyRun,
  results: readonly StepResult[],
  answers: Answers,
): Promise<ObservedState> {
  const observed = await observeTouched(run, results, answers)
  const listed = new Set(observed.sets.map(({ id }) => id))
  const doubtful = results.flatMap(({ step: { operation }, outcome }) =>
    operation.type === 'delete-set' && outcome.status === 'unknown' && !listed.has(operation.subject.id)
      ? [operation.subject.id]
      : [],
  )
  const hidden = [...doubtful, ...madeBeside(observed, results, answers)]
  const { sets } = await observeSets(run.service.reader, hidden, run.abandon)
  return sets.length === 0 ? observed : { ...observed, sets: [...observed.sets, ...sets] }
}

/**
 * Sets that show a variable which we wrote, and not in the version that answered our write: somebody else wrote it as well,
 * and a list that is behind may show theirs alone (docs/fault-model.md F-24, F-33).
 */
function overtakenSets(
  observed: ObservedState,
  results: readonly StepResult[],
  answers: Answers,
): readonly VariableSetId[] {
  const sets = new Map(observed.sets.map(set => [set.id, set]))
  const found = results.flatMap(({ step: { id, operation } }) => {
    const answer = answers.get(id)
    const setId = operation.subject.id ?? answer?.setId
    const set = setId === undefined ? undefined : sets.get(setId)
    const isOther = [...(answer?.versions ?? [])].some(([key, version]) =>
      set?.variables.every(variable => variable.key !== key || variable.versionId !== version),
    )
    return set !== undefined && isOther ? [set.id] : []
  })
  return [...new Set(found)]
}

/**
 * Sets that were made and are not listed yet, while another one of their name is: somebody else made it at that moment,
 * and a list that is behind must not pass theirs off as ours (docs/fault-model.md F-24, F-33).
 */
function madeBeside(
  observed: ObservedState,
  results: readonly StepResult[],
  answers: Answers,
): readonly VariableSetId[] {
  const named = new Set(observed.sets.map(({ name }) => name))
  return results.flatMap(({ step: { id, operation } }) => {
    const made = operation.type === 'create-set' ? answers.get(id)?.setId : undefined
    const isBeside = named.has(operation.subject.name) && observed.sets.every(set => set.id !== made)
    return made !== undefined && isBeside ? [made] : []
  })
}

async function observeTouched(
  { prepared, service, abandon }: ApplyRun,
  results: readonly StepResult[],
  answers: Answers,
): Promise<ObservedState> {
  const { plan, observed } = prepared
  const touched = touchedSets(results, answers)
  const deletes = plan.steps.some(step => step.operation.type === 'delete-set')
  if (touched === undefined || deletes || plan.owner !== undefined || touched.size >= observed.pages)
    return await observe(service.reader, plan.organization, { signal: abandon })
  const { sets, absent } = await observeSets(service.reader, [...touched], abandon)
  if (absent.length > 0) return await observe(service.reader, plan.organization, { signal: abandon })
  return { ...observed, sets: [...observed.sets.filter(set => !touched.has(set.id)), ...sets] }
}

/** Ids of every set that a step was sent for; none where a created set's id is not known. */
function touchedSets(
  results: readonly StepResult[],
  answers: Answers,
): ReadonlySet<VariableSetId> | undefined {
  const ids = new Set<VariableSetId>()
  for (const { step, outcome } of results) {
    if (outcome.status === 'skipped') continue
    const id = step.operation.subject.id ?? answers.get(step.id)?.setId
    if (id === undefined) return undefined
    ids.add(id)
  }
  return ids
}
