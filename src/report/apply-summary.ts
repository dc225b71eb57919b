import { isDeepStrictEqual } from 'node:util'
import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import { categoryOf, nameOf, TARGETS } from '../model/ids.ts'
import { variableOf } from '../plan/items.ts'
import { type Operation, verbOf } from '../plan/operation.ts'
import type { Plan } from '../plan/plan-data.ts'
import { brokenNow, closingOf, isAlreadyDone, isDoneStep, nextOf, unwrittenSecrets } from './next-steps.ts'
import { counted, figure, listed, message, name, type Phrase, present, say } from './phrase.ts'
import { VERBS } from './totals.ts'

/** A step that did not simply succeed. */
export interface EndRow {
  readonly status: 'failed' | 'unknown' | 'skipped' | 'note'
  readonly operation: Phrase
  readonly reason: Phrase
  readonly source?: SourceRange
}

/** The end of an apply: what was done, what is broken now, what to do next. */
export interface EndView {
  readonly ok: boolean
  readonly headline: Phrase
  /** What stopped the run before its end. */
  readonly stopped?: Phrase
  readonly rows: readonly EndRow[]
  /** Rows that are shown only on request, because there are too many. */
  readonly left: readonly EndRow[]
  /** What the closing read showed, unless the headline says it. */
  readonly closing?: Phrase
  readonly broken: readonly Phrase[]
  readonly next?: Phrase
  /** Only if the exit code is not 0. */
  readonly exit?: Phrase
}

const MOST_ROWS = 50

export function endOf(result: ApplyResult, run: Parameters<typeof nextOf>[1]): EndView {
  const { exitCode, stopped } = result
  const ok = exitCode === 0
  const all = rowsOf(result)
  return {
    ok,
    headline: ok ? successOf(result) : failureOf(result),
    stopped: stopped === undefined ? undefined : [message(stopped)],
    rows: all.slice(0, MOST_ROWS),
    left: all.slice(MOST_ROWS),
    closing: ok ? undefined : closingOf(result),
    broken: brokenNow(result),
    next: nextOf(result, run),
    exit: ok ? undefined : [`exit ${exitCode}: ${meaningOf(result)}`],
  }
}

function successOf({ plan, results, closing, inventory }: ApplyResult): Phrase {
  const already = results.filter(isAlreadyDone).length
  const done = results.filter(result => result.outcome.status === 'succeeded')
  if (done.length === 0 && already === 0 && inventory?.state === 'written') return takenIn(plan)
  if (done.length === 0)
    return already === 0
      ? [`Nothing to do. ${counted(plan.facts.equalSets, 'set')} equal.`]
      : [`Nothing left to do: ${counted(already, 'change')} ${already === 1 ? 'was' : 'were'} already made.`]
  const verbs = VERBS.flatMap(([verb, past]) => {
    const count = done.filter(({ step }) => verbOf(step.operation) === verb).length
    return count === 0 ? [] : [`${figure(count)} ${past}`]
  })
  const parts = already === 0 ? verbs : [...verbs, `${figure(already)} already done`]
  return [`Applied: ${parts.join(', ')}.${verified(closing)}`]
}

/** What the closing read confirmed, and how many sets it did not read because no step touched them. */
function verified(closing: ApplyResult['closing'], more = ''): string {
  if (closing.state !== 'equal') return ''
  const { unread } = closing
  if (unread === undefined) return ` Verified by reading the service back${more}.`
  const others = `${counted(unread, 'other set')} ${unread === 1 ? 'was' : 'were'} not read again`
  return ` Verified by reading the changed sets back${more}; ${others}.`
}

function takenIn({ facts }: Plan): Phrase {
  const { adopted } = facts.inventory
  const what = adopted.length === 0 ? 'is up to date' : say`now lists ${listed(adopted)}`
  return say`No other changes. The inventory ${what}.`
}

