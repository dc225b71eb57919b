import type { StepOutcome } from '../apply/outcome.ts'
import { itemAt } from '../model/lists.ts'
import type { GapReason, TransitionGap } from '../plan/effective/effect.ts'
import { isPartlyTold } from '../plan/effective/received.ts'
import { itemsOf, type OperationId } from '../plan/operation.ts'
import type { Plan, Step } from '../plan/plan-data.ts'
import { counted, figure, groupedBy, joined, keysPhrase, name, type Phrase, present, say } from './phrase.ts'
import { givenValue, isSingle, whoPhrase } from './who.ts'

const WHY = {
  slot: 'the order of the two is fixed',
  revocation: 'a secret is removed first',
  requests: 'no order was found that avoids it',
} as const satisfies Record<GapReason, string>

/** What workspaces may see, and while which sets change. Gaps that differ only in the key are told together. */
export function gapWords(group: readonly TransitionGap[], plan: Plan, steps: Steps): Phrase {
  const gap = itemAt(group, 0)
  const sets = [...new Set(gap.between.flatMap(id => steps.get(id)?.operation.subject.name ?? []))]
  const change = sets.length === 1 ? 'changes' : 'change'
  const seen = gap.seen === undefined ? ['absent'] : valuesSeen(group)
  return say`${seen} in ${whoPhrase(gap, plan)} while ${joined(sets.map(name), ' and ')} ${change} (${WHY[gap.why]})`
}

/** The sets that give the key before and after. */
export const setsOfGap = ({ before, after }: TransitionGap): string[] => [
  ...new Set([before, after].flatMap(giver => giver?.set ?? [])),
]

const keysOf = (group: readonly TransitionGap[]) => [...new Set(group.map(({ key }) => key))]

/** `env X: every workspace may see no value`. */
function seenBy(group: readonly TransitionGap[], gap: TransitionGap, plan: Plan, see: string): Phrase {
  return say`${keysPhrase(keysOf(group))}: ${whoPhrase(gap, plan)} ${see} ${valuesSeen(group)}`
}

/** `no value`, `the values of net`. */
function valuesSeen(group: readonly TransitionGap[]): Phrase {
  const { seen } = itemAt(group, 0)
  const keys = keysOf(group)
  const text = keys.length === 1 && seen?.secret !== true ? givenValue(seen) : undefined
  const values = keys.length === 1 ? 'value' : 'values'
  return seen === undefined
    ? [`no ${values}`]
    : say`the ${values} of ${name(seen.set ?? '')}${text && say` (${text})`}`
}

export type Steps = ReadonlyMap<OperationId, Step>

export const stepsById = ({ steps, facts }: Plan): Steps =>
  new Map(facts.transition.gaps.length === 0 ? [] : steps.map(step => [step.id, step]))

/** A step of the gap's variable without its key: gaps are alike if they differ only in the variable. */
function withoutKey(id: OperationId, { key }: TransitionGap, steps: Steps): string {
  const operation = steps.get(id)?.operation
  const isOfKey =
    operation !== undefined && itemsOf(operation).some(item => 'key' in item && item.key === key)
  return isOfKey ? `${operation.type} ${operation.subject.name}` : id
}

export function likenessOf(gap: TransitionGap, steps: Steps): string {
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
    !isKnown && !isTold && ['the service does not show this token all workspaces'],
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
