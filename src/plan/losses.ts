import { nameOf, type StackId, type VariableKey } from '../model/ids.ts'
import { plural, shortList } from '../model/lists.ts'
import type { Directory, Guards } from '../model/variable-set.ts'
import { type Contender, cellsOf } from './effective/cells.ts'
import type { Member } from './effective/effect.ts'
import {
  isProject,
  isStack,
  isWorkspace,
  type KnownMembers,
  receiversOf,
  stacksReading,
} from './effective/members.ts'
import { winnerAt } from './effective/received.ts'
import { readByStacks } from './effective/received-fact.ts'
import type { Reception } from './effective/reception.ts'
import { type SetState, type SetStates, unchangedSets } from './effective/set-state.ts'
import type { Match } from './match.ts'
import { type Block, WHOLE_PLAN } from './plan-data.ts'

/** Shares count from this many values, a value being a key at a workspace. */
const SHARE_FROM = 10
/** Workspaces that lose everything and are told only, as those that are taken out of all their sets. */
const MOST_EMPTIED = 2

/** A set, and the values that it gives before the plan and nothing gives after it, to workspaces and Stacks. */
interface TakenValues {
  readonly set: SetStates
  readonly before: SetState
  readonly keys: Set<VariableKey>
  readonly members: Set<Member>
  /** The number of values. */
  count: number
  /** Some of them came through what the set no longer reaches: everything, or a project. */
  readonly through: Set<Dropped>
}

/** What a set reached as a whole, and no longer does. */
type Dropped = 'everything' | 'project'

/**
 * Blocks a plan by what workspaces lose: the keys that end without a value, whichever way they are taken away (a set, a variable, an
 * assignment, `global`, a project). Who is not told counts as one workspace for each project, and one for all others. Pure.
 */
export function guardLosses(
  reception: Reception,
  match: Match,
  { losses: most }: Pick<Guards, 'losses'>,
  directory: Directory,
): Block[] {
  const lost = lossesIn(reception)
  if (lost.length === 0) return []
  const gave = givenBy(lost, reception, match)
  const sources = new Map(
    match.pairs.map(({ desired, observed }) => [observed?.id as string | undefined, desired.source]),
  )
  for (const { observed, source } of match.removals) if (source) sources.set(observed.id, source)
  const block = (message: string, { before }: TakenValues): Block => ({
    code: 'loses-values',
    message: sentence(message),
    item: { kind: 'set', set: before.name },
    source: sources.get(before.id),
  })
  return [
    ...lost.flatMap(loss => {
      const { set, before, count, through } = loss
      const given = gave.get(set) ?? count
      const [what] = through
      if (what !== undefined)
        return block(
          `"${before.name}" no longer reaches ${droppedText(what, loss)}, and ${lossText(loss)}.`,
          loss,
        )
      if (given < SHARE_FROM || count * 100 <= most * given) return []
      return block(
        `${lossText(loss)}: ${count} of the ${given} values that "${before.name}" gives; more than ${most} % need a review.`,
        loss,
      )
    }),
    ...emptied(lost, reception, match, directory),
  ]
}

const lossText = ({ keys, members }: TakenValues): string =>
  `${membersText([...members])} lose${isOne(members) ? 's' : ''} ${shortList([...keys].map(nameOf))}, which nothing else gives`

/** It may begin with "the workspaces of" or "all others". */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A known workspace or Stack alone. */
const isOne = (members: ReadonlySet<Member>): boolean =>
  members.size === 1 && [...members].every(one => isWorkspace(one) || isStack(one))

function droppedText(what: Dropped, { set: { after }, before }: TakenValues): string {
  if (what === 'everything') return 'every workspace'
  const gone = before.projects.filter(id => !after?.projects.includes(id))
  return gone.length === 1 ? 'a project' : plural(gone.length, 'project')
}

/** `40 workspaces`, `the workspaces of 2 projects and all others`. */
function membersText(members: readonly Member[]): string {
  const stacks = members.filter(isStack).length
  const known = members.filter(isWorkspace).length
  const projects = members.filter(isProject).length
  return [
    ...(known > 0 ? [plural(known, 'workspace')] : []),
    ...(projects > 0 ? [`the workspaces of ${plural(projects, 'project')}`] : []),
    ...(members.includes('others') ? ['all others'] : []),
    ...(stacks > 0 ? [plural(stacks, 'Stack')] : []),
  ].join(' and ')
}

