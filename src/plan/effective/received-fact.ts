import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey } from '../../model/ids.ts'
import { append, grouped, itemAt } from '../../model/lists.ts'
import { type HidesValue, shownGiver } from './audience.ts'
import type {
  Giver,
  Member,
  Received,
  ReceivedChange,
  ReceivedGroup,
  ReceivedKind,
  UnknownMembers,
  UnseenVariable,
} from './effect.ts'
import { isProject, isWorkspace, type KnownMembers, stacksReading } from './members.ts'
import { noticedIn, type ReceivedRow, winnerAt } from './received.ts'
import { type Reception, reachesProjects } from './reception.ts'
import {
  isOtherValue,
  kindInOneSet,
  type SetState,
  type SetStates,
  sameInOneSet,
  statesIn,
} from './set-state.ts'

interface ReceivedParts {
  readonly reception: Reception
  readonly rows: readonly ReceivedRow[]
  /** Some set is assigned to a Stack. */
  readonly hasStacks: boolean
  /** Unmanaged sets are incomplete. */
  readonly partial?: true
}

/** Everything that members receive otherwise, without a limit. Pure; the order of the sets does not matter. */
export function receivedBy({ reception, rows, hasStacks, partial }: ReceivedParts): Received {
  const { level, isWhole, projectOf, withoutProject } = reception.members
  const seen = changesOf(reception, rows)
  const groups = groupsOf(
    seen.map(({ members }) => members),
    reception.members,
  )
  return {
    level,
    known: projectOf.size,
    whole: isWhole || undefined,
    withoutProject: reception.keys.size === 0 ? 0 : withoutProject,
    partial,
    changes: seen.map(({ change }) => change),
    groups,
    sizes: sizesOf(groups, reception.members),
    unknown: unknownIn(seen, reception, hasStacks),
    ...unseenVariables(reception),
  }
}

/** A change, and who sees it. Changes share lists. */
interface SeenChange {
  readonly change: ReceivedChange
  readonly members: readonly Member[]
}

/** Each change once, by key. */
function changesOf({ changing, members, hides }: Reception, rows: readonly ReceivedRow[]): SeenChange[] {
  const all = new Map<string, SeenChange>()
  const add = (change: ReceivedChange, members: readonly Member[]): void => {
    const identity = JSON.stringify([change.key, change])
    const seen = all.get(identity)?.members
    all.set(identity, {
      change,
      members: seen === undefined ? members : [...new Set([...seen, ...members])],
    })
  }
  for (const { key, kind, why, before, after, members } of rows)
    add(
      {
        key,
        kind,
        before: before && giverOf(before, key, hides),
        after: after && giverOf(after, key, hides),
        why,
      },
      members,
    )
  for (const set of changing)
    for (const { key, kind, before, after, stacks } of readByStacks(set, members)) {
      const giver = (state: SetState | undefined): Giver | undefined => {
        const value = state?.held.get(key)
        return state && value && shownGiver(state, key, value, hides)
      }
      add({ key, kind, before: giver(before), after: giver(after) }, stacks)
    }
  return [...all].toSorted(([a], [b]) => compareText(a, b)).map(([, one]) => one)
}

const giverOf = (
  { set, value }: NonNullable<ReceivedRow['before']>,
  key: VariableKey,
  hides: HidesValue,
): Giver => (set === undefined ? {} : shownGiver(set, key, value, hides))

/** Members with the same changes together, in the order of the first ones. */
function groupsOf(seeing: readonly (readonly Member[])[], known: KnownMembers): ReceivedGroup[] {
  // Each list once, with the changes that its members see: many changes share one.
  const changesOf = new Map<readonly Member[], number[]>()
  for (const [at, members] of seeing.entries()) append(changesOf, members, at)
  const lists = [...changesOf]
  const listsOf = new Map<Member, number[]>()
  for (const [at, [members]] of lists.entries()) for (const member of members) append(listsOf, member, at)
  const positions = new Map<Member, number>([...known.all.keys()].map((member, at) => [member, at]))
  const orderOf = (member: Member): number => positions.get(member) ?? positions.size
  const sorted = [...listsOf].toSorted(([a], [b]) => orderOf(a) - orderOf(b) || compareText(a, b))
  return [...grouped(sorted, ([, among]) => among.join()).values()].map(group => ({
    members: group.map(([member]) => member),
    changes: group[0][1].flatMap(at => itemAt(lists, at)[1]).toSorted((a, b) => a - b),
  }))
}

function sizesOf(
  groups: readonly ReceivedGroup[],
  { projectOf, membersOf }: KnownMembers,
): Received['sizes'] {
  const workspaces = groups.flatMap(({ members }) => members.filter(isWorkspace))
  const projects = new Set(workspaces.map(id => projectOf.get(id)))
  return Object.fromEntries(
    [...projects]
      .flatMap((project): [ProjectId, number][] => {
        const size = project && membersOf.get(project)?.length
        return size ? [[project, size]] : []
      })
      .toSorted(([a], [b]) => compareText(a, b)),
  )
}

interface ReadChange extends Pick<ReceivedChange, 'key' | 'kind'> {
  readonly before: SetState | undefined
  readonly after: SetState | undefined
  readonly stacks: readonly StackId[]
}

