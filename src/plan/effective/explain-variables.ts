import { compareText, type SourceRange } from '../../model/diagnostic.ts'
import { serviceNameOf } from '../../model/fields.ts'
import {
  categoryOf,
  type ProjectId,
  type StackId,
  type VariableKey,
  type WorkspaceId,
} from '../../model/ids.ts'
import type { DesiredState, ObservedState, ObservedVariable } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { missingIn } from '../plan-findings.ts'
import { type Hides, hiddenAmong, type LooksSecret } from '../secrecy.ts'
import type { ReceivedKind } from './effect.ts'
import type {
  ExplainedState,
  ExplainedVariable,
  MissingExternal,
  ReadableSet,
  StackWay,
  VariableSource,
  WinningSource,
} from './explanation.ts'
import { type RankedSource, reasonFor, sourceOf, sourcesByKey, type Way } from './precedence.ts'
import { changeBetween } from './received.ts'
import { allSets, ownSet, type SetState, type SetStates, sameInOneSet } from './set-state.ts'

/** The workspace to explain. */
export interface AskedWorkspace {
  readonly id: WorkspaceId
  readonly project?: ProjectId
  /** The sets that the service lists for it; absent if the service has no such list. */
  readonly reached?: ReadonlySet<string>
  /** The sets that the service lists for its project. */
  readonly throughProject?: ReadonlySet<string>
  readonly own: ReadonlyMap<VariableKey, ObservedVariable>
}

/**
 * Every variable of a workspace with its sources, by key. Without `match`, the files are left out of account, but for the values
 * that they declare as secret or external: nothing shows these.
 */
export function explainVariables(
  workspace: AskedWorkspace,
  observed: ObservedState,
  match: Match | undefined,
  state: ExplainedState,
  looksSecret: LooksSecret,
  files: Pick<DesiredState, 'sets'>,
): {
  readonly variables: ExplainedVariable[]
  readonly project: ProjectId | undefined
  /** External variables of sets that it will receive. */
  readonly missing: readonly MissingExternal[]
} {
  const sets = allSets(observed, match)
  const project = workspace.project ?? inferredProject(workspace, observed)
  const own = sourceOf(ownSet(workspace.id, workspace.own), ['own'])
  const received = sets.map(set => receivedSet(set, { ...workspace, project }))
  const sourcesBefore = [own ?? [], ...received.map(({ before }) => before ?? [])].flat()
  const sourcesAfter = [own ?? [], ...received.map(({ after }) => after ?? [])].flat()
  const before = sourcesByKey(state === 'files' ? [] : sourcesBefore)
  const after = sourcesByKey(state === 'live' ? [] : sourcesAfter)
  const secret = match === undefined ? secretIn(files, sourcesBefore) : []
  const hides = hiddenAmong([...sourcesBefore, ...sourcesAfter, ...secret], looksSecret)
  const throughOf = throughSets(files, match, workspace.id, project)
  const keys = [...new Set([...before.keys(), ...after.keys()])].toSorted(compareText)
  const variables = keys.map(key => {
    const [was = [], is = []] = [before.get(key), after.get(key)]
    return {
      key,
      change: state === 'difference' ? explainedChange(changeBetween(key, was[0], is[0])) : ('same' as const),
      before: winningSource(key, was, hides, throughOf),
      after: winningSource(key, is, hides, throughOf),
    }
  })
  const names = new Set(sourcesAfter.map(({ set }) => set?.name))
  return { variables, project, missing: missingExternal(match).filter(({ set }) => names.has(set)) }
}

/** External variables that the service does not have, by set, then key. */
export const missingExternal = (match: Match | undefined): MissingExternal[] =>
  (match?.pairs ?? []).flatMap(pair =>
    missingIn(pair).map(({ key, source, base }) => ({ key, set: pair.desired.name, source: base ?? source })),
  )

/** How the files assign each set to the workspace, by the key of the set. */
function throughSets(
  { sets }: Pick<DesiredState, 'sets'>,
  match: Match | undefined,
  workspace: WorkspaceId,
  project: ProjectId | undefined,
): ThroughOf {
  const groups = new Map(
    sets.map(({ name, workspaces = [] }) => [
      name,
      workspaces.flatMap(target =>
        'id' in target && target.id === workspace && target.member !== undefined ? [target.member.group] : [],
      ),
    ]),
  )
  const lineOf = assignmentLines(match)
  return (name, way) => {
    const named = way === 'workspace' ? (groups.get(name) ?? []) : []
    const assignedAt = lineOf(name, way, workspace, project)
    return { ...(named.length > 0 && { groups: named }), ...(assignedAt && { assignedAt }) }
  }
}

/** The line where a workspace, or its project, lists a set by its key, if that is how the set reaches it. */
export function assignmentLines(match: Match | undefined) {
  const lines = new Map(
    match?.pairs.flatMap(({ desired: { name, assignedAt } }) =>
      assignedAt === undefined
        ? []
        : [[name, new Map<string, SourceRange>(assignedAt.map(({ id, source }) => [id, source]))]],
    ),
  )
  return (set: string, way: Way, workspace: string, project: string | undefined): SourceRange | undefined => {
    const target = way === 'workspace' ? workspace : way === 'project' ? project : undefined
    return target === undefined ? undefined : lines.get(set)?.get(target)
  }
}

type ThroughOf = (set: string, way: Way) => Pick<VariableSource, 'groups' | 'assignedAt'>