/**
 * Each set that gives values which nothing gives after the plan, by name. For a Stack no set stands in for another: it reads each by itself
 * (docs/service.md 13.1).
 */
function lossesIn({ cells, changing, members }: Reception): TakenValues[] {
  const losses = new Map<SetStates, TakenValues>()
  const take = (set: SetStates, key: VariableKey, from: readonly Member[], dropped?: Dropped): void => {
    const { before } = set
    if (before === undefined) return
    const known = losses.get(set)
    const loss = known ?? { set, before, keys: new Set(), members: new Set(), count: 0, through: new Set() }
    losses.set(set, loss)
    loss.keys.add(key)
    loss.count += from.length
    for (const member of from) loss.members.add(member)
    if (dropped !== undefined) loss.through.add(dropped)
  }
  for (const cell of cells) {
    const winner = winnerAt(cell, 0)
    if (winner === undefined || winnerAt(cell, 1) !== undefined) continue
    const one = cell.contenders.find(({ source }) => source[0] === winner)
    if (one) take(one.set, cell.key, cell.members, droppedBy(one))
  }
  for (const set of changing)
    for (const { key, kind, stacks } of readByStacks(set, members))
      if (kind === 'lost') take(set, key, stacks, droppedFromStacks(set, stacks, members))
  return [...losses.values()]
}

function droppedFromStacks(
  { before, after }: SetStates,
  stacks: readonly StackId[],
  { stacks: listed }: KnownMembers,
): Dropped | undefined {
  if (before?.global === true && after?.global !== true) return 'everything'
  const gone = before?.projects.filter(id => !after?.projects.includes(id)) ?? []
  const isInside = (stack: StackId): boolean => gone.some(id => id === listed?.get(stack))
  return stacks.some(isInside) ? 'project' : undefined
}

/** The widest of what a set reached as a whole at these members, and no longer reaches. */
function droppedBy({ set: { before, after }, through }: Contender): Dropped | undefined {
  if (before?.global === true && after?.global !== true) return 'everything'
  return through[0] && !through[1] ? 'project' : undefined
}

/** How many values each of these sets gives before the plan, and no other set overrides. */
function givenBy(
  losses: readonly TakenValues[],
  { changing, members }: Reception,
  match: Match,
): Map<SetStates, number> {
  const keys = new Set(losses.flatMap(({ before }) => [...before.held.keys()]))
  const names = new Set(changing.map(set => set.after?.name))
  const sets = [...changing, ...unchangedSets(match, name => names.has(name), keys)]
  const given = new Map<SetStates, number>()
  for (const cell of cellsOf(sets, members, keys)) {
    const winner = winnerAt(cell, 0)
    const one = winner && cell.contenders.find(({ source }) => source[0] === winner)
    if (one) given.set(one.set, (given.get(one.set) ?? 0) + cell.members.length)
  }
  for (const { set, before } of losses) {
    const read = stacksReading(before, members).length * before.held.size
    given.set(set, (given.get(set) ?? 0) + read)
  }
  return given
}

/** Workspaces that had values of declared sets and receive no declared set with a variable after the plan. */
function emptied(
  losses: readonly TakenValues[],
  { changing, members }: Reception,
  match: Match,
  { workspaces }: Directory,
): Block[] {
  const losing = new Set(losses.flatMap(loss => [...loss.members]))
  if (losing.size <= MOST_EMPTIED) return []
  const names = new Set(changing.map(set => set.after?.name))
  const after = [
    ...changing.map(set => set.after),
    ...unchangedSets(match, name => names.has(name)).flatMap(set => (set.after?.ours ? set.after : [])),
  ]
  for (const state of after) {
    if (state === undefined || state.held.size === 0) continue
    if (state.global) return []
    for (const member of receiversOf(state, members)) losing.delete(member)
  }
  if (losing.size <= MOST_EMPTIED) return []
  const nameIn = new Map(workspaces.map(({ id, name }) => [id as string, name]))
  const named = [...losing].filter(isWorkspace).map(id => nameIn.get(id) ?? id)
  const which = named.length > 0 ? `: ${shortList(named)}` : ''
  return [
    {
      code: 'loses-values',
      message: sentence(`${membersText([...losing])} lose everything that the files gave them${which}.`),
      item: WHOLE_PLAN,
    },
  ]
}
