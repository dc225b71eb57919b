import type { VariableKey } from '../../model/ids.ts'
import type { Cell } from './cells.ts'
import type { EffectKind, EffectReason } from './effect.ts'
import type { Member } from './members.ts'
import { byStrength, type RankedSource, reasonFor } from './precedence.ts'
import { type HeldValue, isSentAgain, type SetState, sameInOneSet, sameInTwoSets } from './set-state.ts'

/**
 * What some members receive of one key, before and after a plan. All that is said about workspaces is a question to these rows: effects
 * list them by workspace, the affected by change, overrides by set.
 */
export interface Received extends ReceivedChange {
  readonly members: readonly Member[]
}

/** What happens to a key where these win. */
export interface ReceivedChange {
  readonly key: VariableKey
  /** Absent: nothing gives the key. */
  readonly before?: Winner
  readonly after?: Winner
  readonly change: EffectKind | 'same'
  /** Only if another source wins. */
  readonly why?: EffectReason
}

/** What wins, with its value. */
interface Winner {
  /** Absent: the workspace itself. */
  readonly set?: SetState
  readonly value: HeldValue
}

/** Every change, without a limit. */
export function receivedAt(cells: readonly Cell[]): readonly Received[] {
  const rows = new Map<string, Received & { readonly members: Member[] }>()
  for (const cell of cells) {
    const [was, is] = [winnerAt(cell, 0), winnerAt(cell, 1)]
    if (was === undefined && is === undefined) continue
    const received = changeBetween(cell.key, was, is, () => sourcesAt(cell, 1))
    const { key, before, after, change, why } = received
    if (change === 'same' && noticedChange(received) === undefined) continue
    const identity = JSON.stringify([key, nameOf(before), nameOf(after), change, why])
    const row = rows.get(identity)
    if (row === undefined) rows.set(identity, { ...received, members: [...cell.members] })
    else for (const member of cell.members) row.members.push(member)
  }
  return [...rows.values()]
}

const nameOf = (winner: Winner | undefined): string | undefined => winner && (winner.set?.id ?? 'own')

/** The strongest source of the key before the plan (0) or after it (1). */
export function winnerAt(cell: Cell, moment: 0 | 1): RankedSource | undefined {
  let strongest: RankedSource | undefined
  for (const { source } of cell.contenders) {
    const one = source[moment]
    if (one === undefined || !one.held.has(cell.key)) continue
    if (strongest === undefined || byStrength(one, strongest) < 0) strongest = one
  }
  return strongest
}

/** Everything that gives the key before the plan (0) or after it (1). */
export const sourcesAt = ({ key, contenders }: Cell, moment: 0 | 1): RankedSource[] =>
  contenders.flatMap(({ source }) => {
    const one = source[moment]
    return one?.held.has(key) ? one : []
  })

/** `after`: everything that gives the key after the plan. */
export function changeBetween(
  key: VariableKey,
  was: RankedSource | undefined,
  is: RankedSource | undefined,
  after: () => readonly RankedSource[],
): ReceivedChange {
  const [before, then] = [winnerOf(key, was), winnerOf(key, is)]
  return { key, before, after: then, change: kindOf(key, before, then), why: whyOf(was, is, after) }
}

function winnerOf(key: VariableKey, source: RankedSource | undefined): Winner | undefined {
  const value = source?.held.get(key)
  return value && { set: source?.set, value }
}

function kindOf(
  key: VariableKey,
  before: Winner | undefined,
  after: Winner | undefined,
): ReceivedChange['change'] {
  if (before === undefined || after === undefined)
    return before === undefined ? (after === undefined ? 'same' : 'gained') : 'lost'
  if (before.set?.id === after.set?.id) return sameInOneSet(key, before.value, after.value) ? 'same' : 'value'
  return sameInTwoSets(key, before.value, after.value) ? 'source' : 'winner'
}

function whyOf(
  was: RankedSource | undefined,
  is: RankedSource | undefined,
  after: () => readonly RankedSource[],
): EffectReason | undefined {
  if (was === undefined || is === undefined || was.set?.id === is.set?.id) return undefined
  const loser = after().find(({ set }) => set?.id === was.set?.id)
  return loser === undefined ? 'gone' : reasonFor(is, loser)
}

/**
 * What a workspace may notice: more than what reports call an effect. `precedence`: the value stays, but begins or ceases to override
 * workspace variables. A secret that is sent again because of its description is `changed`, because what is sent may differ.
 */
export function noticedChange({
  change,
  before,
  after,
}: ReceivedChange): 'gained' | 'lost' | 'changed' | 'precedence' | undefined {
  switch (change) {
    case 'gained':
    case 'lost':
      return change
    case 'value':
    case 'winner':
      return 'changed'
    case 'same':
    case 'source': {
      if (change === 'same' && after !== undefined && isSentAgain(after.value)) return 'changed'
      const isKnown = before?.set !== undefined && after?.set !== undefined
      return isKnown && before.set.priority !== after.set.priority ? 'precedence' : undefined
    }
  }
}
