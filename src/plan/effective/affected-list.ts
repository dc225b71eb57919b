import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, TargetId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { append, grouped } from '../../model/lists.ts'
import type { Directory, DirectoryEntry } from '../../model/variable-set.ts'
import { isProject, isWorkspace } from './audience.ts'
import type {
  Affected,
  AffectedChange,
  AffectedGroup,
  AffectedMember,
  AffectedSource,
  UnknownAffected,
} from './effect.ts'
import { type KnownMembers, type Member, stacksReading } from './members.ts'
import { noticedChange, type Received } from './received.ts'
import { type Reception, reachesProjects } from './reception.ts'
import { type ChangedSet, isOtherValue, type SetState, statesIn } from './set-state.ts'

/** What the list is computed from. */
interface AffectedParts extends Pick<Reception, 'moving' | 'sets' | 'keys' | 'members'> {
  readonly rows: readonly Received[]
  readonly directory: Directory
  /** Some set is assigned to a Stack. */
  readonly hasStacks: boolean
}

/** Everybody who gets another value, without a limit. Pure; the order of the sets does not matter. */
export function affectedBy(input: AffectedParts): Affected {
  const all = allAffected(input)
  const byWorkspace = new Map<WorkspaceId, number[]>()
  const byStack = new Map<StackId, number[]>()
  for (const [at, { members, stacks }] of all.entries()) {
    for (const member of members) if (isWorkspace(member)) append(byWorkspace, member, at)
    for (const stack of stacks) append(byStack, stack, at)
  }
  return {
    changes: all.map(({ change }) => change),
    workspaces: membersTogether(named([...byWorkspace], 'workspaces', input)),
    stacks: membersTogether(named([...byStack], 'stacks', input)),
    unknown: unknownIn(all, input),
  }
}

/** A change, and who sees it. */
interface Seeing {
  readonly change: AffectedChange
  readonly members: Set<Member>
  readonly stacks: Set<StackId>
}

/** Each change once, by key. */
function allAffected({ rows, moving, members }: AffectedParts): Seeing[] {
  const all = new Map<string, Seeing>()
  const add = (
    key: VariableKey,
    kind: AffectedChange['change'],
    before: AffectedSource | undefined,
    after: AffectedSource | undefined,
  ): Seeing => {
    const change = { key, change: kind, before, after }
    const identity = identityOf(change)
    const seeing = all.get(identity) ?? { change, members: new Set(), stacks: new Set() }
    all.set(identity, seeing)
    return seeing
  }
  for (const row of rows) {
    const kind = noticedChange(row)
    if (kind === undefined) continue
    const seeing = add(row.key, kind, sourceOf(row.before), sourceOf(row.after))
    for (const member of row.members) seeing.members.add(member)
  }
  for (const set of moving)
    for (const { key, change, before, after, stacks } of readByStacks(set, members)) {
      const seeing = add(key, change, before && givenBy(before), after && givenBy(after))
      for (const stack of stacks) seeing.stacks.add(stack)
    }
  return byChange(all)
}

const sourceOf = (source: Received['before']): AffectedSource | undefined =>
  source && (source.set === undefined ? {} : givenBy(source.set))

const givenBy = ({ name, id, priority }: SetState): AffectedSource => ({
  set: name,
  id: isSetId(id) ? id : undefined,
  priority: priority || undefined,
})

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
function readByStacks(set: ChangedSet, members: KnownMembers): ReadChange[] {
  const { before, after } = set
  const was = new Set(before && stacksReading(before, members))
  const is = new Set(after && stacksReading(after, members))
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

/** With the names of the service. */
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
  const { members } = input
  const affected = new Set(all.flatMap(({ members }) => [...members]))
  const stacks = unknownStacks(input)
  const unknown = {
    projects: [...affected].filter(isProject).toSorted(compareText),
    others: affected.has('others'),
    withoutProject: (reachesProjects(input) ? members.withoutProject : 0) + stacks.withoutProject,
    stacks: stacks.unlisted,
  }
  const isComplete =
    unknown.projects.length === 0 && !unknown.others && unknown.withoutProject === 0 && !unknown.stacks
  return isComplete ? undefined : unknown
}

/** Stacks that a set may reach through a project or globally, if they are unknown. */
function unknownStacks({ moving, members, hasStacks }: AffectedParts) {
  const reaching = statesIn(moving.filter(isReadOtherwise)).filter(({ held }) => held.size > 0)
  const throughProjects = reaching.some(({ projects }) => projects.length > 0)
  const isWide = throughProjects || reaching.some(({ global }) => global)
  const { stacks: listed } = members
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

/** By key. */
const byChange = <T>(all: ReadonlyMap<string, T>): T[] =>
  [...all].toSorted(([a], [b]) => compareText(a, b)).map(([, one]) => one)

/** Sorts by key first. */
const identityOf = ({ key, change, before, after }: AffectedChange): string =>
  JSON.stringify([key, change, before, after])

/** Those with the same changes together, in the order of the first by name. */
function membersTogether<Id extends TargetId>(
  all: readonly (readonly [AffectedMember<Id>, readonly number[]])[],
): AffectedGroup<Id>[] {
  const sorted = all.toSorted(([a], [b]) => byName(a, b))
  return [...grouped(sorted, ([, changes]) => changes.join()).values()].map(group => ({
    members: group.map(([member]) => member),
    changes: group[0][1],
  }))
}

const byName = (a: AffectedMember, b: AffectedMember): number =>
  compareText(a.name ?? '', b.name ?? '') || compareText(a.id, b.id)
