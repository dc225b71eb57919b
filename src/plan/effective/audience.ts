import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { valueAt } from '../../model/lists.ts'
import type { DesiredVariable } from '../../model/variable-set.ts'
import type { Audience, Giver, WholeProject } from './effect.ts'
import type { KnownMembers, Member } from './members.ts'
import type { HeldValue, SetState } from './set-state.ts'

/** Workspaces that are named at most. */
const MOST_NAMED = 50

/** All of these members. Names the first `most` workspaces. */
export function audienceOf(members: Iterable<Member>, known: KnownMembers, most = MOST_NAMED): Audience {
  const all = [...new Set(members)]
  const workspaces = all.filter(isWorkspace)
  const whole = wholeProjects(workspaces, known)
  const inside = new Set<ProjectId | undefined>(whole.map(({ project }) => project))
  const isInside = (id: WorkspaceId): number => Number(inside.has(known.projectOf.get(id)))
  return {
    count: workspaces.length,
    workspaces: workspaces
      .sort((a, b) => isInside(a) - isInside(b) || valueAt(known.order, a) - valueAt(known.order, b))
      .slice(0, most),
    projects: all.filter(isProject).sort(compareText),
    others: all.includes('others'),
    whole: whole.length > 0 ? whole : undefined,
  }
}

/** Projects whose workspaces are all among these, with more than one. */
function wholeProjects(
  workspaces: readonly WorkspaceId[],
  { projectOf, membersOf }: Pick<KnownMembers, 'projectOf' | 'membersOf'>,
): WholeProject[] {
  const counts = new Map<ProjectId, number>()
  for (const id of workspaces) {
    const project = projectOf.get(id)
    if (project !== undefined) counts.set(project, (counts.get(project) ?? 0) + 1)
  }
  return [...counts]
    .flatMap(([project, count]) =>
      count > 1 && count === membersOf.get(project)?.length ? [{ project, count }] : [],
    )
    .sort((a, b) => b.count - a.count || compareText(a.project, b.project))
}

export const isWorkspace = (member: Member): member is WorkspaceId => member.startsWith('ws-')
export const isProject = (member: Member): member is ProjectId => member.startsWith('prj-')

/** Longer texts are shown with the operations only. */
const LONGEST_TEXT = 60

/** Whether a plan hides a readable value that a set gives before or after it. */
export type HidesValue = (
  set: SetState,
  key: VariableKey,
  value: { readonly text: string; readonly written?: DesiredVariable },
) => boolean

/** A set that gives a value. `text` only where a plan may show it. */
export function shownGiver(set: SetState, key: VariableKey, value: HeldValue, hides: HidesValue): Giver {
  const { name, ours } = set
  if (value.secret) return { set: name, secret: true }
  const { text } = value
  const isShown =
    ours &&
    text !== undefined &&
    text.length <= LONGEST_TEXT &&
    !/[\n\r]/.test(text) &&
    !hides(set, key, { ...value, text })
  return { set: name, text: isShown ? text : undefined }
}
