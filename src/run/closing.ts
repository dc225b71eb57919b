import { observeSets } from '../api/observe.ts'
import { ANSWER_SHOWS } from '../apply/execute.ts'
import type { Closing, StepOutcome, StepResult, WriteProof, WriteProofs } from '../apply/outcome.ts'
import { applySteps } from '../apply/schedule.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { fieldsDiffer, settingsDiffer } from '../model/fields.ts'
import { nameOf, type VariableSetId } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { findRemaining } from '../plan/create.ts'
import { changeOf, hasArrived, showsInService } from '../plan/equality.ts'
import { asksAgainFor, coveredSteps, variableOf, variablesSent } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import { type EndsDiffer, storesAs, withSent } from '../plan/stored-text.ts'
import type { ApplyRun, Evidence, ReportedWrites, WritingRun } from './apply-run.ts'

/**
 * The state of the service after an apply, as the plan that would still be needed. Only an empty plan is reported as success.
 * Values that the service stored in another but equivalent form count as sent.
 */
export function judgeRead(
  { prepared, service }: Pick<ApplyRun, 'prepared' | 'service'>,
  { results, answers }: Pick<ReportedWrites, 'results' | 'answers'>,
  read: ObservedState,
): { readonly state: ObservedState; readonly closing: Closing } {
  const { plan, resolved, names, adopt } = prepared
  const found = storedIn(read, resolved, results, answers)
  const stored = found.length > 0 ? found : undefined
  const state = { ...read, sets: withSent(read.sets, found) }
  const { value: remaining, diagnostics } = findRemaining(resolved, state, {
    address: service.address,
    only: plan.only,
    reads: 0,
    names,
    adopt,
    looksSecret: looksLikeSecret,
    made: new Set([...answers.values()].flatMap(({ setId }) => setId ?? [])),
  })
  if (remaining === undefined) {
    const message = diagnostics.flatMap(({ message, hint = [] }) => [message].concat(hint)).join(' ')
    return { state, closing: { state: 'unread', message } }
  }
  const isEqual = remaining.steps.length === 0
  return { state, closing: isEqual ? { state: 'equal', stored } : { state: 'differs', remaining, stored } }
}

/**
 * Outcomes in the light of the closing read (docs/fault-model.md F-12, F-18). A step with a lost response has succeeded if the
 * read no longer needs it. A rewritten secret stays unknown, because the service shows the same either way. A step that the
 * service reported as done is unknown if the read needs it again, if the version of its variable did not change, or if its
 * response was only a status and the read failed. A refused step was not done, unless the read shows it or failed.
 */
export function settleOutcomes(
  results: readonly StepResult[],
  { closing, moved, shows }: Pick<Evidence, 'closing' | 'moved' | 'shows'>,
): StepResult[] {
  if (closing.state === 'not-needed') return [...results]
  const remaining = closing.state === 'differs' ? closing.remaining.steps : []
  return results.map(result => ({
    step: result.step,
    cause: result.cause,
    outcome: settled(result, {
      closing,
      isMissing: isMissingIn(remaining, result.step) && !shows(result.step.operation),
      hasMoved: moved.get(result.step.id),
    }),
  }))
}

/** Whether the read needs something again that succeeded. Then the read may be late. */
export const asksAgain = (closing: Closing, results: readonly StepResult[]): boolean =>
  closing.state === 'differs' &&
  results.some(
    ({ step, outcome }) => outcome.status === 'succeeded' && isMissingIn(closing.remaining.steps, step),
  )

function isMissingIn(remaining: readonly Step[], { id, operation }: Step): boolean {
  const asks = asksAgainFor(operation)
  return remaining.some(other => other.id === id || asks(other.operation))
}

interface StepEvidence {
  readonly closing: Closing
  /** The read needs the step again and does not show its result. Otherwise another step of the set may be what is left. */
  readonly isMissing: boolean
  /** Whether the version of the variable changed, if it has one. */
  readonly hasMoved: boolean | undefined
}

function settled(
  { step, outcome, refused }: StepResult,
  { closing, isMissing, hasMoved }: StepEvidence,
): StepOutcome {
  const { operation } = step
  if (outcome.status === 'succeeded') {
    if (isMissing) return { status: 'unknown', message: NOT_SEEN }
    if (hasMoved === false)
      return { status: 'unknown', message: `${SAME_VERSION}; ${howToRepeat(operation)}` }
    if (ANSWER_SHOWS[operation.type] && !addsVariables(operation)) return outcome
    return closing.state === 'unread' ? { status: 'unknown', message: NOT_READ } : outcome
  }
  if (outcome.status === 'skipped') return outcome
  if (outcome.status === 'unknown' && !showsInService(operation))
    return { ...outcome, message: `${outcome.message}; ${howToRepeat(operation)}` }
  if (closing.state === 'unread' && outcome.status === 'failed' && refused)
    return { status: 'unknown', message: `${outcome.message}; ${REFUSED_UNREAD}` }
  if (closing.state === 'unread' || isMissing) return outcome
  if (outcome.status === 'unknown') return { status: 'succeeded', note: SEEN }
  return showsNothing(operation) && hasMoved !== true ? outcome : refusedAndSeen(operation, outcome.message)
}

/** The response to an update shows the settings of the set, and need not show the variables that the update adds. */
const addsVariables = (operation: Operation): boolean =>
  operation.type === 'update-set' && operation.variables.length > 0

/** Only the text of a secret was to change, which no read can show. */
const showsNothing = (operation: Operation): boolean =>
  !showsInService(operation) &&
  operation.type === 'update-variable' &&
  !fieldsDiffer(operation.before, operation.after)