/** The variables that the files declare as secret or external in sets that the workspace receives, found by their ids and names alone. */
const secretIn = ({ sets }: Pick<DesiredState, 'sets'>, sources: readonly RankedSource[]) =>
  sets
    .filter(({ id, ...set }) =>
      sources.some(({ set: there }) => there?.id === id || there?.serviceName === serviceNameOf(set)),
    )
    .map(({ variables }) => ({
      held: new Map(variables.map(written => [written.key, { secret: !('text' in written.value) }])),
    }))

export function explainedChange(kind: ReceivedKind | undefined): ExplainedVariable['change'] {
  switch (kind) {
    case 'gained':
    case 'lost':
      return kind
    case 'value':
    case 'winner':
    case 'source':
      return 'changed'
    case 'priority':
    case 'sent':
    case undefined:
      return 'same'
  }
}

/** The only project that can explain why these sets reach the workspace. */
function inferredProject({ id, reached }: AskedWorkspace, { sets }: ObservedState): ProjectId | undefined {
  const through = sets.filter(set => reached?.has(set.id) && !set.global && !set.workspaces.includes(id))
  const [first, ...others] = through.map(set => set.projects)
  const [only, another] = (first ?? []).filter(project => others.every(list => list.includes(project)))
  return another === undefined ? only : undefined
}

/** The set as a source of the workspace, before and after. */
function receivedSet({ before, after, keepsProjects }: SetStates, workspace: AskedWorkspace) {
  const now = before === undefined ? [] : waysNow(before, workspace)
  const then = after === undefined ? [] : waysByLists(after, workspace)
  // The files do not manage its projects, so the live assignments stay.
  const isKept = keepsProjects && now.includes('project')
  const ways = after === before ? now : isKept ? ([...then, 'project'] as const) : then
  return { before: before && sourceOf(before, now), after: after && sourceOf(after, ways) }
}

/** The list of the service decides: the project may be unknown. */
function waysNow(set: SetState, workspace: AskedWorkspace): readonly Way[] {
  const ways = waysByLists(set, workspace)
  const { reached, throughProject } = workspace
  if (reached === undefined) return ways
  if (!reached.has(set.id)) return []
  // A project also lists the sets that it owns, assigned or not (docs/service.md 10.3).
  const isTold = throughProject?.has(set.id) && !set.global && !set.projectOwned
  return isTold || ways.length === 0 ? [...ways, 'project'] : ways
}

const waysByLists = (set: SetState, { id, project }: AskedWorkspace): readonly Way[] => [
  ...(set.global ? (['global'] as const) : []),
  ...(set.workspaces.includes(id) ? (['workspace'] as const) : []),
  ...(project !== undefined && set.projects.includes(project) ? (['project'] as const) : []),
]

/** The first source as a report shows it, with those that it overrides. */
export function winningSource(
  key: VariableKey,
  [winner, ...others]: readonly RankedSource[],
  hides: Hides,
  throughOf: ThroughOf = () => ({}),
): WinningSource | undefined {
  if (winner === undefined) return undefined
  const written = winner.held.get(key)?.written
  return {
    ...variableSource(key, winner, hides, throughOf),
    source: written?.base ?? written?.source,
    shadows: others.map(other => ({
      ...variableSource(key, other, hides, throughOf),
      why: reasonFor(winner, other),
    })),
  }
}

function variableSource(
  key: VariableKey,
  { way, rank, set, held }: RankedSource,
  hides: Hides,
  throughOf: ThroughOf,
): VariableSource {
  const value = held.get(key)
  const text = value?.secret ? undefined : value?.text
  return {
    way,
    rank,
    set: set?.name,
    priority: set?.priority || undefined,
    projectOwned: set?.projectOwned || undefined,
    ...(set !== undefined && throughOf(set.name, way)),
    text: text !== undefined && hides(key, text) ? undefined : text,
    secret: value?.secret || undefined,
    hcl: (!value?.secret && value?.hcl && categoryOf(key) === 'terraform') || undefined,
  }
}

interface AskedStack {
  readonly id: StackId
  readonly project?: ProjectId
}

/** The sets that a Stack may read (docs/service.md 13.1). Without `match`, the files are left out of account. */
export function readableSets(
  stack: AskedStack,
  observed: ObservedState,
  match: Match | undefined,
  state: ExplainedState,
): ReadableSet[] {
  const readable = (set: SetState | undefined) =>
    set && stackWaysOf(set, stack).length > 0 ? set : undefined
  return allSets(observed, match)
    .flatMap(({ before, after }) => {
      const was = state === 'files' ? undefined : readable(before)
      const is = readable(after)
      const set = is ?? was
      return set ? [{ set, change: state === 'difference' ? setChangeOf(was, is) : ('same' as const) }] : []
    })
    .toSorted((a, b) => compareText(a.set.name, b.set.name) || compareText(a.set.id, b.set.id))
    .map(({ set, change }) => ({
      set: set.name,
      change,
      ways: stackWaysOf(set, stack),
      variables: [...set.held]
        .map(([key, { secret }]) => ({ key, secret: secret || undefined }))
        .toSorted((a, b) => compareText(a.key, b.key)),
    }))
}

const stackWaysOf = ({ global, projects, stacks }: SetState, { id, project }: AskedStack): StackWay[] => [
  ...(stacks.includes(id) ? (['stack'] as const) : []),
  ...(project !== undefined && projects.includes(project) ? (['project'] as const) : []),
  ...(global ? (['global'] as const) : []),
]

function setChangeOf(was: SetState | undefined, is: SetState | undefined): ReadableSet['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const isSame =
    was.name === is.name &&
    was.held.size === is.held.size &&
    [...was.held].every(([key, before]) => {
      const after = is.held.get(key)
      return after !== undefined && sameInOneSet(key, before, after)
    })
  return isSame ? 'same' : 'changed'
}
