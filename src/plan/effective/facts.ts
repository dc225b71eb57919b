import type { VariableKey } from '../../model/ids.ts'
import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import { type Hides, hiddenAmong, type LooksSecret } from '../secrecy.ts'
import type { SecretStates } from '../secrets.ts'
import { affectedBy } from './affected.ts'
import { differenceOf } from './difference.ts'
import type { EffectiveFacts } from './effect.ts'
import { exposureOf } from './exposure.ts'
import {
  isOtherValue,
  type MovingSet,
  movingSets,
  type PlacedSet,
  placedIn,
  stayingSets,
} from './placed-set.ts'
import { type ShownChange, seenChanges, unseenVariables } from './seen-changes.ts'
import {
  type ComingSets,
  comingEverywhere,
  groupsOf,
  type Population,
  populationOf,
  type WorkspaceGroup,
} from './workspaces.ts'

/** Who receives which sets, before and after the plan: only sets with keys that may change, and only these keys. */
export interface Landscape {
  /** The sets that the plan changes, whole. */
  readonly moving: readonly MovingSet[]
  readonly changing: readonly MovingSet[]
  /** `changing`, and the sets beside them that do not change. */
  readonly sets: readonly MovingSet[]
  readonly keys: ReadonlySet<VariableKey>
  readonly population: Population
  readonly groups: readonly WorkspaceGroup[]
  readonly everywhere: ComingSets
  readonly hides: Hides
}

/** Pure; the order of the sets does not matter. Only keys that change are compared, once for all workspaces with the same sets. */
export function landscapeOf(
  match: Match,
  drafts: readonly Draft[],
  secrets: SecretStates,
  directory: Directory,
  looksSecret: LooksSecret,
): Landscape {
  const names = new Set(drafts.map(({ operation }) => operation.subject.name))
  const isChanged = (name: string) => names.has(name)
  const moving = movingSets(match, isChanged, secrets)
  const keys = changedKeys(moving)
  const changing = moving.map(set => onlyKeys(set, keys))
  const sets = keys.size === 0 ? [] : [...changing, ...stayingSets(match, isChanged, keys)]
  const population = populationOf(directory, [...moving, ...sets])
  return {
    moving,
    changing,
    sets,
    keys,
    population,
    groups: groupsOf(sets, population),
    everywhere: comingEverywhere(sets),
    hides: hiddenAmong(placedIn(sets), looksSecret),
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
      claimed: population.claimed || undefined,
    },
    exposure: exposureOf(moving, population),
    affected: affectedBy({ moving, sets, population, changes, directory, hasStacks: hasStacks(match) }),
  }
}

const hasStacks = ({ pairs, removals, untouched }: Match): boolean =>
  [
    ...pairs.map(({ desired }) => desired),
    ...[...pairs, ...removals].flatMap(({ observed }) => observed ?? []),
    ...untouched,
  ].some(
    set =>
      (set.stacks ?? []).length > 0 || ('others' in set && set.others?.some(({ what }) => what === 'stacks')),
  )

/** The keys that another set, or another value, may win. */
function changedKeys(sets: readonly MovingSet[]): Set<VariableKey> {
  const keys = new Set<VariableKey>()
  for (const { before, after, replaced } of sets) {
    const isMoved =
      before === undefined || after === undefined || replaced === true || !samePlace(before, after)
    for (const key of [...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])])
      if (isMoved || isOtherValue(key, before.held.get(key), after.held.get(key))) keys.add(key)
  }
  return keys
}

const samePlace = (before: PlacedSet, after: PlacedSet): boolean =>
  before.name === after.name &&
  before.global === after.global &&
  before.priority === after.priority &&
  before.projectOwned === after.projectOwned &&
  sameIds(before.workspaces, after.workspaces) &&
  sameIds(before.projects, after.projects)

/** Both sorted. */
const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at])

function onlyKeys({ before, after, replaced }: MovingSet, keys: ReadonlySet<VariableKey>): MovingSet {
  const withKeys = (set: PlacedSet): PlacedSet => ({
    ...set,
    held: new Map([...set.held].filter(([key]) => keys.has(key))),
  })
  return { replaced, before: before && withKeys(before), after: after && withKeys(after) }
}
