import type { ApplyResult, FailureCause, StepResult } from '../apply/outcome.ts'
import { compareText } from '../model/diagnostic.ts'
import { showsInService } from '../plan/equality.ts'
import { takesAway, variablesSent } from '../plan/items.ts'
import { itemsOf, type OperationId, placeOf } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import { terminalText } from './neutralise.ts'
import {
  applyCommand,
  type CommandFlags,
  counted,
  joined,
  keysPhrase,
  listed,
  message,
  name,
  type Phrase,
  place,
  present,
  say,
} from './phrase.ts'
import { doneOf, openGaps } from './transition.ts'

export const isAlreadyDone = ({ outcome }: StepResult): boolean =>
  outcome.status === 'skipped' && outcome.because === 'already-done'

export const isSettled = (result: StepResult): boolean =>
  result.outcome.status === 'succeeded' || isAlreadyDone(result)

/**
 * Steps whose secret was not written, or may not have been. The service shows the same either way, so no later plan includes
 * them: the report names them, and only a request writes them again.
 */
export function unwrittenSecrets({
  results,
  closing,
}: Pick<ApplyResult, 'results' | 'closing'>): StepResult[] {
  const asked = new Set(closing.state === 'differs' ? closing.remaining.steps.map(({ id }) => id) : [])
  return results.filter(result => {
    const { step, outcome } = result
    if (isSettled(result) || asked.has(step.id)) return false
    if (!showsInService(step.operation)) return true
    return outcome.status === 'unknown' && secretsIn(result).length > 0
  })
}

/** `SET/env/KEY`, as `--rewrite` takes it. */
const secretsIn = ({ step: { operation } }: StepResult): string[] =>
  variablesSent(operation).flatMap(({ key, value }) =>
    'secret' in value ? [`${operation.subject.name}/${key}`] : [],
  )

/** What the closing read showed, and the secrets that it cannot show. */
export function closingOf(result: ApplyResult): Phrase | undefined {
  const { closing } = result
  const secrets = unwrittenSecrets(result).flatMap(secretsIn)
  const listing = (start: string, end = ''): Phrase | undefined =>
    secrets.length === 0
      ? undefined
      : say`${start}${counted(secrets.length, 'secret')}${end}: ${listed(secrets, secrets.length)}`
  switch (closing.state) {
    case 'equal':
    case 'not-needed':
      return listing('Still to do: ', ', which cannot be read back')
    case 'unread':
      return say`The closing read failed, so nothing is verified: ${message(closing.message)}${listing('; still to do: ')}`
    case 'differs': {
      const { steps } = closing.remaining
      const sets = listed(setNames(steps))
      return say`The closing read shows ${counted(steps.length, 'operation')} still to do: ${sets}${listing('; and ', ', which cannot be read back')}`
    }
  }
}

const setNames = (steps: readonly Step[]): string[] => [
  ...new Set(steps.map(({ operation }) => operation.subject.name)),
]

/** Names that need no quoting in a shell or a pattern. */
const PLAIN = /^[\w][\w./-]*$/

/** The command that does what is left, including secrets that no later plan would write. */
export function nextOf(result: ApplyResult, flags: CommandFlags): Phrase | undefined {
  const { plan, results, exitCode, closing, inventory } = result
  const first = beforeNextRun(result)
  const again = results.some(isForFiles) ? PLAN_AGAIN : AGAIN
  if (first.length === 0 && ![3, 130, 143].includes(exitCode)) return undefined
  const unwritten = unwrittenSecrets(result)
  const open =
    closing.state === 'differs'
      ? [...closing.remaining.steps, ...unwritten.map(({ step }) => step)]
      : results.filter(one => !isSettled(one)).map(({ step }) => step)
  const sets = setNames(open)
  const secrets = unwritten.flatMap(secretsIn)
  const only = plan.only.length > 0 ? plan.only : sets
  const isShort =
    sets.length > 0 && sets.length <= 3 && plan.only.length === 0 && sets.every(set => PLAIN.test(set))
  const isInventoryAlone = inventory?.state === 'failed' && closing.state === 'equal' && open.length === 0
  if (isInventoryAlone && first.length === 0) return [`${AGAIN} to complete the inventory`]
  if (secrets.length === 0 && !isShort) return [...first, again]
  const rewrites = secrets.flatMap(secret => ['--rewrite', secret])
  const next = applyCommand(plan, only.toSorted(compareText), flags, rewrites)
  if (secrets.length === 0) return say`${first}${again}, or ${next}`
  // The same job would not write these secrets again.
  return [...sets, ...secrets].every(isCopied)
    ? say`${first}${first.length > 0 && 'run '}${next}`
    : say`${first}${again} with --rewrite for ${listed(secrets, secrets.length)}`
}

