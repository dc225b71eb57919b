import type { ProjectId, WorkspaceId } from '../model/ids.ts'
import { idsIn } from './effective/facts.ts'
import { partsOf } from './items.ts'
import type { Operation } from './operation.ts'
import type { Plan, Step } from './plan.ts'

interface Ids {
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
}

/** Where an operation brings a set that was not there. */
export function newTargetsOf(operation: Operation): Ids {
  if (operation.type === 'create-set') return operation.after
  if (operation.type !== 'assign') return NONE
  const { kind, ids } = operation.targets
  return kind === 'workspaces' ? { workspaces: ids, projects: [] } : { workspaces: [], projects: ids }
}

const NONE: Ids = { workspaces: [], projects: [] }

/** Everything that the steps newly assign, each once, sorted. */
export function newTargets(steps: readonly Step[]): Ids {
  const each = steps.map(({ operation }) => newTargetsOf(operation))
  return {
    workspaces: [...new Set(each.flatMap(({ workspaces }) => workspaces))].toSorted(),
    projects: [...new Set(each.flatMap(({ projects }) => projects))].toSorted(),
  }
}

/** Only the names of what the plan mentions, so that a plan says no more than it has to. */
export function namesIn(
  { steps, facts }: Pick<Plan, 'steps' | 'facts'>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  if (Object.keys(names).length === 0) return {}
  const mentioned = steps.flatMap(({ operation }) =>
    partsOf(operation).flatMap((item): string[] => (item.kind === 'target' ? [item.id] : [])),
  )
  return Object.fromEntries(
    [...new Set([...mentioned, ...idsIn(facts)])].toSorted().flatMap(id => {
      const name = names[id]
      return name === undefined ? [] : [[id, name]]
    }),
  )
}