function failureOf(result: ApplyResult): Phrase {
  const { results, requests, closing } = result
  if (results.length === 0)
    return [requests.writes === 0 ? 'Nothing was written.' : `No set had to change.${verified(closing)}`]
  const count = (status: StepOutcome['status']): number =>
    results.filter(result => result.outcome.status === status && !isAlreadyDone(result)).length
  const already = results.filter(isAlreadyDone).length
  const isWhole = closing.state === 'equal' && unwrittenSecrets(result).length === 0
  const parts = present(
    `${figure(count('succeeded'))} done`,
    already > 0 && `${figure(already)} already done`,
    `${figure(count('failed'))} failed`,
    `${figure(count('skipped'))} skipped`,
    `${figure(count('unknown'))} unknown`,
    result.inventory?.state === 'failed' && 'inventory not complete',
  )
  return [`${parts.join(', ')}.${isWhole ? verified(closing, ': nothing is left to do') : ''}`]
}

/** Failed first, then unknown, skipped, and notes; in each, what has a reason of the service first. Steps that a stop left are counted, except those with secrets. */
function rowsOf(result: ApplyResult): EndRow[] {
  const { inventory } = result
  const secrets = new Set(unwrittenSecrets(result).map(({ step }) => step.id))
  const named = result.results
    .filter(one => !isStopped(one) || secrets.has(one.step.id))
    .toSorted((a, b) => Number(b.hasReason ?? false) - Number(a.hasReason ?? false))
  const others = result.results.length - named.length
  const never: EndRow = { status: 'skipped', operation: [counted(others, 'operation')], reason: [STOPPED] }
  const rows = present<EndRow>(
    inventory?.state === 'failed' && {
      status: 'failed',
      operation: ['the inventory'],
      reason: [message(inventory.message)],
    },
    ...named.flatMap(rowOf),
    others > 0 && never,
  )
  return ROWS.flatMap(status => told(rows.filter(row => row.status === status)))
}

/** One reason is told once: the rows after it, with the same, refer to it. */
const told = (rows: readonly EndRow[]): EndRow[] =>
  rows.map((row, at) =>
    isDeepStrictEqual(row.reason, rows[at - 1]?.reason) ? { ...row, reason: SAME } : row,
  )

const SAME: Phrase = ['the same']

const ROWS = ['failed', 'unknown', 'skipped', 'note'] as const

const STOPPED = 'the run stopped first'

const isStopped = ({ outcome }: StepResult): boolean =>
  outcome.status === 'skipped' && outcome.because === 'stopped'

function rowOf({ step: { operation, source }, outcome }: StepResult): EndRow[] {
  const row = (status: EndRow['status'], reason: Phrase): EndRow[] => [
    { status, operation: operationPhrase(operation), reason, source },
  ]
  switch (outcome.status) {
    case 'failed':
    case 'unknown':
      return row(outcome.status, [message(outcome.message)])
    case 'skipped':
      if (outcome.because === 'already-done') return []
      return row(
        'skipped',
        outcome.because === 'stopped' ? [STOPPED] : say`depends on ${message(outcome.because)}`,
      )
    case 'succeeded':
      return outcome.note === undefined ? [] : row('note', [message(outcome.note)])
  }
}

/** `create-variable proxy env/HTTP_PROXY`, `assign network 3 workspaces`. */
function operationPhrase(operation: Operation): Phrase {
  const start = say`${operation.type} ${name(operation.subject.name)}`
  const key = variableOf(operation)
  if (key !== undefined) return say`${start} ${categoryOf(key)}/${name(nameOf(key))}`
  if (operation.type !== 'assign' && operation.type !== 'unassign') return start
  const { kind, ids } = operation.targets
  return say`${start} ${counted(ids.length, TARGETS[kind].one)}`
}

function meaningOf({ exitCode, requests, results, closing }: ApplyResult): string {
  const written = requests.writes > 0
  switch (exitCode) {
    case 1:
      return 'error, nothing was written'
    case 3:
      if (!results.every(isDoneStep)) return 'partly applied'
      if (closing.state === 'unread') return 'applied, not verified'
      if (closing.state === 'differs')
        return results.some(({ notKept }) => notKept !== undefined)
          ? 'applied, but the service does not keep all of it'
          : 'applied, but the service differs again'
      return `${results.length === 0 ? '' : 'applied, but '}writing the inventory failed`
    case 4:
      return written ? 'refused' : 'refused, nothing was written'
    case 130:
    case 143:
      return written ? 'interrupted, partly applied' : 'interrupted, nothing was written'
    default:
      return 'not done'
  }
}
