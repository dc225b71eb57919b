import { compareText } from '../../model/diagnostic.ts'
import { kindOfId, nameOf, type VariableKey } from '../../model/ids.ts'
import type { DesiredState, Directory, ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { hiddenAmong, type LooksSecret } from '../secrecy.ts'
import { type Cell, cellsOf } from './cells.ts'
import type { CellMember } from './effect.ts'
import { assignmentLines, explainedChange, missingExternal, winningSource } from './explain-variables.ts'
import type { ExplainedState, KeyExplanation, ReceivedKey, Receiver } from './explanation.ts'
import { type KnownMembers, knownMembers } from './members.ts'
import { byStrength, type RankedSource } from './precedence.ts'
import { changeBetween, sourcesAt } from './received.ts'
import { allSets, type SetStates, statesIn } from './set-state.ts'

/** What a key is asked in: the sets of one moment, and who may receive them. */
interface AskedState {
  readonly observed: ObservedState
  /** Without it, the files are left out of account, but for the values that they hide. */
  readonly match: Match | undefined
  readonly directory: Directory
  readonly files: Pick<DesiredState, 'sets'>
  readonly state: ExplainedState
  readonly looksSecret: LooksSecret
}

type FoundKey = Pick<KeyExplanation, 'received' | 'unreceived' | 'missing'> & {
  readonly members: KnownMembers
  /** Sets with the key that Stacks may read. */
  readonly stacks: boolean
}

/** Every key of the moment, also those that are only declared external. */
export function keysIn({ observed, match, state }: AskedState): Set<VariableKey> {
  const held = statesIn(setsAt(observed, match, state)).flatMap(set => [...set.held.keys()])
  return new Set([...held, ...missingExternal(match).map(({ key }) => key)])
}

/** Who receives these keys, from which sets, and what those override. */
export function explainKeys(keys: ReadonlySet<VariableKey>, asked: AskedState): FoundKey {
  const { observed, match, directory, files, state, looksSecret } = asked
  const sets = setsAt(observed, match, state).filter(one =>
    statesIn([one]).some(({ held }) => [...keys].some(key => held.has(key))),
  )
  // Every set counts as one that moves, so that the cells are of everybody who receives one.
  const members = knownMembers(directory, sets, [])
  const cells = cellsOf(sets, members, keys)
  const declared = files.sets.map(({ variables }) => ({
    held: new Map(variables.map(written => [written.key, { secret: !('text' in written.value) }])),
  }))
  const hides = hiddenAmong(
    [...allSets(observed, match).flatMap(one => statesIn([one])), ...declared],
    looksSecret,
  )
  const { workspaces, projects } = directory
  const names = new Map<string, string>([...workspaces, ...projects].map(({ id, name }) => [id, name]))
  const lineOf = assignmentLines(match)
  const used = new Set<string>()
  const rows = new Map<string, ReceivedKey & { readonly receivers: Receiver[] }>()
  for (const cell of cells) {
    const [was, is] = [rankedAt(cell, 0), rankedAt(cell, 1)]
    if (was.length + is.length === 0) continue
    for (const { set } of [...was, ...is]) if (set !== undefined) used.add(`${cell.key} ${set.id}`)
    const { key } = cell
    const row = {
      key,
      change: state === 'difference' ? explainedChange(changeBetween(key, was[0], is[0])) : ('same' as const),
      before: winningSource(key, was, hides),
      after: winningSource(key, is, hides),
    }
    const identity = JSON.stringify(row)
    const { set, way } = row.after ?? row.before ?? {}
    const receivers = cell.members.map((member): Receiver => {
      const project = member === 'others' ? undefined : members.all.get(member)
      const assignedAt = set && way && lineOf(set, way, member, project)
      return { ...receiverOf(member, names), ...(assignedAt && { assignedAt }) }
    })
    const known = rows.get(identity)
    if (known === undefined) rows.set(identity, { ...row, receivers })
    else known.receivers.push(...receivers)
  }
  const unreceived = statesIn(sets).flatMap(({ id, name, held }) =>
    [...keys].flatMap(key => (held.has(key) && !used.has(`${key} ${id}`) ? { key, set: name } : [])),
  )
  return {
    received: [...rows.values()]
      .map(row => ({ ...row, receivers: row.receivers.toSorted(byReceiver) }))
      .toSorted((a, b) => compareText(a.key, b.key) || compareReceivers(a.receivers, b.receivers)),
    unreceived: [...new Map(unreceived.map(one => [JSON.stringify(one), one])).values()].toSorted(
      (a, b) => compareText(a.key, b.key) || compareText(a.set, b.set),
    ),
    missing: missingExternal(match).filter(({ key }) => keys.has(key)),
    members,
    stacks: statesIn(sets).some(({ stacks }) => stacks.length > 0),
  }
}

/** The keys that somebody meant: one, or a name in both categories. */
export const keysMeant = (asked: string, known: Iterable<VariableKey>): Set<VariableKey> =>
  new Set([...known].filter(key => key === asked || nameOf(key) === asked))

/** Both states as different ones, or the asked one alone. */
const setsAt = (observed: ObservedState, match: Match | undefined, state: ExplainedState): SetStates[] =>
  allSets(observed, match).map(({ before, after }) => ({
    before: state === 'files' ? undefined : before,
    after: after && state !== 'live' ? { ...after } : undefined,
  }))

const rankedAt = (cell: Cell, moment: 0 | 1): RankedSource[] => sourcesAt(cell, moment).toSorted(byStrength)

function receiverOf(member: CellMember, names: ReadonlyMap<string, string>): Receiver {
  if (member === 'others') return { kind: 'others' }
  const kind = kindOfId(member) === 'projects' ? 'project' : 'workspace'
  return { kind, id: member, name: names.get(member) }
}

/** Workspaces first, by name. */
const ORDER = { workspace: 0, project: 1, others: 2 } as const satisfies Record<Receiver['kind'], number>
const byReceiver = (a: Receiver, b: Receiver): number =>
  ORDER[a.kind] - ORDER[b.kind] ||
  compareText(a.name ?? a.id ?? '', b.name ?? b.id ?? '') ||
  compareText(a.id ?? '', b.id ?? '')

const compareReceivers = ([a]: readonly Receiver[], [b]: readonly Receiver[]): number =>
  a && b ? byReceiver(a, b) : 0
