import { compareText, type SourceRange } from '../../model/diagnostic.ts'
import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Directory, ObservedSet } from '../../model/variable-set.ts'
import { assignmentsThen } from '../draft.ts'
import type { Match } from '../match.ts'
import type { SecretStates } from '../secret-states.ts'
import { cellsOf } from './cells.ts'
import { knownMembers } from './members.ts'
import { byStrength, strongestWay, type Way } from './precedence.ts'
import { sourcesAt, winnerAt } from './received.ts'
import { changedSets, sameInTwoSets, statesIn, unchangedSets } from './set-state.ts'

/** A set that no file declares wins over a declared one. */
export interface Override {
  readonly by: ObservedSet
  /** The name of the declared set. */
  readonly set: string
  readonly key: VariableKey
  /** How many workspaces receive the other value; absent if not all of them are told. */
  readonly workspaces?: number | undefined
  /** The line of the variable. */
  readonly source?: SourceRange | undefined
}

/** Others that may win over a declared set somewhere, by their ranks and assignments alone. */
interface Rivals {
  readonly others: readonly ObservedSet[]
  /** The keys that both have. */
  readonly keys: ReadonlySet<VariableKey>
  /** Who has to be known to tell whether they meet, and which of our sets is the strongest there. */
  readonly unclear: {
    readonly membersOf: readonly ProjectId[]
    readonly workspaces: readonly WorkspaceId[]
  }
}

/** A set with its assignments, as it is once the files are applied. */
type Assignable = Pick<ObservedSet, 'global' | 'priority' | 'parent' | 'projects' | 'workspaces'>

/** Sets outside the selection are not spoken of. */
export function rivalsIn({ pairs, untouched, unselected }: Match): Rivals {
  const keys = new Set<VariableKey>()
  const projects = new Set<ProjectId>()
  const workspaces = new Set<WorkspaceId>()
  const others = new Set<ObservedSet>()
  const ours = new Map<VariableKey, Assignable[]>()
  for (const { desired, observed } of pairs) {
    const set = { ...desired, ...assignmentsThen(desired, observed) }
    for (const { key, accept = [] } of desired.variables)
      if (!accept.includes('overridden')) append(ours, key, set)
  }
  for (const other of untouched)
    for (const { key } of unselected.has(other.id) ? [] : other.variables)
      for (const set of ours.get(key) ?? []) {
        if (!mayBeat(other, set) || !mayMeet(other, set)) continue
        keys.add(key)
        others.add(other)
        for (const id of [...other.projects, ...set.projects]) projects.add(id)
        // Through its project, a workspace may receive a stronger set of ours.
        if (ours.get(key)?.some(one => one.projects.length > 0))
          for (const id of (set.global ? other : set).workspaces)
            if (set.global || other.global || other.workspaces.includes(id)) workspaces.add(id)
      }
  return {
    others: [...others],
    keys,
    unclear: { membersOf: [...projects], workspaces: [...workspaces] },
  }
}

/** Some workspace may receive both, as far as their assignments alone tell. */
function mayMeet(a: Assignable, b: Assignable): boolean {
  if (a.global || b.global) return waysOf(a).length > 0 && waysOf(b).length > 0
  const [one, other] = [a.workspaces.length > 0, b.workspaces.length > 0]
  if ((one && b.projects.length > 0) || (other && a.projects.length > 0)) return true
  return b.projects.some(id => a.projects.includes(id)) || b.workspaces.some(id => a.workspaces.includes(id))
}

/** In its strongest way, the other set is no weaker than ours in its weakest. A name decides between equal ranks. */
function mayBeat(other: Assignable, set: Assignable): boolean {
  const theirs = rankOf(other, waysOf(other))
  return waysOf(set).some(way => {
    const own = rankOf(set, [way])
    return theirs !== undefined && own !== undefined && theirs <= own
  })
}

const rankOf = ({ priority, parent }: Assignable, ways: readonly Way[]): number | undefined =>
  strongestWay({ priority, projectOwned: parent !== undefined }, ways)?.rank

const waysOf = ({ global, projects, workspaces }: Assignable): readonly Way[] => [
  ...(global ? (['global'] as const) : []),
  ...(projects.length > 0 ? (['project'] as const) : []),
  ...(workspaces.length > 0 ? (['workspace'] as const) : []),
]

/** Every value of ours that another set wins over once the files are applied, by the other set, ours, and key. Pure. */
export function overridesIn(match: Match, secrets: SecretStates, directory: Directory): Override[] {
  const { others, keys } = rivalsIn(match)
  if (others.length === 0) return []
  // Where a set of ours wins, nothing is overridden: all of them count, also outside the selection.
  const pairs = match.pairs.filter(({ desired }) => desired.variables.some(({ key }) => keys.has(key)))
  const ours = changedSets({ ...match, pairs, removals: [] }, () => true, secrets)
  const theirs = unchangedSets({ ...match, pairs: [] }, () => true, keys)
  const members = knownMembers(directory, ours, theirs)
  const accepted = new Set(
    pairs.flatMap(({ desired: { name, variables } }) =>
      variables.flatMap(({ key, accept }) => (accept?.includes('overridden') ? identityOf(name, key) : [])),
    ),
  )
  const byId = new Map<string, ObservedSet>(others.map(set => [set.id, set]))
  const found = new Map<string, Override>()
  for (const cell of cellsOf([...ours, ...theirs], members, keys)) {
    const { key } = cell
    const winner = winnerAt(cell, 1)
    const by = byId.get(winner?.set?.id ?? '')
    const [best] = sourcesAt(cell, 1)
      .filter(({ set }) => set?.ours === true)
      .sort(byStrength)
    const [own, other] = [best?.held.get(key), winner?.held.get(key)]
    const set = best?.set?.name
    if (by === undefined || set === undefined || own === undefined || other === undefined) continue
    if (sameInTwoSets(key, own, other) || accepted.has(identityOf(set, key))) continue
    const identity = JSON.stringify([by.id, set, key])
    const workspaces = (found.get(identity)?.workspaces ?? 0) + cell.members.length
    found.set(identity, { by, set, key, workspaces, source: own.written?.source })
  }
  // Who is in none of these projects is known as well, if all of their workspaces are.
  const areTold = new Map(
    statesIn([...ours, ...theirs]).map(({ name, projects }) => [
      name,
      projects.every(id => members.isWhole || members.membersOf.has(id)),
    ]),
  )
  const isTold = ({ by, set }: Override): boolean =>
    areTold.get(by.name) === true && areTold.get(set) === true
  return [...found.values()]
    .map(one => (isTold(one) ? one : { ...one, workspaces: undefined }))
    .sort(
      (a, b) => compareText(a.by.name, b.by.name) || compareText(a.set, b.set) || compareText(a.key, b.key),
    )
}

const identityOf = (set: string, key: VariableKey): string => JSON.stringify([set, key])
