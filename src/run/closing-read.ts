import { observe, observeSets } from '../api/observe.ts'
import { showsEntries } from '../apply/inventory-writes.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { isHalfMade } from '../plan/completion.ts'
import { canBeVerified, isDone, isOvertaken } from '../plan/equality.ts'
import { secretsSent, setFinder } from '../plan/items.ts'
import type { OperationId } from '../plan/operation.ts'
import { type ApplyRun, type Evidence, NOTHING_READ, type ReportedWrites } from './apply-run.ts'
import { asksAgain, judgeRead } from './closing.ts'

/** A service may show a write late. Milliseconds before each repeated read (docs/fault-model.md F-33). */
const WAITS = [250, 500, 1_000, 2_000] as const

/**
 * Reads the service after an apply, and finds what is left to do. It repeats the read only while the service does not show a
 * write that succeeded: the next run would take a late object for a missing one, and create it twice.
 */
export async function closingRead(run: ApplyRun, told: ReportedWrites): Promise<Evidence> {
  const failed = told.results.some(({ outcome }) => outcome.status !== 'succeeded')
  let evidence = await readOnce(run, told)
  for (const wait of WAITS) {
    const { closing, moved, isListed } = evidence
    const isBehind = failed ? asksAgain(closing, told.results) : closing.state === 'differs'
    if (!isBehind && isListed && ![...moved.values()].includes(false)) break
    if (run.stop.aborted) break
    await run.sleep(wait, run.stop)
    evidence = await readOnce(run, told)
  }
  return evidence
}

async function readOnce(run: ApplyRun, told: ReportedWrites): Promise<Evidence> {
  const { prepared } = run
  try {
    const { unread, ...observed } = await observeAfter(run, told)
    const evidenceIn = (read: ObservedState): Evidence => {
      const { state, closing } = judgeRead(run, told, read)
      const setOf = setFinder(state)
      return {
        closing: closing.state === 'equal' && unread > 0 ? { ...closing, unread } : closing,
        moved: movedIn(state, prepared.observed, told),
        isVisible: operation => canBeVerified(operation) && isDone(operation, setOf(operation)),
        showsPart: operation => {
          const set = setOf(operation)
          return operation.type === 'create-set' && set !== undefined && isHalfMade(operation, set)
        },
        overtaken: operation => isOvertaken(operation, setOf(operation)),
        isListed: showsEntries(state, prepared.plan.owner, told.listed),
      }
    }
    const evidence = evidenceIn(observed)
    if (evidence.closing.state !== 'equal') return evidence
    const read = await reread(run, observed, overtakenSets(observed, told))
    return read === observed ? evidence : evidenceIn(read)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'the service could not be read'
    return { ...NOTHING_READ, closing: { state: 'unread', message } }
  }
}

/**
 * A service with versions changes them with every write. An unchanged version shows that nothing was written. A version that
 * equals the one in our response shows that our write arrived.
 */
function movedIn(
  now: ObservedState,
  before: ObservedState,
  { results, answers }: ReportedWrites,
): ReadonlyMap<OperationId, boolean> {
  const moved = new Map<OperationId, boolean>()
  const sent = results.filter(
    ({ step, outcome }) => outcome.status !== 'skipped' && secretsSent(step.operation).length > 0,
  )
  if (sent.length === 0) return moved
  const [earlier, later] = [versionsIn(before), versionsIn(now)]
  for (const { step } of sent) {
    const { operation } = step
    if (operation.type === 'update-variable') {
      const [was, is] = [earlier.get(operation.variableId), later.get(operation.variableId)]
      if (was !== undefined && is !== undefined) moved.set(step.id, was !== is)
    } else {
      const keys = new Set(secretsSent(operation))
      const made = answers.get(step.id)?.variables.filter(({ key }) => keys.has(key)) ?? []
      const isThere = made.every(
        ({ id, versionId }) => versionId !== undefined && later.get(id) === versionId,
      )
      if (isThere && made.length === keys.size) moved.set(step.id, true)
    }
  }
  return moved
}

const versionsIn = ({ sets }: ObservedState): ReadonlyMap<VariableId, string | undefined> =>
  new Map(sets.flatMap(set => set.variables.map(({ id, versionId }) => [id, versionId] as const)))

