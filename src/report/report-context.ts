import type { VariableKey } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { removedItems, secretsSent, variablesSent } from '../plan/items.ts'
import { type Operation, type OperationId, setKeyOf } from '../plan/operation.ts'
import type { Origin, Plan, SetOrigin, Step } from '../plan/plan-data.ts'
import type { HiddenKeys, StepStatus } from './change.ts'

/** What the entries of a report are made from, looked up once for a plan. */
export interface Context {
  readonly plan: Plan
  readonly relations: Relations
  readonly hidden: HiddenKeys
  readonly origins: Origins
  readonly statusOf: (step: Step) => StepStatus
}

/** Where differences come from, as far as a report of one kind shows it. */
export interface Origins {
  /** The origin of an item; `item` as in `plan/items.ts`. */
  readonly of: (set: string, item: string) => Origin | undefined
  readonly updatedAt: (set: string) => string | undefined
}

/** A plan without a base shows only what was changed outside: everything else is what the plan is for. */
export function originsIn({ facts }: Plan, kind: 'plan' | 'drift' | 'apply'): Origins {
  const bySet = new Map<string, SetOrigin>(facts.origins.map(one => [one.set, one]))
  const tellsAll = facts.base !== undefined || kind === 'drift'
  return {
    of: (set, item) => {
      const origin = bySet.get(set)?.items[item]
      return tellsAll || origin === 'outside' ? origin : undefined
    },
    updatedAt: set => bySet.get(set)?.updatedAt,
  }
}

/** A variable that leaves one set and comes to another, the second after the first. */
interface Move {
  readonly key: VariableKey
  readonly from: Step
  readonly to: Step
  /** The value is a secret that this run writes. */
  readonly isSecret: boolean
}

export interface Relations {
  readonly steps: ReadonlyMap<OperationId, Step>
  readonly moves: readonly Move[]
  readonly movesFrom: (step: Step, key: VariableKey) => readonly Move[]
  readonly movesTo: (step: Step, key: VariableKey) => readonly Move[]
  /** Whether a variable moves from the first step to the second. */
  readonly isMove: (from: Step, to: Step) => boolean
}

export function relationsOf(plan: Plan): Relations {
  const steps = new Map(plan.steps.map(step => [step.id, step]))
  const moves = plan.steps.flatMap(step => movesTo(step, steps))
  const at = ({ id }: Step, what: string): string => `${id}\n${what}`
  const from = grouped(moves, move => at(move.from, move.key))
  const to = grouped(moves, move => at(move.to, move.key))
  const pairs = new Set(moves.map(move => at(move.from, move.to.id)))
  return {
    steps,
    moves,
    movesFrom: (step, key) => from.get(at(step, key)) ?? [],
    movesTo: (step, key) => to.get(at(step, key)) ?? [],
    isMove: (first, second) => pairs.has(at(first, second.id)),
  }
}

function movesTo(to: Step, steps: Relations['steps']): Move[] {
  if (to.after.length === 0) return []
  const sent = new Map(variablesSent(to.operation).map(({ key, value }) => [key, 'secret' in value]))
  return to.after.flatMap(({ step: id }) => {
    const from = steps.get(id)
    if (from === undefined || sent.size === 0) return []
    return keysReleased(from.operation).flatMap(key => {
      const isSecret = sent.get(key)
      return isSecret === undefined ? [] : [{ key, from, to, isSecret }]
    })
  })
}

const keysReleased = (operation: Operation): readonly VariableKey[] =>
  removedItems(operation).flatMap(item => (item.kind === 'variable' && !item.isHalf ? [item.key] : []))

/** Whether this plan writes a secret under the key of one that a step deletes: afterwards, or before in the set that takes over. */
export const isRewritten = (step: Step, key: VariableKey, { movesFrom, steps }: Relations): boolean =>
  movesFrom(step, key).some(({ isSecret }) => isSecret) ||
  step.after.some(({ step: id }) => {
    const earlier = steps.get(id)
    return earlier !== undefined && secretsSent(earlier.operation).includes(key)
  })

/** The steps on other sets that this one waits for, except those that a move already shows. */
export function waitsOnOthers(step: Step, { steps, isMove }: Relations): Step[] {
  return step.after.flatMap(({ step: id }) => {
    const earlier = steps.get(id)
    if (earlier === undefined || setKeyOf(earlier.operation) === setKeyOf(step.operation)) return []
    return isMove(earlier, step) ? [] : [earlier]
  })
}
