import { sentVariables } from '../apply/inventory-writes.ts'
import type { Closing, StepOutcome, StepResult, WriteProofs } from '../apply/outcome.ts'
import { ANSWER_SHOWS } from '../apply/send.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { fieldsDiffer } from '../model/fields.ts'
import { nameOf } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { findRemaining } from '../plan/create.ts'
import { canBeVerified, hasArrived } from '../plan/equality.ts'
import { repeats, variableOf, variablesSent } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'
import type { Step } from '../plan/plan-data.ts'
import { isStoredFormOf, type StoredDifferently, withSent } from '../plan/stored-text.ts'
import type { ApplyRun, Evidence, ReportedWrites } from './apply-run.ts'
import { notKept } from './not-kept.ts'

/**
 * The state of the service after an apply, as the plan that would still be needed. Only an empty plan is reported as success.
 * Values that the service stored in another but equivalent form count as sent.
 */
export function judgeRead(
  { prepared, service }: Pick<ApplyRun, 'prepared' | 'service'>,
  { results, answers }: Pick<ReportedWrites, 'results' | 'answers'>,
  read: ObservedState,
): { readonly state: ObservedState; readonly closing: Closing } {
  const { plan, resolved, guards, adopt, narrowing } = prepared
  const found = storedIn(read, resolved, results, answers)
  const stored = found.length > 0 ? found : undefined
  const state = { ...read, sets: withSent(read.sets, found) }
  const asked = {
    address: service.address,
    only: plan.only,
    reads: 0,
    adopt,
    narrowing,
    looksSecret: looksLikeSecret,
    sent: sentVariables(results, answers),
    made: new Set([...answers.values()].flatMap(({ setId }) => setId ?? [])),
  }
  const { value: remaining, diagnostics } = findRemaining(resolved, state, asked, guards)
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
export function judgeOutcomes(
  results: readonly StepResult[],
  {
    closing,
    moved,
    isVisible,
    showsPart,
    overtaken,
  }: Pick<Evidence, 'closing' | 'moved' | 'isVisible' | 'showsPart' | 'overtaken'>,
  answers: WriteProofs = new Map(),
): StepResult[] {
  if (closing.state === 'not-needed') return [...results]
  const remaining = closing.state === 'differs' ? closing.remaining.steps : []
  return results.map(result => {
    const { step, cause, isInPart, hasReason, outcome } = result
    const same = { step, cause, isInPart, hasReason }
    const hasMoved = moved.get(step.id)
    const isMissing = isMissingIn(remaining, step) && !isVisible(step.operation)
    // A service may refuse a request that it carried out in part.
    if (isMissing && outcome.status === 'failed' && isInPart !== true && showsPart(step.operation))
      return { ...same, isInPart: true, outcome: { ...outcome, message: `${outcome.message}; ${PART}` } }
    if (isMissing && outcome.status === 'succeeded' && overtaken(step.operation))
      return { ...same, cause: 'others', outcome: { status: 'unknown', message: OVERTAKEN } }
    const isDone = outcome.status === 'succeeded' && hasMoved !== false
    const lost = isDone ? notKept(step.operation, remaining, answers.get(step.id)) : undefined
    if (lost === undefined) return { ...same, outcome: judged(result, { closing, isMissing, hasMoved }) }
    const { sentence, isCertain, steps } = lost
    const said: StepOutcome = isCertain
      ? { status: 'succeeded', note: sentence }
      : { status: 'unknown', message: sentence }
    return { ...same, outcome: said, notKept: steps }
  })
}

/** Whether the read needs something again that succeeded. Then the read may be late. */
export const asksAgain = (closing: Closing, results: readonly StepResult[]): boolean =>
  closing.state === 'differs' &&
  results.some(
    ({ step, outcome }) => outcome.status === 'succeeded' && isMissingIn(closing.remaining.steps, step),
  )

function isMissingIn(remaining: readonly Step[], { id, operation }: Step): boolean {
  const asks = repeats(operation)
  return remaining.some(other => other.id === id || asks(other.operation))
}

interface StepEvidence {
  readonly closing: Closing
  /** The read needs the step again and does not show its result. Otherwise another step of the set may be what is left. */
  readonly isMissing: boolean
  /** Whether the version of the variable changed, if it has one. */
  readonly hasMoved: boolean | undefined
}

function judged(result: StepResult, evidence: StepEvidence): StepOutcome {
  const { step, outcome, refused = false, isInPart = false } = result
  if (isInPart && outcome.status !== 'succeeded' && evidence.closing.state !== 'equal') return outcome
  switch (outcome.status) {
    case 'succeeded':
      return confirmed(step.operation, outcome, evidence)
    case 'skipped':
      return outcome
    case 'unknown':
      return resolved(step.operation, outcome, evidence)
    case 'failed':
      return doubted(step.operation, outcome, refused, evidence)
  }
}

type OutcomeOf<Status extends StepOutcome['status']> = Extract<StepOutcome, { readonly status: Status }>

/** The service reported success. */
function confirmed(
  operation: Operation,
  outcome: OutcomeOf<'succeeded'>,
  { closing, isMissing, hasMoved }: StepEvidence,
): StepOutcome {
  if (isMissing) return { status: 'unknown', message: NOT_SEEN }
  if (hasMoved === false) return { status: 'unknown', message: `${SAME_VERSION}; ${howToRepeat(operation)}` }
  if (ANSWER_SHOWS[operation.type]) return outcome
  return closing.state === 'unread' ? { status: 'unknown', message: NOT_READ } : outcome
}

/** The response was lost. */
function resolved(
  operation: Operation,
  outcome: OutcomeOf<'unknown'>,
  { closing, isMissing }: StepEvidence,
): StepOutcome {
  if (!canBeVerified(operation))
    return { ...outcome, message: `${outcome.message}; ${howToRepeat(operation)}` }
  return closing.state === 'unread' || isMissing ? outcome : { status: 'succeeded', note: SEEN }
}

/** The service, or something before it, did not do it; `refused` by an answer. */
function doubted(
  operation: Operation,
  outcome: OutcomeOf<'failed'>,
  refused: boolean,
  { closing, isMissing, hasMoved }: StepEvidence,
): StepOutcome {
  if (closing.state === 'unread' && refused)
    return { status: 'unknown', message: `${outcome.message}; ${REFUSED_UNREAD}` }
  if (closing.state === 'unread' || isMissing) return outcome
  return showsNothing(operation) && hasMoved !== true ? outcome : refusedAndSeen(operation, outcome.message)
}

/** Only the text of a secret was to change, which no read can show. */
const showsNothing = (operation: Operation): boolean =>
  !canBeVerified(operation) &&
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

const OVERTAKEN =
  'it was written, and the closing read shows another value: the read is late, or somebody else wrote it meanwhile'
const PART = 'the closing read shows the set, but not all of it'
const SEEN = 'the response was lost; the closing read shows that it is done'
const REFUSED = 'it was refused, but the closing read shows that it is done'

const REFUSED_UNREAD = 'the service could not be read back to see whether it was done'
const SAME_VERSION =
  'the service reported success, but the variable kept its version: the secret was not written'
const NOT_SEEN = 'the service reported success, but the closing read does not show it'
const NOT_READ = 'the service reported success, but the closing read failed'

/**
 * Values that were just sent and that the service stored with other line endings or without a final newline. The read must show
 * the value of the response; if the response was lost, any text other than before the write.
 */
function storedIn(
  observed: ObservedState,
  resolved: ResolvedState,
  results: readonly StepResult[],
  answers: WriteProofs,
): StoredDifferently[] {
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
      if (!isOurs || !isStoredFormOf(value.text, held)) return []
      const source = files.get(name)?.variables.find(variable => variable.key === key)?.source
      const differing = { setId: set.id, set: name, key, sent: value.text, held, source }
      return [[`${set.id} ${key}`, differing] as const]
    })
  })
  return [...new Map(found).values()]
}
