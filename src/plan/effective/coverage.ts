import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { ObservedSet, ObservedState, ObservedVariable, ResolvedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { matchStates } from '../match-of.ts'
import { SecretStates } from '../secrets.ts'
import type { Coming, Coverage } from './explain.ts'
import { named, type PlacedSet, placedNow, placedThen } from './moving-set.ts'

/** What is known of the workspace that is asked about. */
export interface AskedWorkspace {
  readonly id: WorkspaceId
  readonly project?: ProjectId
  /** The sets that the service says come to it; left out where it does not say. */
  readonly reached?: ReadonlySet<string>
  /** Of those, the sets that it says come through the project. */
  readonly throughProject?: ReadonlySet<string>
  readonly own: ReadonlyMap<VariableKey, ObservedVariable>
}

/** Which sets come to the workspace now, and which once the files are applied. */
export function coverageOf(
  workspace: AskedWorkspace,
  observed: ObservedState,
  desired: ResolvedState | undefined,
): {
  readonly coverage: Coverage
  readonly match: Match | undefined
  readonly project: ProjectId | undefined
} {
  const match = desired === undefined ? undefined : matchStates(desired, observed, []).match
  const project = workspace.project ?? inferredProject(workspace, observed.sets)
  const declared = new Set([
    ...(match?.pairs.flatMap(pair => pair.observed?.id ?? []) ?? []),
    ...(match?.removals.map(removal => removal.observed.id) ?? []),
  ])
  // As the files wrote them, where the inventory knows that the service stores a value otherwise.
  const paired = new Map(
    match?.pairs.flatMap(({ desired, observed: one }) =>
      one === undefined ? [] : [[one.id, named(desired, one)] as const],
    ),
  )
  const before = observed.sets.flatMap(set =>
    comingNow(placedNow(paired.get(set.id) ?? set, declared.has(set.id)), workspace, project),
  )
  return {
    coverage: { before, after: comingAfter(workspace, project, match, before), own: workspace.own },
    match,
    project,
  }
}

function comingAfter(
  workspace: AskedWorkspace,
  project: ProjectId | undefined,
  match: Match | undefined,
  before: readonly Coming[],
): Coming[] {
  if (match === undefined) return []
  const secrets = new SecretStates(match, NOT_COMPARED)
  const now = new Map(before.map(coming => [coming.set.id, coming]))
  return [
    ...match.untouched.flatMap(set => now.get(set.id) ?? []),
    ...match.pairs.flatMap(({ desired, observed }) => {
      const set = placedThen(desired, observed, secrets)
      // What the files do not manage stays as the service says it is.
      const isKept = desired.projects === undefined && now.get(set.id)?.ways.project === true
      return coming(set, workspace.id, isKept || (project !== undefined && holds(set.projects, project)))
    }),
  ]
}

const NOT_COMPARED = { inventory: false, entries: new Map(), fingerprintOf: () => [], rewrite: [] }

/** The service's own word counts, where it gives one: a directory may be old, and a project not known. */
function comingNow(set: PlacedSet, workspace: AskedWorkspace, project: ProjectId | undefined): Coming[] {
  const { id, reached, throughProject } = workspace
  const byLists = project !== undefined && holds(set.projects, project)
  if (reached === undefined) return coming(set, id, byLists)
  if (!reached.has(set.id)) return []
  const isDirect = set.global || holds(set.workspaces, id)
  // The list of a project has its own sets, assigned or not (docs/service.md 10.3).
  const isTold = throughProject?.has(set.id) && !set.global && !set.projectOwned
  return coming(set, id, isTold || byLists || !isDirect)
}

function coming(set: PlacedSet, workspace: string, throughProject: boolean): Coming[] {
  const ways = { global: set.global, workspace: holds(set.workspaces, workspace), project: throughProject }
  return ways.global || ways.workspace || ways.project ? [{ set, ways }] : []
}

const holds = (ids: readonly string[], id: string): boolean => ids.includes(id)

/** The one project that all sets have which come neither directly nor globally; none where they do not say. */
function inferredProject(
  { id, reached }: AskedWorkspace,
  sets: readonly ObservedSet[],
): ProjectId | undefined {
  const through = sets.filter(set => reached?.has(set.id) && !set.global && !holds(set.workspaces, id))
  const [first, ...others] = through.map(set => set.projects)
  const [only, another] = (first ?? []).filter(project => others.every(list => list.includes(project)))
  return another === undefined ? only : undefined
}
