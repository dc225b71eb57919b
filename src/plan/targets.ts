import type { ProjectId, WorkspaceId } from '../model/ids.ts'
import { idsIn } from './effective/facts.ts'
import type { Operation } from './operation.ts'
import type { Plan, Step } from './plan.ts'

interface Ids {
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
}

/** Where an operation brings a set that was not there. */
export function newTargetsOf(operation: Operation): Ids {
  if (operation.type === 'create-set') return operation.after
  return operation.type === 'assign' ? byKind(operation) : NONE
}

const NONE: Ids = { workspaces: [], projects: [] }

const byKind = ({ targets }: Extract<Operation, { type: 'assign' | 'unassign' }>): Ids =>
  targets.kind === 'workspaces'
    ? { workspaces: targets.ids, projects: [] }
    : { workspaces: [], projects: targets.ids }

function targetsOf(operation: Operation): Ids {
  if (operation.type === 'unassign') return byKind(operation)
  return operation.type === 'delete-set' ? operation.before : newTargetsOf(operation)
}

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
  const mentioned = steps.flatMap(({ operation }): string[] => {
    const { workspaces, projects } = targetsOf(operation)
    return [...workspaces, ...projects]
  })
  return Object.fromEntries(
    [...new Set([...mentioned, ...idsIn(facts)])].toSorted().flatMap(id => {
      const name = names[id]
      return name === undefined ? [] : [[id, name]]
    }),
  )
}
