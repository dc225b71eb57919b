import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, VariableKey, VariableSetId, WorkspaceId } from '../../model/ids.ts'
import { valueAt } from '../../model/lists.ts'
import type { DesiredVariable } from '../../model/variable-set.ts'
import type { Audience, Giver, Member } from './effect.ts'
import { isProject, isStack, isWorkspace, type KnownMembers } from './members.ts'
import type { HeldValue, SetState } from './set-state.ts'

/** What has to be known of workspaces to put them together. */
export interface MemberNames {
  /** By name. */
  readonly compare: (a: WorkspaceId, b: WorkspaceId) => number
  readonly projectOf: (id: WorkspaceId) => ProjectId | undefined
  /** How many workspaces a project has, if all are known. */
  readonly sizeOf: (project: ProjectId) => number | undefined
}

/** All of these members. Names the first `most` workspaces. */
export function audienceOf(
  members: Iterable<Member>,
  { compare, projectOf, sizeOf }: MemberNames,
  most = Number.POSITIVE_INFINITY,
): Audience {
  const all = [...new Set(members)]
  const workspaces = all.filter(isWorkspace)
  const counts = new Map<ProjectId, number>()
  for (const id of workspaces) {
    const project = projectOf(id)
    if (project !== undefined) counts.set(project, (counts.get(project) ?? 0) + 1)
  }
  // Projects whose workspaces are all among these, with more than one.
  const whole = [...counts]
    .flatMap(([project, count]) => (count > 1 && count === sizeOf(project) ? [{ project, count }] : []))
    .sort((a, b) => b.count - a.count || compareText(a.project, b.project))
  const inside = new Set<ProjectId | undefined>(whole.map(({ project }) => project))
  const isInside = (id: WorkspaceId): number => Number(inside.has(projectOf(id)))
  const stacks = all.filter(isStack).sort(compareText)
  return {
    count: workspaces.length,
    workspaces: workspaces.sort((a, b) => isInside(a) - isInside(b) || compare(a, b)).slice(0, most),
    projects: all.filter(isProject).sort(compareText),
    others: all.includes('others'),
    whole: whole.length > 0 ? whole : undefined,
    stacks: stacks.length > 0 ? stacks : undefined,
  }
}

/** As the service told them. */
export const namesIn = ({ order, projectOf, membersOf }: KnownMembers): MemberNames => ({
  compare: (a, b) => valueAt(order, a) - valueAt(order, b),
  projectOf: id => projectOf.get(id),
  sizeOf: project => membersOf.get(project)?.length,
})

/** Longer texts are shown with the operations only. */
const LONGEST_TEXT = 60

/** Whether a plan hides a readable value that a set gives before or after it. */
export type HidesValue = (
  set: SetState,
  key: VariableKey,
  value: { readonly text: string; readonly written?: DesiredVariable },
) => boolean

const isSetId = (id: string): id is VariableSetId => id.startsWith('varset-')

/** A set that gives a value. `text` only where a plan may show it. */
export function shownGiver(set: SetState, key: VariableKey, value: HeldValue, hides: HidesValue): Giver {
  const { id, ours } = set
  const giver = { set: set.name, id: isSetId(id) ? id : undefined, priority: set.priority || undefined }
  if (value.secret) return { ...giver, secret: true }
  const { text } = value
  const isShown =
    ours &&
    text !== undefined &&
    text.length <= LONGEST_TEXT &&
    !/[\n\r]/.test(text) &&
    !hides(set, key, { ...value, text })
  return { ...giver, text: isShown ? text : undefined }
}