/**
 * The service refused it and still shows the result: an earlier attempt of a proxy or somebody else did it. Nobody can see
 * whose secrets it has.
 */
const refusedAndSeen = (operation: Operation, message: string): StepOutcome =>
  variablesSent(operation).some(({ value }) => 'secret' in value)
    ? { status: 'unknown', message: `${message}; ${REFUSED}; ${howToRepeat(operation)}` }
    : { status: 'succeeded', note: `${REFUSED}: ${message}` }

/** Nobody can see whether a secret arrived, so no later plan would write it again. */
function howToRepeat(operation: Operation): string {
  const key = variableOf(operation)
  const selector = key === undefined ? operation.subject.name : `${operation.subject.name}/${nameOf(key)}`
  return `to write its secrets again: --rewrite ${JSON.stringify(selector)}`
}

const SEEN = 'the response was lost; the closing read shows that it is done'
const REFUSED = 'it was refused, but the closing read shows that it is done'

const REFUSED_UNREAD = 'the service could not be read back to see whether it was done'
const SAME_VERSION =
  'the service reported success, but the variable kept its version: the secret was not written'
const NOT_SEEN = 'the service reported success, but the closing read does not show it'
const NOT_READ = 'the service reported success, but the closing read failed'

/**
 * Sends missing parts once more, as narrower operations, if every step succeeded and the service still differs. A service may,
 * for example, ignore variables that an update adds. It sends only what the plan contains, the sets lack, and no response
 * proved. Returns the results of what was sent.
 */
export async function secondRound(
  run: WritingRun,
  results: readonly StepResult[],
  closing: Closing,
): Promise<readonly StepResult[]> {
  if (closing.state !== 'differs' || run.stop.aborted) return []
  if (results.some(({ outcome }) => outcome.status !== 'succeeded')) return []
  const steps = await stillMissing(run, results)
  return steps.length === 0 ? [] : (await applySteps(steps, run.execute, run)).results
}

/**
 * What the touched sets lack, read one by one, because a late list could lead to undoing a write. Nothing if they cannot be
 * read: after so many writes, a failure here must not end the run without its report.
 */
async function stillMissing(run: WritingRun, results: readonly StepResult[]): Promise<readonly Step[]> {
  const { prepared, service, abandon, answers } = run
  const { plan, observed } = prepared
  const touched = new Set<VariableSetId>([
    ...plan.steps.flatMap(({ operation }) => operation.subject.id ?? []),
    ...[...answers.values()].flatMap(({ setId }) => setId ?? []),
  ])
  const read = await observeSets(service.reader.until(abandon), [...touched]).catch(() => undefined)
  if (read === undefined) return []
  const sets = [...observed.sets.filter(({ id }) => !touched.has(id)), ...read.sets]
  const { closing } = judgeRead(run, { results, answers }, { ...observed, sets })
  if (closing.state !== 'differs') return []
  const steps = closing.remaining.steps.filter(
    ({ operation }) => showsInService(operation) && !isProven(operation, results, answers),
  )
  return coveredSteps(plan, steps)
}

/**
 * Whether a response showed what the read needs again. Then the read is late or somebody else undid it, and sending it again
 * could create a duplicate.
 */
const isProven = (asked: Operation, results: readonly StepResult[], answers: WriteProofs): boolean =>
  results.some(({ step: { id, operation } }) => {
    const answer = answers.get(id)
    if (answer === undefined || asked.subject.id === undefined) return false
    return (operation.subject.id ?? answer.setId) === asked.subject.id && proves(answer, asked)
  })

function proves({ settings, variables }: WriteProof, asked: Operation): boolean {
  if (asked.type === 'create-variable') return variables.some(({ key }) => key === asked.after.key)
  if (asked.type === 'update-variable')
    return variables.some(shown => shown.key === asked.after.key && changeOf(shown, asked.after) === 'none')
  return asked.type === 'update-set' && settings !== undefined && !settingsDiffer(settings, asked.after)
}

/**
 * Values that were just sent and that the service stored with other line endings or without a final newline. The read must show
 * the value of the response; if the response was lost, any text other than before the write.
 */
function storedIn(
  observed: ObservedState,
  resolved: ResolvedState,
  results: readonly StepResult[],
  answers: WriteProofs,
): EndsDiffer[] {
  const sets = new Map(observed.sets.map(set => [set.id, set]))
  const files = new Map(resolved.sets.map(set => [set.name, set]))
  const found = results.flatMap(({ step: { id, operation }, outcome }) => {
    const answer = answers.get(id)
    const setId = operation.subject.id ?? answer?.setId
    const set = setId && sets.get(setId)
    if (set === undefined || outcome.status === 'failed' || outcome.status === 'skipped') return []
    const { name } = operation.subject
    return variablesSent(operation).flatMap(wanted => {
      const { key, value } = wanted
      const there = set.variables.filter(variable => variable.key === key)
      const [first] = there
      if (first === undefined || there.length > 1 || !('text' in value && 'text' in first.value)) return []
      const held = first.value.text
      const shown = answer?.variables.find(variable => variable.key === key)?.value
      const isOurs =
        shown !== undefined && 'text' in shown ? shown.text === held : hasArrived(operation)(first, wanted)
      if (!isOurs || !storesAs(value.text, held)) return []
      const source = files.get(name)?.variables.find(variable => variable.key === key)?.source
      const differing = { setId: set.id, set: name, key, sent: value.text, held, source }
      return [[`${set.id} ${key}`, differing] as const]
    })
  })
  return [...new Map(found).values()]
}
