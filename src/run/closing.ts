import { observe, observeSets } from '../api/observe.ts'
import { UNTIL_SHOWN, until } from '../api/timing.ts'
import { type InventoryText, sentVariables, showsEntries } from '../apply/inventory-writes.ts'
import type { Closing, StepResult, WriteProof, WriteProofs } from '../apply/outcome.ts'
import { isAnsweredWhole } from '../apply/send.ts'
import { looksLikeSecret } from '../config/lint.ts'
import {
  FIELD_NAMES,
  fieldsDiffer,
  hasEffect,
  NO_FIELDS,
  NO_SETTINGS,
  SETTING_NAMES,
} from '../model/fields.ts'
import { nameOf, type VariableId, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { Unkept } from '../model/inventory.ts'
import { isStoredFormOf } from '../model/stored-form.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedState,
  ObservedValue,
  ObservedVariable,
  ResolvedSet,
  Variable,
} from '../model/variable-set.ts'
import { asSent } from '../plan/as-sent.ts'
import { isHalfMade, missingParts } from '../plan/completion.ts'
import { findRemaining } from '../plan/create.ts'
import { canBeVerified, hasArrived, isDone, isOvertaken } from '../plan/equality.ts'
import { secretsSent, setFinder, variableOf, variablesSent } from '../plan/items.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Step } from '../plan/plan-data.ts'
import { type StoredDifferently, withSent } from '../plan/stored-text.ts'
import { withKept } from '../plan/unkept.ts'
import type { Writing } from './writing.ts'

/** What the service shows after an apply. */
export interface ClosingRead {
  readonly closing: Closing
  /** For each step that sent secrets to variables with a version: whether the version is that of our write. */
  readonly moved: ReadonlyMap<OperationId, boolean>
  /** What the service shows of a step; `undefined` if it could not be read. */
  readonly seen: (step: Step) => Seen | undefined
  /** What a step sent and the service does not keep. */
  readonly lost: (step: Step) => NotKept | undefined
  /** The service as it was read; absent if it could not be. */
  readonly state?: ObservedState
  /** Everything is as declared, but only by reads of single sets: the list does not show all of our writes yet. */
  readonly isLate?: boolean
}

export const NOTHING_READ: ClosingRead = {
  closing: { state: 'not-needed' },
  moved: new Map(),
  seen: () => undefined,
  lost: () => undefined,
}

/**
 * Reads the service after an apply, and finds what is left to do. It repeats the read only while the service does not show a
 * write that succeeded: the next run would take a late object for a missing one, and create it twice. `listed`: what was written to our
 * inventory.
 */
export async function closingRead(writing: Writing, listed: readonly InventoryText[]): Promise<ClosingRead> {
  const { sent } = writing
  const { owner } = writing.made.plan
  const hasFailed = sent.some(({ outcome }) => outcome.status !== 'succeeded')
  return await until(
    () => readOnce(writing),
    ({ closing, moved, seen, state, isLate }) =>
      isLate !== true &&
      (state === undefined || showsEntries(state, owner, listed)) &&
      ![...moved.values()].includes(false) &&
      (hasFailed
        ? !sent.some(({ step, outcome }) => outcome.status === 'succeeded' && isDoubted(step, seen(step)))
        : closing.state !== 'differs'),
    UNTIL_SHOWN,
    writing,
  )
}

