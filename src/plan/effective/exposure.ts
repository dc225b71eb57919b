import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { MovingSet, PlacedSet } from './placed-set.ts'
import { isProject, isStack, isWorkspace, type Population } from './population.ts'

/** Secrets of one set that come to where they were not before, whether they win there or not. */
export interface SecretExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** The set is global, or becomes it. */
  readonly everywhere: boolean
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** Left out where there are none. */
  readonly stacks?: readonly StackId[]
  /** How many workspaces that is; left out where nobody knows. */
  readonly count?: number
  /** How many Stacks, with those of the projects; left out where nobody knows, or there are none. */
  readonly stackCount?: number
}

/** A set that everybody receives from now on. */
export interface GlobalExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  readonly count?: number
  readonly stackCount?: number
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
  /** Which Stacks there are, and of which project, is what the directory file says. */
  readonly stacksClaimed?: true
}

export function exposureOf(moving: readonly MovingSet[], population: Population): Exposure {
  const sets = moving.toSorted((a, b) => compareText(nameIn(a), nameIn(b)))
  const added = sets.flatMap(set => addedTo(set, population))
  const secrets = sets.flatMap(set => newlyReached(set, population))
  const global = sets.flatMap(({ before, after }): GlobalExposure[] =>
    after?.global && !before?.global
      ? [
          {
            set: after.name,
            keys: [...after.held.keys()],
            ...counted(everybody(population)),
            ...countedStacks(everyStack(population)),
          },
        ]
      : [],
  )
  const countsStacks = [...secrets, ...global].some(({ stackCount }) => stackCount !== undefined)
  return {
    ...(added.length === 0 ? {} : { added }),
    secrets,
    global,
    ...(countsStacks && population.stacksClaimed ? { stacksClaimed: true } : {}),
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
  const hadStacks = before === undefined ? [] : stacksOf(before.stacks, before.projects, population)
  const stacks = everywhere ? [] : without(after.stacks, hadStacks)
  if (!everywhere && workspaces.length + projects.length + stacks.length === 0) return []
  const reached = everywhere ? everybody(population) : membersOf(workspaces, projects, population)
  const had = before === undefined ? [] : (membersOf(before.workspaces, before.projects, population) ?? [])
  const count = reached === undefined ? undefined : without(reached, had)
  if (count?.length === 0 && projects.length + stacks.length === 0 && !everywhere) return []
  const allStacks = everywhere ? everyStack(population) : stacksOf(stacks, projects, population)
  return [
    {
      set: after.name,
      keys,
      everywhere,
      workspaces: workspaces.filter(isWorkspace),
      projects: projects.filter(isProject),
      ...(stacks.length === 0 ? {} : { stacks: stacks.filter(isStack) }),
      ...counted(count),
      ...countedStacks(population.stacks === undefined ? [] : without(allStacks, hadStacks)),
    },
  ]
}

const counted = (ids: readonly string[] | undefined): { count?: number } =>
  ids === undefined ? {} : { count: ids.length }

const countedStacks = ({ length }: readonly string[]): { stackCount?: number } =>
  length === 0 ? {} : { stackCount: length }

const everyStack = ({ stacks }: Population): readonly string[] => [...(stacks?.keys() ?? [])]

/** What is assigned to a project can be read by the Stacks in it (docs/service.md 13.1). */
const stacksOf = (
  stacks: readonly string[],
  projects: readonly string[],
  { stacks: known = new Map() }: Population,
): readonly string[] => {
  const through = [...known].flatMap(([id, project]) =>
    project !== undefined && projects.includes(project) ? [id] : [],
  )
  return [...new Set([...stacks, ...through])]
}

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
