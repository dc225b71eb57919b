import type { StepOutcome } from '../apply/outcome.ts'
import { itemAt } from '../model/lists.ts'
import type { Audience, GapReason, TransitionGap } from '../plan/effective/effect.ts'
import { isPartlyTold } from '../plan/effective/received.ts'
import { itemsOf, type OperationId } from '../plan/operation.ts'
import type { Plan, Step } from '../plan/plan-data.ts'
import { type AlertGroup, alert, condensed } from './alert.ts'
import { givenValue, isSingle, whoOf } from './effects.ts'
import { counted, figure, groupedBy, joined, keysPhrase, name, type Phrase, present, say } from './phrase.ts'

const MOST_GAPS = 4

const WHY = {
  slot: 'the order of the two is fixed',
  revocation: 'a secret is removed first',
  requests: 'no order was found that avoids it',
} as const satisfies Record<GapReason, string>

/** Values that are neither old nor new and that workspaces may see. Gaps that differ only in the key share a line. */
export function gapAlerts(plan: Plan): AlertGroup {
  const { gaps } = plan.facts.transition
  const steps = stepsById(plan)
  const alertOf = (group: readonly TransitionGap[]) => {
    const [gap] = group
    if (gap === undefined) return []
    const [from, to] = [name(stepsOf(group, 0, steps)), name(stepsOf(group, 1, steps))]
    const phrase = say`${seenBy(group, gap, plan, 'may see')} between ${from} and ${to} (${WHY[gap.why]})`
    const sets = [gap.before, gap.after].flatMap(giver => giver?.set ?? [])
    const source = steps.get(gap.between[1])?.source
    return [alert('gap', phrase, { source, sets, keys: keysOf(group), breadth: breadthOf(gap) })]
  }
  const merged = groupedBy(gaps, gap => likenessOf(gap, steps))
  return condensed(
    gaps.flatMap(gap => alertOf([gap])),
    MOST_GAPS,
    merged.flatMap(alertOf),
  )
}

const keysOf = (group: readonly TransitionGap[]) => [...new Set(group.map(({ key }) => key))]

const breadthOf = ({ count, projects, others }: Audience): number =>
  others || projects.length > 0 ? Number.POSITIVE_INFINITY : count

/** `env X: every workspace may see no value`. */
function seenBy(group: readonly TransitionGap[], gap: TransitionGap, plan: Plan, see: string): Phrase {
  const keys = keysOf(group)
  const { seen } = gap
  const text = keys.length === 1 && seen?.secret !== true ? givenValue(seen) : undefined
  const values = keys.length === 1 ? 'value' : 'values'
  const what =
    seen === undefined
      ? `no ${values}`
      : say`the ${values} of ${name(seen.set ?? '')}${text && say` (${text})`}`
  return say`${keysPhrase(keys)}: ${whoOf(gap, plan.facts.received, plan)} ${see} ${what}`
}

type Steps = ReadonlyMap<OperationId, Step>

const stepsById = ({ steps, facts }: Plan): Steps =>
  new Map(facts.transition.gaps.length === 0 ? [] : steps.map(step => [step.id, step]))

/** A step of the gap's variable without its key: gaps are alike if they differ only in the variable. */
function withoutKey(id: OperationId, { key }: TransitionGap, steps: Steps): string {
  const operation = steps.get(id)?.operation
  const isOfKey =
    operation !== undefined && itemsOf(operation).some(item => 'key' in item && item.key === key)
  return isOfKey ? `${operation.type} ${operation.subject.name}` : id
}

function likenessOf(gap: TransitionGap, steps: Steps): string {
  const { seen, why, between, count, workspaces, projects, others } = gap
  const ends = between.map(id => withoutKey(id, gap, steps))
  return JSON.stringify([seen?.set, why, ends, count, workspaces, projects, others])
}

/** The step where a gap begins or ends; for steps that differ only in the variable, what they have in common. */
function stepsOf(group: readonly TransitionGap[], end: 0 | 1, steps: Steps): string {
  const gap = itemAt(group, 0)
  const ids = new Set(group.map(({ between }) => between[end]))
  return ids.size === 1 ? gap.between[end] : withoutKey(gap.between[end], gap, steps)
}

/** Whether the findings say everything: the plan knows of every workspace, and each gap has a finding. */
export const isToldByFindings = ({ facts: { transition, received } }: Plan): boolean =>
  transition.left === 0 && received.level === 'workspaces' && received.partial !== true

/** `212 workspaces see only the old and the new value`: a promise about known workspaces only. */
export function transitionPhrase({ steps, facts }: Plan): Phrase | undefined {
  const { transition, received } = facts
  const { workspaces, seeing, gaps, left } = transition
  const isKnown = received.level === 'workspaces'
  // Unknown workspaces are reported with the effects.
  const isTold = isPartlyTold(received)
  if (steps.length === 0 || (workspaces === 0 && gaps.length === 0)) return undefined
  const noun = isKnown ? 'workspace' : 'known workspace'
  const found = gaps.length + left
  const counts =
    workspaces > 0 &&
    (found === 0
      ? `${counted(workspaces, noun)} ${workspaces === 1 ? 'sees' : 'see'} only the old and the new value`
      : `${figure(seeing)} of ${counted(workspaces, noun)} may see a value that is neither old nor new`)
  const number = found === 0 ? '' : workspaces === 0 ? counted(found, 'gap') : ` (${counted(found, 'gap')})`
  const parts = present<Phrase>(
    say`${counts}${number}`,
    !isKnown && !isTold && ['the service does not tell this token all workspaces'],
    received.partial === true && ['the snapshot does not contain unmanaged sets'],
  )
  return joined(parts, '; ')
}

type Done = 'yes' | 'no' | 'maybe'

/** Gaps that a failed apply left open: the step where one begins was done, the step where it ends was not. */
export function openGaps(plan: Plan, outcomes: ReadonlyMap<OperationId, StepOutcome>): OpenGap[] {
  const steps = stepsById(plan)
  const open = plan.facts.transition.gaps.flatMap(gap => {
    const [first, last] = gap.between.map(step => doneOf(outcomes.get(step)))
    if (first === 'no' || last === 'yes') return []
    return [{ gap, sure: first === 'yes' && last === 'no' }]
  })
  return groupedBy(open, ({ gap, sure }) => JSON.stringify([likenessOf(gap, steps), sure])).flatMap(group => {
    const gaps = group.map(({ gap }) => gap)
    const [one] = group
    if (one === undefined) return []
    const seen = seenBy(gaps, one.gap, plan, isSingle(one.gap) ? 'sees' : 'see')
    const phrase = say`${seen} now,${!one.sure && ' possibly,'} until ${name(stepsOf(gaps, 1, steps))} succeeds`
    return [{ phrase, steps: gaps.map(({ between }) => between[1]) }]
  })
}

interface OpenGap {
  readonly phrase: Phrase
  /** The steps that would close it. */
  readonly steps: readonly OperationId[]
}

export function doneOf(outcome: StepOutcome | undefined): Done {
  if (outcome === undefined) return 'no'
  if (outcome.status === 'skipped') return outcome.because === 'already-done' ? 'yes' : 'no'
  return outcome.status === 'succeeded' ? 'yes' : outcome.status === 'unknown' ? 'maybe' : 'no'
}