async function readOnce(writing: Writing): Promise<ClosingRead> {
  const { answers } = writing
  try {
    const { unread, isLate, ...read } = await observeAfter(writing)
    const { state, closing: judgement } = judgeRead(writing, read)
    const isUnproven = isLate && judgement.state === 'equal'
    const closing = isUnproven ? LATE : judgement
    const setOf = setFinder(state)
    const sets = new Map(state.sets.map(set => [set.id, set]))
    return {
      closing: closing.state === 'equal' && unread > 0 ? { ...closing, unread } : closing,
      moved: movedIn(state, writing),
      seen: ({ id, operation }) => {
        const answer = answers.get(id)
        const set =
          answer?.setId === undefined
            ? (setOf(operation) ?? madeInOtherForm(operation, state, writing))
            : sets.get(answer.setId)
        return closing.state === 'unread' ? undefined : seenOf(operation, set, answer)
      },
      lost: ({ id, operation }) =>
        closing.state === 'differs'
          ? notKept(operation, closing.remaining.steps, answers.get(id))
          : undefined,
      state,
      isLate: isUnproven,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'the service could not be read'
    return { ...NOTHING_READ, closing: { state: 'unread', message } }
  }
}

/**
 * A set that is new since the plan, that no answer names, and whose name may be a stored form of a created one: the service may have made it
 * although it said something else. Its name and keys are those that were sent.
 */
function madeInOtherForm(
  operation: Operation,
  { sets }: ObservedState,
  { made, sent, answers }: Writing,
): ObservedSet | undefined {
  if (operation.type !== 'create-set') return undefined
  const { name, parent, variables } = operation.after
  const before = new Set(made.observed.sets.map(({ id }) => id))
  const answered = new Set([...answers.values()].map(({ setId }) => setId))
  const created = new Set(
    sent.flatMap(({ step }) => (step.operation.type === 'create-set' ? step.operation.after.name : [])),
  )
  const found = sets.find(
    set =>
      !before.has(set.id) &&
      !answered.has(set.id) &&
      !created.has(set.name) &&
      set.parent === parent &&
      isStoredFormOf(name, set.name),
  )
  return found && asSent(found, { name, variables })
}

/**
 * What the service shows of an operation: its result, what was there before, what somebody else wrote instead, or a part of a new
 * set. Of a secret, only the version tells whose it is.
 */
export type Seen = 'done' | 'before' | 'other' | 'part'

/** `set`: the set of the operation, as the service shows it. `answer`: the response to the operation, if there was one. */
export function seenOf(
  operation: Operation,
  set: ObservedSet | undefined,
  answer: WriteProof | undefined,
): Seen {
  if (isDone(operation, set))
    return !canBeVerified(operation) && set !== undefined && showsOtherVersion(set, answer) ? 'other' : 'done'
  if (operation.type === 'create-set' && set !== undefined) {
    if (isHalfMade(operation, set)) return 'part'
    // All of it was made, and something was written since.
    return missingParts(operation, set).length === 0 ? 'other' : 'before'
  }
  return isOvertaken(operation, set) ? 'other' : 'before'
}

/** Whether a variable of the set was written after our response: its version is another. `counts`: what also counts as ours. */
const showsOtherVersion = (
  set: ObservedSet,
  answer: WriteProof | undefined,
  counts: (variable: ObservedVariable) => boolean = () => false,
): boolean =>
  answer?.variables.some(
    ({ key, versionId }) =>
      versionId !== undefined &&
      !set.variables.some(
        variable => variable.key === key && (variable.versionId === versionId || counts(variable)),
      ),
  ) === true

/** Whether the read shows something else than a write that succeeded. A new set may have been changed since. */
const isDoubted = ({ operation }: Step, seen: Seen | undefined): boolean =>
  seen === 'other' ? operation.type !== 'create-set' : seen === 'before' || seen === 'part'

/**
 * A list that lacks one of our writes may lack what somebody else wrote before it, such as a second set of the same name. Sets read by
 * themselves beside it make a state that the service never had.
 */
const LATE = {
  state: 'unread',
  shown: 'late',
  message: 'what was written is there, but the list of sets does not show all of it yet',
} as const

/**
 * Uses the cheaper of listing all sets and one read for each touched set. A missing set needs proof that the others are readable.
 * Late: a set that is read by itself shows a write that the list lacks.
 */
async function observeAfter(writing: Writing): Promise<ClosingState & { readonly isLate: boolean }> {
  const observed = await observeTouched(writing)
  const doubtful = doubtfulSets(observed, writing)
  if (doubtful.size === 0) return { ...observed, isLate: false }
  const { sets } = await observeSets(writing.service.reader.until(writing.abandon), [...doubtful.keys()])
  const state = { ...observed, sets: [...observed.sets.filter(({ id }) => !doubtful.has(id)), ...sets] }
  const left = doubtfulSets(state, writing)
  return { ...state, isLate: [...doubtful].some(([id, isBehind]) => isBehind && !left.has(id)) }
}

/**
 * What an answer proved and the list does not show is read by itself, because the list may be late, or show what somebody else
 * wrote at the same time (docs/fault-model.md F-16, F-24, F-33): a set that we created beside another of its name, a variable with another version than in
 * our response, and a set whose deletion was never confirmed. By id, with whether the list lacks something that we wrote: one that shows
 * no versions lacks nothing.
 */
function doubtfulSets(
  { sets }: ObservedState,
  { sent, answers }: Writing,
): ReadonlyMap<VariableSetId, boolean> {
  const shown = new Map(sets.map(set => [set.id, set]))
  const doubtful = new Map<VariableSetId, boolean>()
  for (const { step, outcome } of sent) {
    const { id, operation } = step
    const answer = answers.get(id)
    const setId = operation.subject.id ?? answer?.setId
    if (setId === undefined) continue
    const set = shown.get(setId)
    const doubt = (isBehind: boolean): void => {
      doubtful.set(setId, isBehind || doubtful.get(setId) === true)
    }
    if (set !== undefined && showsOtherVersion(set, answer))
      doubt(showsOtherVersion(set, answer, ({ versionId }) => versionId === undefined))
    if (set !== undefined) continue
    if (operation.type === 'delete-set' && outcome.status === 'unknown') doubt(false)
    if (operation.type === 'create-set' && sets.some(({ name }) => name === operation.after.name)) doubt(true)
  }
  return doubtful
}

/**
 * The state of the service after an apply, as the plan that would still be needed. Only an empty plan is reported as success.
 * Values that the service stored in another but equivalent form count as sent, and so do settings that it is known not to keep.
 */
function judgeRead(
  { made, service, sent, answers }: Writing,
  read: ObservedState,
): { readonly state: ObservedState; readonly closing: Closing } {
  const { plan, matched, resolved, guards, thisChange } = made
  const found = storedIn(read, made, sent, answers)
  const stored = found.length > 0 ? found : undefined
  const double = madeTwice(found, read, made.observed)
  if (double !== undefined)
    return { state: read, closing: { state: 'unread', shown: 'unplanned', message: double } }
  const { unkept = [] } = matched.match
  const state = {
    ...read,
    sets: withSent(read.sets, [...stillStored(matched.match.stored, read), ...found]).map(set =>
      withKept(set, unkept),
    ),
  }
  const asked = {
    address: service.address,
    only: plan.only,
    reads: 0,
    adopt: made.asked.adopt,
    thisChange,
    looksSecret: looksLikeSecret,
    sent: sentVariables(sent, answers),
    made: new Set([...answers.values()].flatMap(({ setId }) => setId ?? [])),
  }
  const { value: remaining, diagnostics } = findRemaining(resolved, state, asked, guards)
  if (remaining === undefined) {
    const message = diagnostics.flatMap(({ message, hint = [] }) => [message].concat(hint)).join(' ')
    return { state, closing: { state: 'unread', shown: 'unplanned', message } }
  }
  const isEqual = remaining.steps.length === 0
  return { state, closing: isEqual ? { state: 'equal', stored } : { state: 'differs', remaining, stored } }
}

/**
 * Outcomes in the light of the closing read (docs/fault-model.md F-12, F-17, F-18, F-24). A success that the read does not show
 * is unknown; a lost response is settled by it; a refused step was not done, unless the read shows it or failed. A secret stays
 * unknown wherever nobody can see whose it is.
 */
export const judgeOutcomes = (results: readonly StepResult[], read: ClosingRead): StepResult[] =>
  read.closing.state === 'not-needed'
    ? [...results]
    : results.map(({ refused = false, ...result }) => judged(result, refused, read))

function judged(result: Omit<StepResult, 'refused'>, refused: boolean, read: ClosingRead): StepResult {
  const { step, outcome } = result
  const { operation } = step
  const [seen, hasMoved] = [read.seen(step), read.moved.get(step.id)]
  const unknown = (message: string): StepResult => ({ ...result, outcome: { status: 'unknown', message } })
  // Only what is left can tell which parts.
  const isInPart = result.isInPart === true && read.closing.state !== 'equal'
  switch (outcome.status) {
    case 'skipped':
      return result
    case 'succeeded': {
      if (hasMoved === false) return unknown(`${SAME_VERSION}; ${howToRepeat(operation)}`)
      const lost = read.lost(step)
      if (lost !== undefined) {
        const { sentence, isCertain, steps, settings } = lost
        const said = isCertain ? { ...result, outcome: { ...outcome, note: sentence } } : unknown(sentence)
        return { ...said, notKept: steps, ...(settings && { unkept: settings }) }
      }
      if (isDoubted(step, seen))
        return seen === 'other' ? { ...unknown(OVERTAKEN), cause: 'others' } : unknown(NOT_SEEN)
      return seen === undefined && !isAnsweredWhole(operation) ? unknown(NOT_READ) : result
    }
    case 'unknown':
      if (isInPart) return result
      if (!canBeVerified(operation)) return unknown(`${outcome.message}; ${howToRepeat(operation)}`)
      return seen === 'done' ? { ...result, outcome: { status: 'succeeded', note: SEEN } } : result
    case 'failed': {
      const { message } = outcome
      if (isInPart) return result
      if (seen === undefined && refused) return unknown(`${message}; ${REFUSED_UNREAD}`)
      // A service may refuse a request that it carried out in part.
      if (seen === 'part')
        return { ...result, isInPart: true, outcome: { ...outcome, message: `${message}; ${PART}` } }
      if (seen !== 'done' || (showsNothing(operation) && hasMoved !== true)) return result
      // An earlier attempt of a proxy or somebody else did it. Nobody can see whose secrets it has.
      return secretsSent(operation).length > 0
        ? unknown(`${message}; ${REFUSED}; ${howToRepeat(operation)}`)
        : { ...result, outcome: { status: 'succeeded', note: `${REFUSED}: ${message}` } }
    }
  }
}

/** Only the text of a secret was to change, which no read can show. */
const showsNothing = (operation: Operation): boolean =>
  !canBeVerified(operation) &&
  operation.type === 'update-variable' &&
  !fieldsDiffer(operation.before, operation.after)

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
const REFUSED_UNREAD = 'nothing shows whether it was done'
const SAME_VERSION =
  'the service reported success and shows the same version as before: the secret was not written, or it has the same value'
const NOT_SEEN = 'the service reported success, but the closing read does not show it'
const NOT_READ = 'the service reported success, and nothing verifies it'

interface Lost {
  readonly attribute: string
  /** Of a value: it may be a secret, or long. */
  readonly key?: VariableKey
  readonly sent: string | boolean
  readonly shown: string | boolean
  readonly isCertain: boolean
}

function sentenceOf({ attribute, key, sent, shown, isCertain }: Lost): string {
  if (key !== undefined) {
    const texts = [sent, shown].map(String)
    const isShown = texts.every(text => text.length <= LONGEST_SHOWN && !looksLikeSecret(key, text))
    const said = isShown ? `: ${JSON.stringify(sent)} was sent, and it shows ${JSON.stringify(shown)}` : ''
    return `the service does not keep the value of "${nameOf(key)}"${said}. Write what it shows; applying this again cannot help`
  }
  const [was, is] = [sent, shown].map(value => JSON.stringify(value))
  return isCertain
    ? `the service does not keep "${attribute}": ${was} was sent, and it shows ${is}. Write ${attribute}: ${is}`
    : `the service reported success and may not keep "${attribute}": ${was} was sent, and it shows ${is}. If the next plan shows the change again, write ${attribute}: ${is}`
}

const LONGEST_SHOWN = 60

function lostIn(sent: Operation, asked: Operation, answer: WriteProof | undefined): Lost[] {
  if (asked.type === 'update-set' && (sent.type === 'create-set' || sent.type === 'update-set')) {
    const was = sent.type === 'create-set' ? NO_SETTINGS : sent.before
    return SETTING_NAMES.flatMap(name => {
      const shown = asked.before[name]
      const isLost = sent.after[name] === asked.after[name] && shown !== asked.after[name]
      const isCertain = answer?.settings?.[name] === shown
      return isLost && (isCertain || shown === was[name])
        ? [{ attribute: name, sent: sent.after[name], shown, isCertain }]
        : []
    })
  }
  if (asked.type !== 'update-variable') return []
  const { key } = asked.after
  const after = variablesIn(sent).find(one => one.key === key)
  if (after === undefined) return []
  const was = sent.type === 'update-variable' ? sent.before : NO_FIELDS
  const answered = answer?.variables.find(one => one.key === key)
  const fields = FIELD_NAMES.flatMap(name => {
    const shown = asked.before[name]
    const isLost = after[name] === asked.after[name] && shown !== asked.after[name] && hasEffect(name, key)
    const isCertain = answered?.[name] === shown
    return isLost && (isCertain || shown === was[name])
      ? [{ attribute: name, sent: after[name], shown, isCertain }]
      : []
  })
  return [...fields, ...valueLost(after, asked.before, answered)]
}

/** A value of which the response to its write and the read after it show the same other text. */
function valueLost(
  sent: Variable<DesiredValue>,
  shown: Variable<ObservedValue>,
  answered: ObservedVariable | undefined,
): Lost[] {
  const { key, value } = sent
  if (!('text' in value && 'text' in shown.value && answered !== undefined && 'text' in answered.value))
    return []
  const { text } = shown.value
  const isLost = text !== value.text && answered.value.text === text
  return isLost ? [{ attribute: 'value', key, sent: value.text, shown: text, isCertain: true }] : []
}

/** Variables as a request sends them. */
function variablesIn(sent: Operation) {
  if (sent.type === 'create-set') return sent.after.variables
  return sent.type === 'create-variable' || sent.type === 'update-variable' ? [sent.after] : []
}

/** Attributes that a request sent with success, and of which the service shows what it had before. */
export interface NotKept {
  /** Each attribute, what was sent, what the service shows, and what to write. */
  readonly sentence: string
  /** The response to the request showed it. Otherwise the read may be late. */
  readonly isCertain: boolean
  /** The steps that would send them again. */
  readonly steps: readonly OperationId[]
  /** Those of the set itself, as the service shows them. */
  readonly settings?: Unkept
}

/**
 * `remaining`: what the closing read needs. A value that is neither the one before nor the one in the response may be somebody
 * else's, so it proves nothing.
 */
export function notKept(
  sent: Operation,
  remaining: readonly Step[],
  answer: WriteProof | undefined,
): NotKept | undefined {
  const found = remaining.flatMap(({ id, operation }) => {
    const isSame =
      sent.subject.id === undefined
        ? sent.subject.name === operation.subject.name
        : sent.subject.id === operation.subject.id
    const lost = isSame ? lostIn(sent, operation, answer) : []
    return lost.length === 0 ? [] : [{ id, lost, isOfSet: operation.type === 'update-set' }]
  })
  if (found.length === 0) return undefined
  const all = found.flatMap(({ lost }) => lost)
  const ofSet = found.filter(({ isOfSet }) => isOfSet).flatMap(({ lost }) => lost)
  const settings: Unkept = Object.fromEntries(ofSet.map(({ attribute, shown }) => [attribute, shown]))
  return {
    sentence: all.map(sentenceOf).join('; '),
    isCertain: all.every(({ isCertain }) => isCertain),
    steps: found.map(({ id }) => id),
    ...(ofSet.length > 0 && { settings }),
  }
}

/**
 * A service with versions changes them with every write. An unchanged version shows that nothing was written. A version that
 * equals the one in our response shows that our write arrived.
 */
function movedIn(now: ObservedState, { made, sent, answers }: Writing): ReadonlyMap<OperationId, boolean> {
  const moved = new Map<OperationId, boolean>()
  const secret = sent.filter(
    ({ step, outcome }) => outcome.status !== 'skipped' && secretsSent(step.operation).length > 0,
  )
  if (secret.length === 0) return moved
  const [earlier, later] = [versionsIn(made.observed), versionsIn(now)]
  for (const { step } of secret) {
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

/** `unread`: the number of sets that were not read again. */
type ClosingState = ObservedState & { readonly unread: number }

async function observeTouched(writing: Writing): Promise<ClosingState> {
  const { made, service, abandon } = writing
  const { plan, observed } = made
  const reader = service.reader.until(abandon)
  const whole = async (): Promise<ClosingState> => ({
    ...(await observe(reader, plan.organization)),
    unread: 0,
  })
  const touched = touchedSets(writing)
  const deletes = plan.steps.some(step => step.operation.type === 'delete-set')
  if (touched === undefined || deletes || plan.owner !== undefined || touched.size >= observed.pages)
    return await whole()
  const { sets, absent } = await observeSets(reader, [...touched])
  if (absent.length > 0) return await whole()
  const others = observed.sets.filter(set => !touched.has(set.id))
  return { ...observed, sets: [...others, ...sets], unread: others.length }
}

/** The id of every set that a step was sent for; `undefined` if the id of a created set is unknown. */
function touchedSets({ sent, answers }: Writing): ReadonlySet<VariableSetId> | undefined {
  const ids = new Set<VariableSetId>()
  for (const { step, outcome } of sent) {
    if (outcome.status === 'skipped') continue
    const id = step.operation.subject.id ?? answers.get(step.id)?.setId
    if (id === undefined) return undefined
    ids.add(id)
  }
  return ids
}

/** Names, keys and values that this run sent and that the service stored in another form. */
function storedIn(
  observed: ObservedState,
  { resolved }: Writing['made'],
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
    const file = files.get(operation.subject.name)
    return [...nameStored(operation, set, answer, file), ...variablesStored(operation, set, answer, file)]
  })
  return [...new Map(found.map(one => [`${one.of} ${one.setId} ${one.key}`, one])).values()]
}

/** What the plan took as sent, as far as the service still shows it. Sets with what was sent no longer tell what it may do to a text. */
function stillStored(
  stored: readonly StoredDifferently[] = [],
  { sets }: ObservedState,
): StoredDifferently[] {
  const shown = new Map(sets.map(set => [set.id, set]))
  const keys = new Map(
    stored.flatMap(({ variableId, key }) => (variableId && key ? [[variableId, key]] : [])),
  )
  return stored.filter(({ of, setId, key, variableId, held }) => {
    const set = shown.get(setId)
    if (of === 'name') return set?.name === held
    return set?.variables.some(one =>
      of === 'key'
        ? one.id === variableId && nameOf(one.key) === held
        : (keys.get(one.id) ?? one.key) === key && 'text' in one.value && one.value.text === held,
    )
  })
}

/** A set that is stored under another form of its name, and was made a second time by a request that was delivered twice. */
function madeTwice(
  found: readonly StoredDifferently[],
  { sets }: ObservedState,
  before: ObservedState,
): string | undefined {
  const known = new Set(before.sets.map(({ id }) => id))
  for (const { of, setId, held } of found) {
    const made = sets.filter(({ id, name }) => name === held && (id === setId || !known.has(id)))
    if (of === 'name' && made.length > 1)
      return `there are now ${made.length} sets named ${JSON.stringify(held)}: ${made.map(({ id }) => id).join(', ')}`
  }
  return undefined
}

/** A service that ignores a name shows the one before. */
function nameStored(
  operation: Operation,
  set: ObservedSet,
  answer: WriteProof | undefined,
  file: ResolvedSet | undefined,
): StoredDifferently[] {
  if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
  const [sent, held] = [operation.after.name, set.name]
  const isForm = isStoredFormOf(sent, held)
  const isBefore = operation.type === 'update-set' && operation.before.name === held
  const isOurs = isForm || (answer?.settings?.name === held && !isBefore)
  if (sent === held || !isOurs) return []
  return [{ of: 'name', setId: set.id, set: operation.subject.name, sent, held, source: file?.source }]
}

/**
 * A value counts if it may be a stored form of what was sent, and if the response to its write shows it like that, for then nobody else
 * wrote it. Keys count by the ids of their variables.
 */
function variablesStored(
  operation: Operation,
  set: ObservedSet,
  answer: WriteProof | undefined,
  file: ResolvedSet | undefined,
): StoredDifferently[] {
  const sent = variablesSent(operation)
  if (sent.length === 0) return []
  const ids = new Map(answer?.variables.map(variable => [variable.id, variable.key]))
  const named = set.variables.map(one => ({ ...one, key: ids.get(one.id) ?? one.key }))
  const there = asSent({ ...set, variables: named }, { variables: sent })
  const keys = new Map(set.variables.map(({ id, key }) => [id, key]))
  return sent.flatMap((wanted): StoredDifferently[] => {
    const { key, value, hcl } = wanted
    const [first, ...others] = there.variables.filter(variable => variable.key === key)
    if (first === undefined || others.length > 0) return []
    const source = file?.variables.find(variable => variable.key === key)?.source
    const place = { setId: set.id, set: operation.subject.name, key, source } as const
    const heldKey = nameOf(keys.get(first.id) ?? key)
    const ofKey: StoredDifferently[] =
      heldKey === nameOf(key)
        ? []
        : [{ of: 'key', ...place, variableId: first.id, sent: nameOf(key), held: heldKey }]
    if (!('text' in value && 'text' in first.value)) return ofKey
    const held = first.value.text
    const shown = answer?.variables.find(variable => variable.key === key)?.value
    const isOurs =
      shown !== undefined && 'text' in shown ? shown.text === held : hasArrived(operation)(first, wanted)
    return isOurs && isStoredFormOf(value.text, held, { hcl })
      ? [...ofKey, { of: 'value', ...place, hcl, sent: value.text, held }]
      : ofKey
  })
}
