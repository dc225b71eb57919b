import type { VariableKey } from '../model/ids.ts'
import { partsTaken, placeOf } from '../plan/items.ts'
import {
  type CreateSet,
  type DeleteSet,
  type Operation,
  type OperationId,
  type UpdateSet,
  variablesSent,
} from '../plan/operation.ts'
import type { Plan, Step } from '../plan/plan.ts'

/** A variable that leaves one set and comes to another, the second after the first. */
export interface Move {
  readonly key: VariableKey
  readonly from: Step
  readonly to: Step
}

/** How steps hang together, for the reader. */
export interface Relations {
  readonly steps: ReadonlyMap<OperationId, Step>
  readonly moves: readonly Move[]
}

export function relationsOf(plan: Plan): Relations {
  const steps = new Map(plan.steps.map(step => [step.id, step]))
  return { steps, moves: plan.steps.flatMap(step => movesTo(step, steps)) }
}

function movesTo(to: Step, steps: Relations['steps']): Move[] {
  const sent = new Set(variablesSent(to.operation).map(variable => variable.key))
  return to.after.flatMap(id => {
    const from = steps.get(id)
    if (from === undefined) return []
    return keysReleased(from.operation)
      .filter(key => sent.has(key))
      .map(key => ({ key, from, to }))
  })
}

const keysReleased = (operation: Operation): readonly VariableKey[] =>
  partsTaken(operation).flatMap(item => (item.kind === 'variable' && !item.isHalf ? [item.key] : []))

/** The deleted secret is written anew in the set it moves to, from the source that this run has. */
export const isRewritten = (step: Step, key: VariableKey, { moves }: Relations): boolean =>
  moves.some(
    move =>
      move.from === step &&
      move.key === key &&
      variablesSent(move.to.operation).some(sent => sent.key === key && 'secret' in sent.value),
  )

/** The steps on other sets that this one waits for, without those that a move tells of already. */
export function waitsOnOthers(step: Step, { steps, moves }: Relations): Step[] {
  return step.after.flatMap(id => {
    const earlier = steps.get(id)
    if (earlier === undefined || placeOf(earlier.operation) === placeOf(step.operation)) return []
    return moves.some(move => move.to === step && move.from === earlier) ? [] : [earlier]
  })
}

/** What the set was that a new one takes the place of in this plan, and the step that deletes it. */
export const formerOf = (
  { replaces }: CreateSet,
  steps: readonly Step[],
): { readonly step: Step; readonly before: DeleteSet['before'] } | undefined => {
  // Most take nobody's place: for them nothing is searched.
  if (replaces === undefined) return undefined
  return steps.flatMap(step =>
    step.operation.type === 'delete-set' && step.operation.subject.id === replaces
      ? [{ step, before: step.operation.before }]
      : [],
  )[0]
}

/** The new set that takes its place in this plan, which then tells of both. */
export const successorOf = (deleted: Operation, steps: readonly Step[]): CreateSet | undefined =>
  deleted.type === 'delete-set' && deleted.replaced === true
    ? steps.flatMap(({ operation }) =>
        operation.type === 'create-set' && operation.replaces === deleted.subject.id ? [operation] : [],
      )[0]
    : undefined

/** A new set has that of the one whose place it takes. */
export const hadPriority = (operation: CreateSet | UpdateSet, steps: readonly Step[]): boolean =>
  (operation.type === 'update-set' ? operation : formerOf(operation, steps))?.before.priority === true
