import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { AddedExposure, Exposure, GlobalExposure, SecretExposure } from './effect.ts'
import type { MovingSet, PlacedSet } from './placed-set.ts'
import type { Population } from './workspaces.ts'

/** The variables that newly reach targets, even if other sets override them there. */
export function exposureOf(moving: readonly MovingSet[], population: Population): Exposure {
  const sets = moving.toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
  const added = sets.flatMap(set => addedTo(set, population))
  const secrets = sets.flatMap(set => newSecrets(set, population))
  const global = sets.flatMap(set => newlyGlobal(set, population))
  const countsStacks = [...secrets, ...global].some(({ stackCount }) => stackCount !== undefined)
  return {
    added: added.length > 0 ? added : undefined,
    secrets,
    global,
    stacksClaimed: (countsStacks && population.stacksClaimed) || undefined,
  }
}

const nameOf = ({ before, after }: MovingSet): string => (after ?? before)?.name ?? ''

/** A set that becomes global or gains priority is reported as that, and not here. */
function addedTo({ before, after }: MovingSet, population: Population): AddedExposure[] {
  if (before === undefined || after === undefined) return []
  const global = before.global && after.global
  const priority = before.priority && after.priority
  const keys = [...after.held.keys()].filter(key => !before.held.has(key))
  if ((!global && !priority) || keys.length === 0) return []
  return [
    {
      set: after.name,
      keys,
      global,
      priority,
      count: workspacesOf(after, population)?.length,
    },
  ]
}

const newlyGlobal = ({ before, after }: MovingSet, population: Population): GlobalExposure[] =>
  after?.global && !before?.global
    ? [
        {
          set: after.name,
          keys: [...after.held.keys()],
          count: workspacesOf(after, population)?.length,
          stackCount: stacksOf(after, population).length || undefined,
        },
      ]
    : []

/** New targets receive every secret of the set, the others those that are new in it. */
function newSecrets({ before, after }: MovingSet, population: Population): SecretExposure[] {
  if (after === undefined) return []
  const keys = [...after.held].flatMap(([key, { secret }]) => (secret ? [key] : []))
  // A readable variable that becomes a secret reaches nobody new.
  const known = keys.filter(key => before?.held.has(key))
  const fresh = keys.filter(key => !before?.held.has(key))
  const widened = secretExposure(known, after, before, population)
  const added = secretExposure(fresh, after, undefined, population)
  const isSame = JSON.stringify({ ...widened, keys }) === JSON.stringify({ ...added, keys })
  if (widened && added && isSame) return [{ ...widened, keys }]
  return [widened, added].filter(exposure => exposure !== undefined)
}

/** `before`: the set, if its targets already have these keys. */
function secretExposure(
  keys: readonly VariableKey[],
  after: PlacedSet,
  before: PlacedSet | undefined,
  population: Population,
): SecretExposure | undefined {
  if (keys.length === 0 || before?.global) return undefined
  const everywhere = after.global
  const knownStacks = before === undefined ? [] : stacksOf(before, population)
  const workspaces = everywhere ? [] : without(after.workspaces, before?.workspaces)
  const projects = everywhere ? [] : without(after.projects, before?.projects)
  const stacks = everywhere ? [] : without(after.stacks, knownStacks)
  const reached = workspacesOf({ global: everywhere, workspaces, projects }, population)
  const count = reached && without(reached, before && workspacesOf(before, population)).length
  if (!everywhere && count === 0 && projects.length + stacks.length === 0) return undefined
  const allStacks = stacksOf({ global: everywhere, stacks, projects }, population)
  return {
    set: after.name,
    keys,
    everywhere,
    workspaces,
    projects,
    stacks: stacks.length > 0 ? stacks : undefined,
    count,
    stackCount: (population.stacks && without(allStacks, knownStacks).length) || undefined,
  }
}

/** `undefined` if the workspaces, or those of a project, are unknown. */
function workspacesOf(
  { global, workspaces, projects }: Pick<PlacedSet, 'global' | 'workspaces' | 'projects'>,
  { level, projectOf, membersOf }: Population,
): readonly WorkspaceId[] | undefined {
  if (level === 'projects' && (global || projects.length > 0)) return undefined
  if (global) return [...projectOf.keys()]
  return [...new Set([...workspaces, ...projects.flatMap(project => membersOf.get(project) ?? [])])]
}

/** Stacks may read what is assigned to their project (docs/service.md 13.1). */
function stacksOf(
  { global, stacks, projects }: Pick<PlacedSet, 'global' | 'stacks' | 'projects'>,
  { stacks: known = new Map<StackId, ProjectId | undefined>() }: Population,
): readonly StackId[] {
  if (global) return [...known.keys()]
  const inProjects = [...known].flatMap(([id, project]) =>
    project && projects.includes(project) ? [id] : [],
  )
  return [...new Set([...stacks, ...inProjects])]
}

const without = <Id>(ids: readonly Id[], others: readonly Id[] = []): Id[] => {
  const known = new Set(others)
  return ids.filter(id => !known.has(id))
}
