import type { VariableKey, WorkspaceId } from '../../model/ids.ts'
import { itemAt } from '../../model/lists.ts'
import type { Cell } from './cells.ts'
import type { EffectReason, Member, Received, ReceivedChange, ReceivedKind } from './effect.ts'
import { isProject, isWorkspace } from './members.ts'
import { byStrength, type RankedSource, reasonFor } from './precedence.ts'
import { type HeldValue, kindInOneSet, type SetState, sameInTwoSets } from './set-state.ts'

/**
 * What some members receive of one key, before and after a plan. All that is said about workspaces is a question to these rows: effects
 * list them by workspace, the affected by change, overrides by set.
 */
export interface ReceivedRow {
  readonly key: VariableKey
  readonly members: readonly Member[]
  readonly kind: ReceivedKind
  /** Absent: nothing gives the key. */
  readonly before?: Winner
  readonly after?: Winner
  /** Only if another source wins. */
  readonly why?: EffectReason
}

/** What wins, with its value. */
interface Winner {
  /** Absent: the workspace itself. */
  readonly set?: SetState
  readonly value: HeldValue
}

/** Every change, without a limit. Rows share the lists of cells. */
export function receivedAt(cells: readonly Cell[]): readonly ReceivedRow[] {
  const rows = new Map<string, ReceivedRow>()
  const joined = new Map<string, Member[]>()
  for (const cell of cells) {
    const { key } = cell
    const [was, is] = [winnerAt(cell, 0), winnerAt(cell, 1)]
    const [before, after] = [winnerOf(key, was), winnerOf(key, is)]
    const kind = kindOf(key, before, after)
    if (kind === undefined) continue
    const why = whyOf(was, is, cell)
    const identity = JSON.stringify([key, nameOf(before), nameOf(after), kind, why])
    const row = rows.get(identity)
    if (row === undefined) {
      rows.set(identity, { key, kind, before, after, why, members: cell.members })
      continue
    }
    const members = joined.get(identity) ?? [...row.members]
    joined.set(identity, members)
    for (const member of cell.members) members.push(member)
    if (row.members !== members) rows.set(identity, { ...row, members })
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

function winnerOf(key: VariableKey, source: RankedSource | undefined): Winner | undefined {
  const value = source?.held.get(key)
  return value && { set: source?.set, value }
}

/** What happens to a key if another source wins, or another value; `undefined`: nothing. */
export function changeBetween(
  key: VariableKey,
  was: RankedSource | undefined,
  is: RankedSource | undefined,
): ReceivedKind | undefined {
  return kindOf(key, winnerOf(key, was), winnerOf(key, is))
}

function kindOf(
  key: VariableKey,
  before: Winner | undefined,
  after: Winner | undefined,
): ReceivedKind | undefined {
  if (before === undefined || after === undefined)
    return before === undefined ? (after === undefined ? undefined : 'gained') : 'lost'
  if (before.set?.id !== after.set?.id)
    return sameInTwoSets(key, before.value, after.value) ? 'source' : 'winner'
  const kind = kindInOneSet(key, before.value, after.value)
  return kind === undefined && before.set?.priority !== after.set?.priority ? 'priority' : kind
}

function whyOf(
  was: RankedSource | undefined,
  is: RankedSource | undefined,
  { key, contenders }: Cell,
): EffectReason | undefined {
  if (was === undefined || is === undefined || was.set?.id === is.set?.id) return undefined
  for (const { source } of contenders) {
    const loser = source[1]
    if (loser?.held.has(key) && loser.set?.id === was.set?.id) return reasonFor(is, loser)
  }
  return 'gone'
}

/**
 * What a workspace may notice of a change; `undefined` if it gets the same value from another set. `precedence`: the value stays, but
 * begins or ceases to override workspace variables. A secret that is sent again is `changed`, because what is sent may differ.
 */
export function noticedAs(
  kind: ReceivedKind,
  before: { readonly priority?: boolean } | undefined,
  after: { readonly priority?: boolean } | undefined,
): 'gained' | 'lost' | 'changed' | 'precedence' | undefined {
  switch (kind) {
    case 'gained':
    case 'lost':
      return kind
    case 'value':
    case 'winner':
    case 'sent':
      return 'changed'
    case 'priority':
      return 'precedence'
    case 'source': {
      const isKnown = before !== undefined && after !== undefined
      return isKnown && (before.priority === true) !== (after.priority === true) ? 'precedence' : undefined
    }
  }
}

/** The same for a change of a plan. Without a set, the workspace itself gives the value. */
export const noticedIn = ({ kind, before, after }: ReceivedChange): ReturnType<typeof noticedAs> =>
  noticedAs(
    kind,
    before?.set === undefined ? undefined : before,
    after?.set === undefined ? undefined : after,
  )

/** Whether a workspace sees a change, apart from those of which only its own variables could tell. */
export const isEffect = ({ kind }: Pick<ReceivedChange, 'kind'>): boolean =>
  kind !== 'priority' && kind !== 'sent'

/** The known workspaces that see an effect. */
export const workspacesThatSee = ({ changes, groups }: Received): WorkspaceId[] =>
  groups.flatMap(({ members, changes: seen }) =>
    seen.some(at => isEffect(itemAt(changes, at))) ? members.filter(isWorkspace) : [],
  )

/** Whether unknown workspaces see an effect. */
export const isPartlyTold = ({ changes, groups }: Received): boolean =>
  groups.some(
    ({ members, changes: seen }) =>
      members.some(member => member === 'others' || isProject(member)) &&
      seen.some(at => isEffect(itemAt(changes, at))),
  )
