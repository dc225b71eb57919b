import type { ApplyResult, FailureCause, StepResult } from '../apply/outcome.ts'
import { compareText } from '../model/diagnostic.ts'
import { canBeVerified } from '../plan/equality.ts'
import { repeats, rewriteOf, takesAway, variablesSent } from '../plan/items.ts'
import { itemsOf, type OperationId, setKeyOf } from '../plan/operation.ts'
import { type ApprovedBlocks, newBlocks, type Plan, type Step } from '../plan/plan-data.ts'
import { type CommandLine, commandLine, isCopied, type TypedCommand } from './command-line.ts'
import { doneOf, openGaps } from './gap-text.ts'
import {
  counted,
  joined,
  keysPhrase,
  listed,
  message,
  name,
  type Phrase,
  placesPhrase,
  present,
  say,
} from './phrase.ts'

export const isAlreadyDone = ({ outcome }: StepResult): boolean =>
  outcome.status === 'skipped' && outcome.because === 'already-done'

export const isDoneStep = (result: StepResult): boolean =>
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
    if (isDoneStep(result) || asked.has(step.id)) return false
    if (!canBeVerified(step.operation)) return true
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
      return say`${closing.shown === undefined ? 'The closing read failed, so nothing' : 'Nothing'} is verified: ${message(closing.message)}${listing('; still to do: ')}`
    case 'differs': {
      const { own, others } = stepsLeft(result)
      if (own.length + others.length === 0) return listing('Still to do: ', ', which cannot be read back')
      const shown = present<Phrase>(
        own.length > 0 && say`${counted(own.length, 'operation')} still to do: ${listed(setNames(own))}`,
        others.length > 0 &&
          say`${counted(others.length, 'operation')} that this plan did not have: ${listed(setNames(others))}`,
      )
      return say`The closing read shows ${joined(shown, '; and ')}${listing('; and ', ', which cannot be read back')}`
    }
  }
}

/**
 * What the closing read needs: operations of the plan, and others, which are of somebody else: a change by hand, or an apply at the same
 * time that is not done yet. What the service does not keep is told beside its step.
 */
function stepsLeft({ plan, results, closing }: Pick<ApplyResult, 'plan' | 'results' | 'closing'>) {
  const told = new Set(results.flatMap(({ notKept = [] }) => notKept))
  const steps = closing.state === 'differs' ? closing.remaining.steps.filter(({ id }) => !told.has(id)) : []
  const own = steps.filter(step => isOfPlan(plan, step))
  return { own, others: steps.filter(step => !own.includes(step)) }
}

/** Whether an operation is one of the plan, or a part of one. */
const isOfPlan = ({ steps }: Plan, { id, operation: left }: Step): boolean =>
  steps.some(
    ({ id: planned, operation }) =>
      planned === id ||
      repeats(operation)(left) ||
      // Of a set that was made in part, nobody knows whether a secret arrived.
      (operation.type === 'create-set' &&
        operation.subject.name === left.subject.name &&
        rewriteOf(left) === 'taken-charge'),
  )

const setNames = (steps: readonly Step[]): string[] => [
  ...new Set(steps.map(({ operation }) => operation.subject.name)),
]

/** What an apply was consented to, as far as it decides how its rest is done. */
export interface Again {
  /**
   * `any`: whatever is left. `files`: what is left of the plan files, and nothing else. `digest`: this plan, by its digest alone, so
   * that its rest needs a new review.
   */
  readonly consent: 'any' | 'files' | 'digest'
  /** The command that does what is left, if one was typed. */
  readonly typed?: TypedCommand
  /** It is the command of this apply. */
  readonly isSame: boolean
  /** What guards block and this consent covers. */
  readonly approved: ApprovedBlocks
}

const SAME: Again = { consent: 'any', isSame: true, approved: { blocks: [] } }

/** The command of an apply, what it was consented to, and where its token belongs. */
interface EndedApply {
  readonly typed?: TypedCommand
  readonly again?: Again
  /** Where the token of the organization belongs, if it has its own. */
  readonly token?: string
}

/**
 * How to do what is left: the same apply again if that is enough, else a plan to review, with the secrets that no other plan would
 * write.
 */
export function nextOf(result: ApplyResult, { typed, again = SAME, token }: EndedApply): Phrase | undefined {
  const first = beforeNextRun(result, token)
  if (first.length === 0 && ![1, 3, 130, 143].includes(result.exitCode)) return undefined
  if (isEnough(result, again)) {
    const line = again.isSame ? undefined : again.typed && commandLine(again.typed)
    return say`${first}${line === undefined ? 'run the same apply again' : say`run ${line.quote}`}`
  }
  return say`${first}${reviewPhrase(result.plan, typed, unwrittenSecrets(result))}`
}

/** Whether what this apply was consented to does all that is left. */
function isEnough(result: ApplyResult, { consent, approved }: Again): boolean {
  const { results, closing, exitCode } = result
  const blocks = closing.state === 'differs' ? closing.remaining.blocks : []
  if (newBlocks(blocks, approved).length > 0) return false
  // What this plan did not have is never something to run again, and after a correction there is another plan.
  if (results.some(one => one.cause === 'others' || isForFiles(one))) return false
  if (stepsLeft(result).others.length > 0) return false
  if (closing.state === 'unread' && closing.shown === 'unplanned') return false
  // Nothing was written, so the plan is still the one that was approved.
  if (exitCode === 1) return true
  switch (consent) {
    case 'digest':
      return false
    case 'files':
      // A file asks again for every rewrite in it. What may have arrived needs a plan of its own.
      return unwrittenSecrets(result).every(
        ({ step, outcome }) => outcome.status !== 'unknown' || rewriteOf(step.operation) !== undefined,
      )
    case 'any':
      return unwrittenSecrets(result).every(({ step }) => rewriteOf(step.operation) === 'asked')
  }
}

