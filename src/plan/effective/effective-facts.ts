import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import type { Secrecy } from '../secrecy.ts'
import type { SecretStates } from '../secret-states.ts'
import { affectedBy } from './affected-by.ts'
import type { AddedExposure, EffectiveFacts, Exposure, GlobalExposure, SecretExposure } from './effect.ts'
import { differenceOf } from './effective-difference.ts'
import { type HidesValue, type ShownChange, seenChanges, unseenVariables } from './seen-changes.ts'
import { type ChangedSet, changedSets, isOtherValue, type SetState, unchangedSets } from './set-state.ts'
import {
  groupsOf,
  type Population,
  populationOf,
  type ReceivedSets,
  receivedEverywhere,
  type WorkspaceGroup,
} from './workspace-groups.ts'

/** Who receives which sets, before and after the plan: only sets with keys that may change, and only these keys. */
export interface Landscape {
  /** The sets that the plan changes, whole. */
  readonly moving: readonly ChangedSet[]
  readonly changing: readonly ChangedSet[]
  /** `changing`, and the sets beside them that do not change. */
  readonly sets: readonly ChangedSet[]
  readonly keys: ReadonlySet<VariableKey>
  readonly population: Population
  readonly groups: readonly WorkspaceGroup[]
  readonly everywhere: ReceivedSets
  readonly hides: HidesValue
}

/** Pure; the order of the sets does not matter. Only keys that change are compared, once for all workspaces with the same sets. */
export function landscapeOf(
  match: Match,
  drafts: readonly Draft[],
  secrets: SecretStates,
  directory: Directory,
  secrecy: Secrecy,
): Landscape {
  const operations = drafts.map(({ operation }) => operation)
  const names = new Set(operations.map(({ subject }) => subject.name))
  const isChanged = (name: string) => names.has(name)
  const moving = changedSets(match, isChanged, secrets)
  const keys = changedKeys(moving)
  const changing = moving.map(set => onlyKeys(set, keys))
  const unchanged = keys.size === 0 ? [] : unchangedSets(match, isChanged, keys)
  const sets = keys.size === 0 ? [] : [...changing, ...unchanged]
  const population = populationOf(directory, moving, unchanged)
  return {
    moving,
    changing,
    sets,
    keys,
    population,
    groups: groupsOf(sets, population),
    everywhere: receivedEverywhere(sets),
    hides: hiddenValues(moving, secrecy),
  }
}

/** Hides what the operations of the plan hide. */
function hiddenValues(moving: readonly ChangedSet[], { hidesBefore, hidesAfter }: Secrecy): HidesValue {
  const next = new Map(moving.map(({ before, after }) => [before?.id, after?.held]))
  return ({ id }, key, { text, written }) => {
    const declared = written ?? next.get(id)?.get(key)?.written
    return written !== undefined && 'text' in written.value
      ? hidesAfter(key)
      : hidesBefore({ key, value: { text } }, declared)
  }
}

/** What a plan does to workspaces, apart from its transition. */
export function effectiveFacts(
  { moving, changing, sets, keys, population, groups, everywhere, hides }: Landscape,
  match: Match,
  directory: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
): Omit<EffectiveFacts, 'transition'> {
  const changes = seenChanges(groups, everywhere, hides)
  const shown = changes.filter((one): one is ShownChange => one.effect !== undefined)
  const { named, all } = unseenVariables(changing, shown, groups, everywhere)
  return {
    effective: {
      ...differenceOf(shown, population),
      ...(keys.size === 0 ? { withoutProject: 0 } : {}),
      ...(all === 0 ? {} : { unseen: named, unseenLeft: all - named.length }),
      partial,
    },
    exposure: exposureOf(moving, population),
    affected: affectedBy({ moving, sets, population, changes, directory, hasStacks: hasStacks(match) }),
  }
}

/** Some set is assigned to Stacks. */
export const hasStacks = ({ pairs, removals, untouched }: Match): boolean =>
  [
    ...pairs.map(({ desired }) => desired),
    ...[...pairs, ...removals].flatMap(({ observed }) => observed ?? []),
    ...untouched,
  ].some(
    set =>
      (set.stacks ?? []).length > 0 || ('others' in set && set.others?.some(({ what }) => what === 'stacks')),
  )

/** The keys that another set, or another value, may win. */
function changedKeys(sets: readonly ChangedSet[]): Set<VariableKey> {
  const keys = new Set<VariableKey>()
  for (const { before, after } of sets) {
    const isMoved = before === undefined || after === undefined || !samePlace(before, after)
    for (const key of [...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])])
      if (isMoved || isOtherValue(key, before.held.get(key), after.held.get(key))) keys.add(key)
  }
  return keys
}

const samePlace = (before: SetState, after: SetState): boolean =>
  before.name === after.name &&
  before.global === after.global &&
  before.priority === after.priority &&
  before.projectOwned === after.projectOwned &&
  sameIds(before.workspaces, after.workspaces) &&
  sameIds(before.projects, after.projects)

/** Both sorted. */
const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at])

function onlyKeys({ before, after }: ChangedSet, keys: ReadonlySet<VariableKey>): ChangedSet {
  const withKeys = (set: SetState): SetState => ({
    ...set,
    held: new Map([...set.held].filter(([key]) => keys.has(key))),
  })
  return { before: before && withKeys(before), after: after && withKeys(after) }
}

/** The variables that newly reach targets, even if other sets override them there. */
function exposureOf(moving: readonly ChangedSet[], population: Population): Exposure {
  const sets = moving.toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
  const added = sets.flatMap(set => addedTo(set, population))
  const secrets = sets.flatMap(set => newSecrets(set, population))
  const global = sets.flatMap(set => newlyGlobal(set, population))
  return { added: added.length > 0 ? added : undefined, secrets, global }
}

const nameOf = ({ before, after }: ChangedSet): string => (after ?? before)?.name ?? ''

/** A set that becomes global or gains priority is reported as that, and not here. */
function addedTo({ before, after }: ChangedSet, population: Population): AddedExposure[] {
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

const newlyGlobal = ({ before, after }: ChangedSet, population: Population): GlobalExposure[] =>
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
function newSecrets({ before, after }: ChangedSet, population: Population): SecretExposure[] {
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
  after: SetState,
  before: SetState | undefined,
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
  { global, workspaces, projects }: Pick<SetState, 'global' | 'workspaces' | 'projects'>,
  { isWhole, projectOf, membersOf }: Population,
): readonly WorkspaceId[] | undefined {
  if (!isWhole && (global || projects.some(project => !membersOf.has(project)))) return undefined
  if (global) return [...projectOf.keys()]
  return [...new Set([...workspaces, ...projects.flatMap(project => membersOf.get(project) ?? [])])]
}

/** Stacks may read what is assigned to their project (docs/service.md 13.1). */
function stacksOf(
  { global, stacks, projects }: Pick<SetState, 'global' | 'stacks' | 'projects'>,
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
