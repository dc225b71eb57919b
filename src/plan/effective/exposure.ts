import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { MovingSet, PlacedSet } from './moving-set.ts'
import { isProject, isWorkspace, type Population } from './population.ts'

/** Secrets of one set that come to where they were not before, whether they win there or not. */
export interface SecretExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** The set is global, or becomes it. */
  readonly everywhere: boolean
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** How many workspaces that is; left out where nobody knows. */
  readonly count?: number
}

/** A set that everybody receives from now on. */
export interface GlobalExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  readonly count?: number
}

/** New variables of a set that was global, or had priority, before. */
export interface AddedExposure extends GlobalExposure {
  readonly global: boolean
  readonly priority: boolean
}

/** Who newly receives what. */
export interface Exposure {
  readonly secrets: readonly SecretExposure[]
  readonly global: readonly GlobalExposure[]
  /** Left out where there are none. */
  readonly added?: readonly AddedExposure[]
}

export function exposureOf(moving: readonly MovingSet[], population: Population): Exposure {
  const sets = moving.toSorted((a, b) => compareText(nameIn(a), nameIn(b)))
  const added = sets.flatMap(set => addedTo(set, population))
  return {
    ...(added.length === 0 ? {} : { added }),
    secrets: sets.flatMap(set => newlyReached(set, population)),
    global: sets.flatMap(({ before, after }) =>
      after?.global && !before?.global
        ? [{ set: after.name, keys: [...after.held.keys()], ...counted(everybody(population)) }]
        : [],
    ),
  }
}

const nameIn = ({ before, after }: MovingSet): string => (after ?? before)?.name ?? ''

/** What becomes global or gains priority as a whole is told as that. */
function addedTo({ before, after }: MovingSet, population: Population): AddedExposure[] {
  if (before === undefined || after === undefined) return []
  const global = before.global && after.global
  const priority = before.priority && after.priority
  if (!global && !priority) return []
  const keys = [...after.held.keys()].filter(key => !before.held.has(key))
  const reached = global ? everybody(population) : membersOf(after.workspaces, after.projects, population)
  return keys.length === 0 ? [] : [{ set: after.name, keys, global, priority, ...counted(reached) }]
}

/** New targets receive every secret of the set; the old ones those that are new in it. */
function newlyReached({ before, after }: MovingSet, population: Population): SecretExposure[] {
  if (after === undefined) return []
  const keys = [...after.held].flatMap(([key, held]) => (held.secret ? [key] : []))
  // What was readable under the key was there already: that it becomes a secret reaches nobody new.
  const fresh = keys.filter(key => before?.held.has(key) !== true)
  const known = keys.filter(key => before?.held.has(key) === true)
  const widened = exposed(known, after, before, population)
  const added = exposed(fresh, after, undefined, population)
  const [one] = widened
  const [other] = added
  return one !== undefined && other !== undefined && sameReach(one, other)
    ? [{ ...one, keys }]
    : [...widened, ...added]
}

const sameReach = (a: SecretExposure, b: SecretExposure): boolean =>
  JSON.stringify({ ...a, keys: [] }) === JSON.stringify({ ...b, keys: [] })

/** `before`: who has it already. */
function exposed(
  keys: readonly VariableKey[],
  after: PlacedSet,
  before: PlacedSet | undefined,
  population: Population,
): SecretExposure[] {
  if (keys.length === 0 || before?.global) return []
  const everywhere = after.global
  const workspaces = everywhere ? [] : without(after.workspaces, before?.workspaces)
  const projects = everywhere ? [] : without(after.projects, before?.projects)
  if (!everywhere && workspaces.length === 0 && projects.length === 0) return []
  const reached = everywhere ? everybody(population) : membersOf(workspaces, projects, population)
  const had = before === undefined ? [] : (membersOf(before.workspaces, before.projects, population) ?? [])
  const count = reached === undefined ? undefined : without(reached, had)
  if (count?.length === 0 && projects.length === 0 && !everywhere) return []
  return [
    {
      set: after.name,
      keys,
      everywhere,
      workspaces: workspaces.filter(isWorkspace),
      projects: projects.filter(isProject),
      ...counted(count),
    },
  ]
}

const counted = (ids: readonly string[] | undefined): { count?: number } =>
  ids === undefined ? {} : { count: ids.length }

const without = (ids: readonly string[], others: readonly string[] = []): string[] => {
  const had = new Set(others)
  return ids.filter(id => !had.has(id))
}

const everybody = ({ level, projectOf }: Population): readonly string[] | undefined =>
  level === 'workspaces' ? [...projectOf.keys()] : undefined

/** `undefined` where a project's workspaces are not known. */
function membersOf(
  workspaces: readonly string[],
  projects: readonly string[],
  population: Population,
): readonly string[] | undefined {
  if (projects.length > 0 && population.level === 'projects') return undefined
  return [
    ...new Set([...workspaces, ...projects.flatMap(project => population.membersOf.get(project) ?? [])]),
  ]
}
