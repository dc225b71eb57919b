import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { valueAt } from '../../model/lists.ts'
import type { DesiredVariable } from '../../model/variable-set.ts'
import type { Audience, Giver, WholeProject } from './effect.ts'
import type { SeenValue, SetState } from './set-state.ts'
import type { Population, WorkspaceGroup } from './workspace-groups.ts'

/** Workspaces of a group that are named at most. */
const MOST_NAMED = 50

/** Everybody in these groups. Names the first `most` workspaces. */
export function audienceOf(
  groups: Iterable<WorkspaceGroup>,
  { order, ...population }: Population,
  most = MOST_NAMED,
): Audience {
  const all = [...groups]
  const workspaces = all.flatMap(group => group.workspaces)
  const whole = wholeProjects(workspaces, population)
  const inside = new Set<ProjectId | undefined>(whole.map(({ project }) => project))
  const isInside = (id: WorkspaceId): number => Number(inside.has(population.projectOf.get(id)))
  return {
    count: workspaces.length,
    workspaces: workspaces
      .sort((a, b) => isInside(a) - isInside(b) || valueAt(order, a) - valueAt(order, b))
      .slice(0, most),
    projects: all.flatMap(({ projects }) => projects).sort(compareText),
    others: all.some(({ others }) => others),
    whole: whole.length > 0 ? whole : undefined,
  }
}

/** Projects whose workspaces are all among these, with more than one. */
function wholeProjects(
  workspaces: readonly WorkspaceId[],
  { projectOf, membersOf }: Pick<Population, 'projectOf' | 'membersOf'>,
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

export const workspacesIn = (groups: Iterable<WorkspaceGroup>): number =>
  [...groups].reduce((sum, { workspaces }) => sum + workspaces.length, 0)

/** Longer texts are shown with the operations only. */
const LONGEST_TEXT = 60

/** Whether a plan hides a readable value that a set gives before or after it. */
export type HidesValue = (
  set: SetState,
  key: VariableKey,
  value: { readonly text: string; readonly written?: DesiredVariable },
) => boolean

/** A set that gives a value. `text` only where a plan may show it. */
export function shownGiver(set: SetState, key: VariableKey, value: SeenValue, hides: HidesValue): Giver {
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