/** `review what is left, then apply it: setpoint plan`. Only a saved plan keeps what a flag asked for. */
function reviewPhrase(plan: Plan, typed: TypedCommand | undefined, unwritten: readonly StepResult[]): Phrase {
  const secrets = unwritten.flatMap(result => secretsIn(result).map(secret => ({ secret, result })))
  const rewriting = (those: typeof secrets) =>
    those.length > 0 &&
    say` with --rewrite for ${listed(
      those.map(({ secret }) => secret),
      those.length,
    )}`
  if (typed === undefined) return say`plan again${rewriting(secrets)}, review what is left, then apply it`
  const selectors = secrets.flatMap(selectorOf)
  const untyped = rewriting(secrets.filter(one => selectorOf(one).length === 0))
  const line = planAgain(plan, typed, selectors)
  const [it, command] = selectors.length === 0 ? ['it', line] : [REST_FILE, line.with('--out', REST_FILE)]
  return say`review what is left${untyped && say`,${untyped}, by the id of the set`}, then apply ${it}: ${command.quote}`
}

const REST_FILE = 'rest.json'

/** What `--rewrite` takes: the id of a set whose name cannot be copied. None if nobody knows it. */
function selectorOf({ secret, result }: { readonly secret: string; readonly result: StepResult }): string[] {
  if (isCopied(secret)) return [secret]
  const { id, name } = result.step.operation.subject
  const byId = `${id}${secret.slice(name.length)}`
  return id !== undefined && isCopied(byId) ? [byId] : []
}

/** Shows what is left, and how to approve it: the plan that was applied, which its file says if it has one. */
export function planAgain(
  { only, onlyThisChange, facts }: Plan,
  typed: TypedCommand,
  rewrites: readonly string[],
): CommandLine {
  const line = commandLine(typed)
    .as('plan')
    .without('--rewrite', '--out')
    .with('--rewrite', ...rewrites)
  const selected = line.has('--only') ? line : line.with('--only', ...only.toSorted(compareText))
  if (onlyThisChange === undefined || line.has('--only-this-change')) return selected
  const based =
    facts.base === undefined || line.has('--base') ? selected : selected.with('--base', facts.base.commit)
  return based.withSwitch('--only-this-change')
}

/** What has to change before the same job can succeed. */
function beforeNextRun({ results, inventory }: ApplyResult, token: string | undefined): Phrase {
  const open = results.filter(result => !isDoneStep(result))
  const failed = inventory?.state === 'failed' ? inventory : undefined
  const hasCause = (cause: FailureCause): boolean =>
    failed?.cause === cause || open.some(result => result.cause === cause)
  const changes = present<Phrase>(
    hasCause('token') && tokenThat(THAT_WRITES, token),
    failed?.cause === 'permission' &&
      !hasCause('token') &&
      say`${tokenThat(THAT_MANAGES, token)}${failed.isOptional && `, or ${NO_OWNER}`}`,
    correction(results),
    hasCause('network') && [NETWORK],
    results.some(({ cause }) => cause === 'others') && [OTHERS],
  )
  return changes.length === 0 ? [] : say`${joined(changes, ', ')}, then `
}

const isForFiles = (result: StepResult): boolean =>
  ((!isDoneStep(result) && result.cause === 'files') || result.notKept !== undefined) &&
  result.step.source !== undefined

/** The lines of the files whose contents the service refused, and the secrets whose values it may have refused. */
function correction(results: readonly StepResult[]): Phrase | undefined {
  const wrong = results.filter(isForFiles)
  const places = wrong.flatMap(({ step }) =>
    [step.source ?? [], ...(step.assignedAt ?? []).map(({ source }) => source)].flat(),
  )
  if (places.length === 0) return undefined
  const secrets = wrong
    .filter(result => !isDoneStep(result) && result.isInPart !== true)
    .flatMap(({ step }) => variablesSent(step.operation))
    .flatMap(({ value }) => ('secret' in value ? value.secret.name : []))
  const names = [...new Set(secrets)]
  return say`correct ${placesPhrase(places)}${names.length > 0 && say` or the value of secret ${listed(names)}`}`
}

/** What to set if the organization has no token of its own. */
export const ANY_TOKEN = 'SETPOINT_TOKEN or TFE_TOKEN'
const tokenThat = (may: string, token: string | undefined): Phrase =>
  say`set ${token === undefined ? ANY_TOKEN : name(token)} to ${may}`
const THAT_WRITES = 'a valid token that may write'
const THAT_MANAGES = "a token that may manage the organization's variable sets"
const NO_OWNER = 'remove "owner" from setpoint.yaml'
const OTHERS = 'find out who else writes these variables (another apply, or somebody by hand)'
const NETWORK = 'check the connection to the service (address, network, proxy)'

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
      const place = `${setKeyOf(operation)} ${key}`
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
