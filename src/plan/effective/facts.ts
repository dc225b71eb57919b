import type { VariableKey } from '../../model/ids.ts'
import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import { type Hides, hiddenAmong, type LooksSecret } from '../secrecy.ts'
import type { SecretStates } from '../secrets.ts'
import { affectedBy } from './affected.ts'
import { differenceOf } from './difference.ts'
import type { EffectiveDifference, EffectiveFacts } from './effect.ts'
import { exposureOf } from './exposure.ts'
import {
  isOtherValue,
  type MovingSet,
  movingSets,
  type PlacedSet,
  placedIn,
  stayingSets,
} from './placed-set.ts'
import { type AllChanges, seenChanges, unseenVariables } from './seen-changes.ts'
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

/** Pure; the order of the sets does not matter. */
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
  const staying = (keys: ReadonlySet<VariableKey>) => stayingSets(match, isChanged, keys)
  return landscape(moving, staying, directory, looksSecret)
}

/** Only keys that change are compared, and only once for all workspaces that receive the same sets. */
function landscape(
  moving: readonly MovingSet[],
  staying: (keys: ReadonlySet<VariableKey>) => readonly MovingSet[],
  directory: Directory,
  looksSecret: LooksSecret,
): Landscape {
  const keys = changedKeys(moving)
  const changing = moving.map(set => onlyKeys(set, keys))
  const sets = keys.size === 0 ? [] : [...changing, ...staying(keys)]
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
  landscape: Landscape,
  match: Match,
  directory: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
): Omit<EffectiveFacts, 'transition'> {
  const { moving, sets, population } = landscape
  const { difference, changes } = effectiveDifference(landscape)
  return {
    effective: { ...difference, partial, claimed: population.claimed || undefined },
    exposure: exposureOf(moving, population),
    affected: affectedBy({ moving, sets, population, changes, directory, hasStacks: hasStacks(match) }),
  }
}

function effectiveDifference(landscape: Landscape): {
  readonly difference: EffectiveDifference
  readonly changes: AllChanges
} {
  const { changing, keys, population, groups, everywhere, hides } = landscape
  const changes = seenChanges(groups, everywhere, hides)
  const { named, all } = unseenVariables(changing, changes.seen, groups, everywhere)
  return {
    difference: {
      ...differenceOf(changes.seen, population),
      ...(keys.size === 0 ? { withoutProject: 0 } : {}),
      ...(all === 0 ? {} : { unseen: named, unseenLeft: all - named.length }),
    },
    changes,
  }
}

const hasStacks = ({ pairs, removals, untouched }: Match): boolean =>
  pairs.some(({ desired }) => (desired.stacks ?? []).length > 0) ||
  [...pairs, ...removals, ...untouched.map(observed => ({ observed }))].some(
    ({ observed }) =>
      (observed?.stacks ?? []).length > 0 || observed?.others?.some(({ what }) => what === 'stacks') === true,
  )

/** The keys that another set, or another value, may win. */
function changedKeys(sets: readonly MovingSet[]): Set<VariableKey> {
  const keys = new Set<VariableKey>()
  for (const { before, after, replaced } of sets) {
    const isMoved =
      before === undefined || after === undefined || replaced === true || !samePlace(before, after)
    for (const key of [...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])]) {
      const was = before?.held.get(key)
      const is = after?.held.get(key)
      if (isMoved || isOtherValue(key, was, is)) keys.add(key)
    }
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

const onlyKeys = ({ before, after, replaced }: MovingSet, keys: ReadonlySet<VariableKey>): MovingSet => ({
  replaced,
  before: before && withKeys(before, keys),
  after: after && withKeys(after, keys),
})

const withKeys = (set: PlacedSet, keys: ReadonlySet<VariableKey>): PlacedSet => ({
  ...set,
  held: new Map([...set.held].filter(([key]) => keys.has(key))),
})
