import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, TargetId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Directory, DirectoryEntry } from '../../model/variable-set.ts'
import {
  type Affected,
  type AffectedChange,
  type AffectedMember,
  type AffectedSource,
  byChange,
  identityOf,
  membersTogether,
  type UnknownAffected,
} from './affected-list.ts'
import type { SeenChange } from './seen-changes.ts'
import { type ChangedSet, isOtherValue, type SetState, statesIn } from './set-state.ts'
import type { Population, WorkspaceGroup } from './workspace-groups.ts'

/** What the list is computed from. */
interface AffectedParts {
  readonly changes: readonly SeenChange[]
  /** The sets that change, with all their variables. */
  readonly moving: readonly ChangedSet[]
  /** Every set with a key that changes. */
  readonly sets: readonly ChangedSet[]
  readonly population: Population
  readonly directory: Directory
  /** Some set is assigned to a Stack. */
  readonly hasStacks: boolean
}

/** Everybody who gets another value, without a limit. Pure; the order of the sets does not matter. */
export function affectedBy(input: AffectedParts): Affected {
  const all = allAffected(input)
  const byGroup = new Map<WorkspaceGroup, number[]>()
  const byStack = new Map<StackId, number[]>()
  for (const [at, { groups, stacks }] of all.entries()) {
    for (const group of groups) append(byGroup, group, at)
    for (const stack of stacks) append(byStack, stack, at)
  }
  const workspaces = [...byGroup].flatMap(([group, changes]) =>
    group.workspaces.map((id): readonly [WorkspaceId, number[]] => [id, changes]),
  )
  return {
    changes: all.map(({ change }) => change),
    workspaces: membersTogether(named(workspaces, 'workspaces', input)),
    stacks: membersTogether(named([...byStack], 'stacks', input)),
    unknown: unknownIn(all, input),
  }
}

/** A change, and who sees it. */
interface Seeing {
  readonly change: AffectedChange
  readonly groups: Set<WorkspaceGroup>
  readonly stacks: Set<StackId>
}

/** Each change once, by key. */
function allAffected({ changes, moving, population }: AffectedParts): Seeing[] {
  const all = new Map<string, Seeing>()
  const add = (
    key: VariableKey,
    kind: AffectedChange['change'],
    before: SetState | undefined,
    after: SetState | undefined,
  ): Seeing => {
    const change = { key, change: kind, before: sourceOf(before), after: sourceOf(after) }
    const identity = identityOf(change)
    const seeing = all.get(identity) ?? { change, groups: new Set(), stacks: new Set() }
    all.set(identity, seeing)
    return seeing
  }
  for (const { key, effect, quiet, before, after, groups } of changes) {
    const kind = effect?.kind
    if (quiet === undefined && kind === 'source') continue
    const isKept = kind === 'gained' || kind === 'lost'
    const seeing = add(key, quiet ?? (isKept ? kind : 'changed'), before, after)
    for (const group of groups) seeing.groups.add(group)
  }
  for (const set of moving)
    for (const { key, change, before, after, stacks } of readByStacks(set, population)) {
      const seeing = add(key, change, before, after)
      for (const stack of stacks) seeing.stacks.add(stack)
    }
  return byChange(all)
}

const sourceOf = (set: SetState | undefined): AffectedSource | undefined =>
  set && {
    set: set.name,
    id: isSetId(set.id) ? set.id : undefined,
    priority: set.priority || undefined,
  }

const isSetId = (id: string): id is NonNullable<AffectedSource['id']> => id.startsWith('varset-')

interface ReadChange extends Pick<AffectedChange, 'key' | 'change'> {
  readonly before: SetState | undefined
  readonly after: SetState | undefined
  readonly stacks: readonly StackId[]
}

/**
 * A Stack reads a set by name or id (docs/service.md 13.1), so a set with another name or another id may be lost to it with all
 * its variables.
 */