/**
 * Uses the cheaper of listing all sets and one read for each touched set. A missing set needs proof that the others are
 * readable. A set whose deletion was never confirmed is read by itself, because a list without it is not enough.
 */
async function observeAfter(run: ApplyRun, told: ReportedWrites): Promise<ClosingState> {
  const observed = await observeTouched(run, told)
  const listed = new Set(observed.sets.map(({ id }) => id))
  const doubtful = told.results.flatMap(({ step: { operation }, outcome }) =>
    operation.type === 'delete-set' && outcome.status === 'unknown' && !listed.has(operation.subject.id)
      ? [operation.subject.id]
      : [],
  )
  return await reread(run, observed, [...doubtful, ...madeBeside(observed, told)])
}

/** The state with these sets as each is when it is read by itself. */
async function reread<S extends ObservedState>(
  { service, abandon }: ApplyRun,
  state: S,
  ids: readonly VariableSetId[],
): Promise<S> {
  if (ids.length === 0) return state
  const { sets } = await observeSets(service.reader.until(abandon), ids)
  return { ...state, sets: [...state.sets.filter(({ id }) => !ids.includes(id)), ...sets] }
}

/**
 * Sets with a variable that we wrote, and whose version is not the one in our response: somebody else wrote it as well, and a
 * late list may show only their value (docs/fault-model.md F-24, F-33).
 */
function overtakenSets(
  observed: ObservedState,
  { results, answers }: ReportedWrites,
): readonly VariableSetId[] {
  const sets = new Map(observed.sets.map(set => [set.id, set]))
  const found = results.flatMap(({ step: { id, operation } }) => {
    const answer = answers.get(id)
    const setId = operation.subject.id ?? answer?.setId
    const set = setId && sets.get(setId)
    const isOther = answer?.variables.some(
      ({ key, versionId }) =>
        versionId !== undefined &&
        set?.variables.every(variable => variable.key !== key || variable.versionId !== versionId),
    )
    return set !== undefined && isOther === true ? [set.id] : []
  })
  return [...new Set(found)]
}

/**
 * Sets that we created and that the list does not show, while it shows another set with the name. Somebody else created it at
 * the same time, and a late list must not pass it off as ours (docs/fault-model.md F-24, F-33).
 */
function madeBeside(observed: ObservedState, { results, answers }: ReportedWrites): readonly VariableSetId[] {
  return results.flatMap(({ step: { id, operation } }) => {
    const made = operation.type === 'create-set' ? answers.get(id)?.setId : undefined
    const isBeside =
      operation.type === 'create-set' &&
      observed.sets.some(({ name }) => name === operation.after.name) &&
      observed.sets.every(set => set.id !== made)
    return made !== undefined && isBeside ? [made] : []
  })
}

/** `unread`: the number of sets that were not read again. */
type ClosingState = ObservedState & { readonly unread: number }

async function observeTouched(
  { prepared, service, abandon }: ApplyRun,
  told: ReportedWrites,
): Promise<ClosingState> {
  const { plan, observed } = prepared
  const reader = service.reader.until(abandon)
  const whole = async (): Promise<ClosingState> => ({
    ...(await observe(reader, plan.organization)),
    unread: 0,
  })
  const touched = touchedSets(told)
  const deletes = plan.steps.some(step => step.operation.type === 'delete-set')
  if (touched === undefined || deletes || plan.owner !== undefined || touched.size >= observed.pages)
    return await whole()
  const { sets, absent } = await observeSets(reader, [...touched])
  if (absent.length > 0) return await whole()
  const others = observed.sets.filter(set => !touched.has(set.id))
  return { ...observed, sets: [...others, ...sets], unread: others.length }
}

/** The id of every set that a step was sent for; `undefined` if the id of a created set is unknown. */
function touchedSets({ results, answers }: ReportedWrites): ReadonlySet<VariableSetId> | undefined {
  const ids = new Set<VariableSetId>()
  for (const { step, outcome } of results) {
    if (outcome.status === 'skipped') continue
    const id = step.operation.subject.id ?? answers.get(step.id)?.setId
    if (id === undefined) return undefined
    ids.add(id)
  }
  return ids
}