/**
 * A Stack reads a set by name or id (docs/service.md 13.1), so a set with another name or another id may be lost to it with all
 * its variables.
 */
export function readByStacks(set: SetStates, known: KnownMembers): ReadChange[] {
  const { before, after } = set
  const was = new Set(before && stacksReading(before, known))
  const is = new Set(after && stacksReading(after, known))
  if (was.size + is.size === 0) return []
  const both = [...was].filter(stack => is.has(stack))
  const keys = [...new Set([...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])])]
  return keys.flatMap((key): ReadChange[] => {
    const [now, then] = [before?.held.get(key), after?.held.get(key)]
    const gaining = then === undefined ? [] : [...is].filter(stack => !was.has(stack) || now === undefined)
    const losing = now === undefined ? [] : [...was].filter(stack => !is.has(stack) || then === undefined)
    const isHeld = now !== undefined && then !== undefined
    const kind: ReceivedKind | undefined = !isHeld
      ? undefined
      : isOtherSet(set)
        ? 'winner'
        : kindInOneSet(key, now, then)
    const changes: readonly ReadChange[] = [
      { key, kind: 'gained', before: undefined, after, stacks: gaining },
      { key, kind: 'lost', before, after: undefined, stacks: losing },
      ...(kind ? [{ key, kind, before, after, stacks: both }] : []),
    ]
    return changes.filter(({ stacks }) => stacks.length > 0)
  })
}

/** Of members that may notice something. */
function unknownIn(
  seen: readonly SeenChange[],
  reception: Reception,
  hasStacks: boolean,
): UnknownMembers | undefined {
  const noticed = seen.filter(({ change }) => noticedIn(change) !== undefined)
  const affected = new Set([...new Set(noticed.map(({ members }) => members))].flat())
  const stacks = unknownStacks(reception, hasStacks)
  const withoutProject = reachesProjects(reception) ? reception.members.withoutProject : 0
  const unknown = {
    projects: [...affected].filter(isProject).toSorted(compareText),
    others: affected.has('others'),
    withoutProject: withoutProject + stacks.withoutProject,
    stacks: stacks.unlisted,
  }
  const isComplete =
    unknown.projects.length === 0 && !unknown.others && unknown.withoutProject === 0 && !unknown.stacks
  return isComplete ? undefined : unknown
}

/** Stacks that a set may reach through a project or globally, if they are unknown. */
function unknownStacks({ changing, members }: Reception, hasStacks: boolean) {
  const reaching = statesIn(changing.filter(isReadOtherwise)).filter(({ held }) => held.size > 0)
  const throughProjects = reaching.some(({ projects }) => projects.length > 0)
  const isWide = throughProjects || reaching.some(({ global }) => global)
  const { stacks: listed } = members
  if (listed === undefined) return { unlisted: hasStacks && isWide, withoutProject: 0 }
  const named = new Set([...listed.keys(), ...statesIn(changing).flatMap(({ stacks }) => stacks)])
  const withoutProject = [...named].filter(stack => listed.get(stack) === undefined)
  return { unlisted: false, withoutProject: throughProjects ? withoutProject.length : 0 }
}

/** Whether a Stack that reads the set before or after the plan may notice the change. */
const isReadOtherwise = ({ before, after }: SetStates): boolean =>
  before === undefined ||
  after === undefined ||
  isOtherSet({ before, after }) ||
  before.global !== after.global ||
  before.projects.join() !== after.projects.join() ||
  [...new Set([...before.held.keys(), ...after.held.keys()])].some(key =>
    isOtherValue(key, before.held.get(key), after.held.get(key)),
  )

/** A deployment names a set by its name or its id. */
const isOtherSet = ({ before, after }: SetStates): boolean => before?.serviceName !== after?.serviceName

/** Variables without effect that are named at most. */
const MOST_UNSEEN = 50

/** New variables and values that win nowhere, because other sets do wherever their set is received. */
function unseenVariables({ cells }: Reception): Pick<Received, 'unseen' | 'unseenLeft'> {
  const hidden = new Map<string, UnseenVariable>()
  const shown = new Set<string>()
  for (const cell of cells) {
    const { key } = cell
    const [before, after] = [winnerAt(cell, 0), winnerAt(cell, 1)]
    for (const winner of [before, after]) shown.add(JSON.stringify([winner?.set?.id, key]))
    for (const { set, source } of cell.contenders) {
      const [value, was] = [source[1]?.held.get(key), set.before?.held.get(key)]
      if (set.after === undefined || value === undefined || set.before === set.after) continue
      const isOther = was === undefined || !sameInOneSet(key, was, value)
      const identity = JSON.stringify([set.after.id, key])
      if (isOther && !hidden.has(identity))
        hidden.set(identity, { set: set.after.name, key, winner: after?.set?.name ?? '' })
    }
  }
  const unseen = [...hidden].flatMap(([identity, one]) => (shown.has(identity) ? [] : one))
  if (unseen.length === 0) return {}
  const named = unseen
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.key, b.key))
    .slice(0, MOST_UNSEEN)
  return { unseen: named, unseenLeft: unseen.length - named.length }
}