function readByStacks(set: ChangedSet, population: Population): ReadChange[] {
  const { before, after } = set
  const was = new Set(readersOf(before, population))
  const is = new Set(readersOf(after, population))
  if (was.size + is.size === 0) return []
  const both = [...was].filter(stack => is.has(stack))
  const keys = [...new Set([...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])])]
  return keys.flatMap((key): ReadChange[] => {
    const [now, then] = [before?.held.get(key), after?.held.get(key)]
    const gaining = then === undefined ? [] : [...is].filter(stack => !was.has(stack) || now === undefined)
    const losing = now === undefined ? [] : [...was].filter(stack => !is.has(stack) || then === undefined)
    const isKept = now !== undefined && then !== undefined
    const isChanged = isKept && (isOtherSet(set) || isOtherValue(key, now, then))
    return [
      { key, change: 'gained' as const, before: undefined, after, stacks: gaining },
      { key, change: 'lost' as const, before, after: undefined, stacks: losing },
      { key, change: 'changed' as const, before, after, stacks: isChanged ? both : [] },
    ].filter(({ stacks }) => stacks.length > 0)
  })
}

function readersOf(set: SetState | undefined, { stacks: known }: Population): readonly StackId[] {
  if (set === undefined) return []
  const through = [...(known ?? [])].flatMap(([id, project]) =>
    set.global || (project !== undefined && set.projects.includes(project)) ? [id] : [],
  )
  return [...new Set([...set.stacks, ...through])]
}

/** With the names that the service told. */
function named<Id extends TargetId>(
  all: readonly (readonly [Id, readonly number[]])[],
  kind: 'workspaces' | 'stacks',
  { directory }: AffectedParts,
): (readonly [AffectedMember<Id>, readonly number[]])[] {
  const entries: readonly DirectoryEntry<TargetId>[] = directory[kind] ?? []
  const entryOf = new Map<TargetId, DirectoryEntry<TargetId>>(entries.map(entry => [entry.id, entry]))
  const projects = new Map<ProjectId, string>(directory.projects.map(one => [one.id, one.name]))
  return all.map(([id, changes]) => {
    const { name, project } = entryOf.get(id) ?? {}
    return [{ id, name, project: project && (projects.get(project) ?? project) }, changes]
  })
}

function unknownIn(all: readonly Seeing[], input: AffectedParts): UnknownAffected | undefined {
  const { sets, population } = input
  const groups = new Set(all.flatMap(({ groups }) => [...groups]))
  const throughProjects = statesIn(sets).some(({ projects, held }) => projects.length > 0 && held.size > 0)
  const stacks = unknownStacks(input)
  const unknown = {
    projects: [...new Set([...groups].flatMap(({ projects }) => projects))].toSorted(compareText),
    others: [...groups].some(({ others }) => others),
    withoutProject: (throughProjects ? population.withoutProject : 0) + stacks.withoutProject,
    stacks: stacks.unlisted,
  }
  const isComplete =
    unknown.projects.length === 0 && !unknown.others && unknown.withoutProject === 0 && !unknown.stacks
  return isComplete ? undefined : unknown
}

/** Stacks that a set may reach through a project or globally, if they are unknown. */
function unknownStacks({ moving, population, hasStacks }: AffectedParts) {
  const reaching = statesIn(moving.filter(isReadOtherwise)).filter(({ held }) => held.size > 0)
  const throughProjects = reaching.some(({ projects }) => projects.length > 0)
  const isWide = throughProjects || reaching.some(({ global }) => global)
  const { stacks: listed } = population
  if (listed === undefined) return { unlisted: hasStacks && isWide, withoutProject: 0 }
  const named = new Set([...listed.keys(), ...statesIn(moving).flatMap(({ stacks }) => stacks)])
  const unplaced = [...named].filter(stack => listed.get(stack) === undefined)
  return { unlisted: false, withoutProject: throughProjects ? unplaced.length : 0 }
}

/** Whether a Stack that reads the set before or after the plan may notice the change. */
const isReadOtherwise = ({ before, after }: ChangedSet): boolean =>
  before === undefined ||
  after === undefined ||
  isOtherSet({ before, after }) ||
  before.global !== after.global ||
  before.projects.join() !== after.projects.join() ||
  [...new Set([...before.held.keys(), ...after.held.keys()])].some(key =>
    isOtherValue(key, before.held.get(key), after.held.get(key)),
  )

/** A deployment names a set by its name or its id. */
const isOtherSet = ({ before, after }: ChangedSet): boolean => before?.serviceName !== after?.serviceName
