import type { ApplyResult, FailureCause, StepResult } from '../apply/outcome.ts'
import { compareText } from '../model/diagnostic.ts'
import { showsInService } from '../plan/done.ts'
import { variablesSent } from '../plan/operation.ts'
import { shellWord, terminalText } from './neutralise.ts'
import { command, counted, joined, listed, message, name, type Phrase, place } from './phrase.ts'

/** Flags that make the same plan again: where files and service are, and what was requested beyond the files. */
export interface CommandFlags {
  readonly place: readonly string[]
  readonly wishes: readonly string[]
}

export const isAlreadyDone = ({ outcome }: StepResult): boolean =>
  outcome.status === 'skipped' && outcome.because === 'already-done'

export const isSettled = (result: StepResult): boolean =>
  result.outcome.status === 'succeeded' || isAlreadyDone(result)

/**
 * Results of steps that were to write a secret and did not, or may not have. The service shows the same either way, so no
 * read and no later plan asks for them: they are named, and written again on request only.
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
  const named = joined(
    secrets.map(text => [name(text)]),
    ', ',
  )
  switch (closing.state) {
    case 'equal':
    case 'not-needed':
      return secrets.length === 0
        ? undefined
        : [`Still to do: ${counted(secrets.length, 'secret')}, which cannot be read back: `, ...named]
    case 'unread': {
      const unread: Phrase = ['The closing read failed, so nothing is verified: ', message(closing.message)]
      return secrets.length === 0
        ? unread
        : [...unread, `; still to do: ${counted(secrets.length, 'secret')}: `, ...named]
    }
    case 'differs': {
      const { steps } = closing.remaining
      const sets = listed([...new Set(steps.map(step => step.operation.subject.name))])
      const shown: Phrase = [
        `The closing read shows ${counted(steps.length, 'operation')} still to do: `,
        ...sets,
      ]
      return secrets.length === 0
        ? shown
        : [...shown, `; and ${counted(secrets.length, 'secret')}, which cannot be read back: `, ...named]
    }
  }
}

/** Names that need no quoting in a shell or a pattern. */
const PLAIN = /^[\w][\w./-]*$/

/** The command that does what is left, including secrets that no later plan would write. */
export function nextOf(result: ApplyResult, again: CommandFlags): Phrase | undefined {
  const { plan, results, exitCode, closing } = result
  const first = beforeNextRun(results)
  if (first.length === 0 && ![3, 130, 143].includes(exitCode)) return undefined
  const unwritten = unwrittenSecrets(result)
  const open =
    closing.state === 'differs'
      ? [...closing.remaining.steps, ...unwritten.map(({ step }) => step)]
      : results.filter(one => !isSettled(one)).map(({ step }) => step)
  const sets = [...new Set(open.map(step => step.operation.subject.name))]
  const secrets = unwritten.flatMap(secretsIn)
  const only = plan.only.length > 0 ? plan.only : sets
  const isShort = sets.length > 0 && sets.length <= 3 && plan.only.length === 0 && sets.every(isPlain)
  if (secrets.length === 0 && !isShort) return [...first, AGAIN]
  const words = [
    ...(plan.address === 'sandbox' ? ['--sandbox'] : []),
    ...again.place,
    ...only.toSorted(compareText).flatMap(set => ['--only', set]),
    ...again.wishes,
    ...secrets.flatMap(secret => ['--rewrite', secret]),
  ]
  const next = command(`setpoint apply ${words.map(shellWord).join(' ')}`)
  if (secrets.length === 0) return [...first, `${AGAIN}, or `, next]
  // The same job would not write these secrets again.
  return [...sets, ...secrets].every(isCopied)
    ? [...(first.length > 0 ? [...first, 'run '] : []), next]
    : [
        ...first,
        `${AGAIN} with --rewrite for `,
        ...joined(
          secrets.map(text => [name(text)]),
          ', ',
        ),
      ]
}

/** What has to change before the same job can succeed. */
function beforeNextRun(results: readonly StepResult[]): Phrase {
  const open = results.filter(result => !isSettled(result))
  const hasCause = (cause: FailureCause): boolean => open.some(result => result.cause === cause)
  const changes = [
    ...(hasCause('token') ? [[TOKEN]] : []),
    ...correction(open),
    ...(hasCause('network') ? [[NETWORK]] : []),
  ]
  return changes.length === 0 ? [] : [...joined(changes, ', '), ', then ']
}

/** The lines of the files whose contents the service refused. */
function correction(results: readonly StepResult[]): Phrase[] {
  const places = new Map<string, Phrase>()
  for (const { step, cause } of results)
    if (cause === 'files' && step.source !== undefined)
      places.set(`${step.source.path}:${step.source.line}`, [place(step.source)])
  if (places.size === 0) return []
  const left = places.size - MOST_PLACES
  const shown = joined([...places.values()].slice(0, MOST_PLACES), ', ')
  return [['correct ', ...shown, ...(left > 0 ? [` and ${counted(left, 'more place')}`] : [])]]
}

const MOST_PLACES = 3

const AGAIN = 'run this job again'
const TOKEN = 'give this job a token that is valid and may write (SETPOINT_TOKEN, or TFE_TOKEN)'
const NETWORK = 'check the connection to the service (address, network, proxy)'

const isPlain = (set: string): boolean => PLAIN.test(set)

/** Whether a name can be copied from a report and used as a pattern. */
const isCopied = (word: string): boolean => terminalText(word) === word && !/^--|[*?]/.test(word)