/** What has to change before the same job can succeed. */
function beforeNextRun({ results, inventory }: ApplyResult): Phrase {
  const open = results.filter(result => !isSettled(result))
  const failed = inventory?.state === 'failed' ? inventory : undefined
  const hasCause = (cause: FailureCause): boolean =>
    failed?.cause === cause || open.some(result => result.cause === cause)
  const changes = present<Phrase>(
    hasCause('token') && [TOKEN],
    failed?.cause === 'permission' &&
      !hasCause('token') && [failed.isOptional ? `${INVENTORY_TOKEN}, or ${NO_OWNER}` : INVENTORY_TOKEN],
    correction(open),
    hasCause('network') && [NETWORK],
  )
  return changes.length === 0 ? [] : say`${joined(changes, ', ')}, then `
}

const isForFiles = (result: StepResult): boolean =>
  !isSettled(result) && result.cause === 'files' && result.step.source !== undefined

/** The lines of the files whose contents the service refused. */
function correction(results: readonly StepResult[]): Phrase | undefined {
  const all = results.filter(isForFiles).flatMap(({ step }) => (step.source ? place(step.source) : []))
  const places = [...new Map(all.map(one => [one.text, one])).values()]
  if (places.length === 0) return undefined
  const left = places.length - MOST_PLACES
  const shown = joined(places.slice(0, MOST_PLACES), ', ')
  return say`correct ${shown}${left > 0 && ` and ${counted(left, 'more place')}`}`
}

const MOST_PLACES = 3

const AGAIN = 'run the same apply again'
/** After a correction of the files, a saved plan or an approved digest is out of date. */
const PLAN_AGAIN = 'plan and apply again'
const TOKEN = 'set SETPOINT_TOKEN or TFE_TOKEN to a valid token that may write'
const INVENTORY_TOKEN =
  "set SETPOINT_TOKEN or TFE_TOKEN to a token that may manage the organization's variable sets"
const NO_OWNER = 'remove "owner" from setpoint.yaml'
const NETWORK = 'check the connection to the service (address, network, proxy)'

/** Whether a name can be copied from a report and used as a pattern. */
const isCopied = (word: string): boolean => terminalText(word) === word && !/^--|[*?]/.test(word)

/**
 * Values that workspaces may see now and should not, and variables that a set may lack: a step was done, and the one after it
 * was not. Empty if the closing read found everything as desired.
 */
export function brokenNow({ plan, results, closing }: ApplyResult): Phrase[] {
  if (closing.state === 'equal') return []
  const outcomes = new Map(results.map(({ step, outcome }) => [step.id, outcome]))
  const open = openGaps(plan, outcomes)
  const told = new Set(open.flatMap(({ steps }) => steps))
  return [...open.map(({ phrase }) => phrase), ...brokenReplacements(results, told)]
}

/** Without the steps in `told`, which are already reported. */
function brokenReplacements(results: readonly StepResult[], told: ReadonlySet<OperationId>): Phrase[] {
  const halves = results.flatMap(({ step: { id, operation }, outcome }) =>
    itemsOf(operation).flatMap(item => {
      if (item.kind !== 'variable' || !item.isHalf) return []
      const { key } = item
      const place = `${placeOf(operation)} ${key}`
      return [{ id, operation, place, key, done: doneOf(outcome), isGone: takesAway(item) }]
    }),
  )
  const gone = new Map(halves.filter(({ isGone }) => isGone).map(({ place, done }) => [place, done]))
  return halves.flatMap(({ id, operation, place, key, done, isGone }) => {
    const first = gone.get(place) ?? 'no'
    if (isGone || told.has(id) || done === 'yes' || first === 'no') return []
    const how = first === 'yes' && done === 'no' ? ' is missing from ' : ' may be missing from '
    return [say`${keysPhrase([key])}${how}${name(operation.subject.name)} now`]
  })
}
