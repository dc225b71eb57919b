import type { TransitionGap } from '../../../src/plan/effective/effect.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { PLACES } from '../../support/world.ts'
import type { History, SeenValue } from './sight.ts'

const PROJECT_IDS = new Map<string, string>(PLACES.projects.map(({ name, id }) => [name, id]))
const PROJECT_OF = new Map<string, string | undefined>(
  PLACES.workspaces.map(({ id, project }) => [id, PROJECT_IDS.get(project)]),
)

/** Whether the plan said before that this workspace may see this value of this key. */
export function isNamed(
  { facts }: Pick<Plan, 'facts'>,
  place: string,
  value: SeenValue | undefined,
  history: History,
): boolean {
  const [workspace = '', key] = place.split(' ')
  return facts.transition.gaps.some(
    gap => gap.key === key && reaches(gap, workspace) && isSeen(gap.seen, value, history),
  )
}

function reaches({ workspaces, projects, others }: TransitionGap, workspace: string): boolean {
  const has = (ids: readonly string[], id: string | undefined) => id !== undefined && ids.includes(id)
  return others || has(workspaces, workspace) || has(projects, PROJECT_OF.get(workspace))
}

function isSeen(seen: TransitionGap['seen'], value: SeenValue | undefined, history: History): boolean {
  if (seen === undefined || value === undefined) return seen === value
  const text = value.text.replace(/^hcl /, '')
  // A deleted set beside a new one of its name is called by both name and id.
  const withId = ` (${value.set})`
  const { set = '' } = seen
  const name = set.endsWith(withId) ? set.slice(0, -withId.length) : set
  return history.hadName(value.set, name) && (seen.text === undefined || seen.text === text)
}
