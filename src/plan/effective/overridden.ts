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
import { changingSets, sameInTwoSets, statesIn, unchangedSets } from './set-state.ts'

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
  const holders = new Map<VariableKey, Holders>()
  for (const { desired, observed } of pairs) {
    const set = { ...desired, ...assignmentsThen(desired, observed) }
    const weakest = Math.max(...waysOf(set).map(way => rankOf(set, [way]) ?? 0))
    for (const { key, accept } of desired.variables) {
      if (accept?.includes('overridden')) continue
      const known = holders.get(key) ?? new Holders()
      holders.set(key, known)
      known.add({ set, weakest })
    }
  }
  const keys = new Set<VariableKey>()
  const others = new Set<ObservedSet>()
  const projects = new Set<ProjectId>()
  const workspaces = new Set<WorkspaceId>()
  for (const other of untouched) {
    const strongest = rankOf(other, waysOf(other))
    if (strongest === undefined || unselected.has(other.id)) continue
    for (const { key } of other.variables) {
      const known = holders.get(key)
      for (const { set, weakest } of known?.meeting(other) ?? []) {
        // A name decides between equal ranks.
        if (strongest > weakest) continue
        keys.add(key)
        others.add(other)
        for (const id of [...other.projects, ...set.projects]) projects.add(id)
        // Through its project, a workspace may receive a stronger set of ours.
        if (known?.haveProjects === true) for (const id of sharedBy(set, other)) workspaces.add(id)
      }
    }
  }
  return { others: [...others], keys, unclear: { membersOf: [...projects], workspaces: [...workspaces] } }
}

/** The workspaces that one of both is assigned to, and that certainly receive the other. */
function sharedBy(set: Assignable, other: Assignable): readonly WorkspaceId[] {
  if (set.global || other.global) return (set.global ? other : set).workspaces
  const theirs = new Set(other.workspaces)
  return set.workspaces.filter(id => theirs.has(id))
}

interface Holder {
  readonly set: Assignable
  /** The rank of its weakest way. */
  readonly weakest: number
}

/** The sets of ours that have one key, by who receives them: comparing each with each other set takes too long. */
class Holders {
  readonly #all: Holder[] = []
  readonly #global: Holder[] = []
  readonly #withProjects: Holder[] = []
  readonly #withWorkspaces: Holder[] = []
  readonly #by = new Map<ProjectId | WorkspaceId, Holder[]>()

  add(one: Holder): void {
    const { global, projects, workspaces } = one.set
    if (waysOf(one.set).length > 0) this.#all.push(one)
    if (global) this.#global.push(one)
    if (projects.length > 0) this.#withProjects.push(one)
    if (workspaces.length > 0) this.#withWorkspaces.push(one)
    for (const id of [...projects, ...workspaces]) append(this.#by, id, one)
  }

  get haveProjects(): boolean {
    return this.#withProjects.length > 0
  }

  /** Those that some workspace may receive beside the other set, as far as their assignments alone tell. */
  meeting({ global, projects, workspaces }: Assignable): ReadonlySet<Holder> {
    if (global) return new Set(this.#all)
    return new Set([
      ...this.#global,
      ...(workspaces.length > 0 ? this.#withProjects : []),
      ...(projects.length > 0 ? this.#withWorkspaces : []),
      ...[...projects, ...workspaces].flatMap(id => this.#by.get(id) ?? []),
    ])
  }
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
  const ours = changingSets({ ...match, pairs, removals: [] }, () => true, secrets)
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
