import type { VariableKey } from '../../model/ids.ts'
import type { Directory } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { hiddenAmong, type LooksSecret } from '../secrecy.ts'
import { changedKeys } from './changed-keys.ts'
import type { EffectiveDifference } from './effect.ts'
import { groupsOf } from './groups.ts'
import { membershipsOf } from './memberships.ts'
import { NumberedSets } from './numbered.ts'
import { type MovingSet, placedNow, stayingSets } from './placed-set.ts'
import { type Population, populationOf } from './population.ts'
import { reportGroups } from './report-groups.ts'
import { seenBy } from './seen.ts'
import { unseenVariables } from './unseen.ts'

/** What the difference is made of, for what else asks about workspaces. */
export interface DifferenceWithPopulation {
  readonly difference: EffectiveDifference
  readonly population: Population
}

/**
 * Which workspaces get another winner or value for which key, once `moving` are as they will be. Looks only at keys that
 * change and at the sets that hold them, and once at all workspaces to which the same ones come. Pure; the order of the
 * sets does not matter.
 */
export function effectiveDifference(
  moving: readonly MovingSet[],
  match: Match,
  names: ReadonlySet<string>,
  directory: Directory,
  looksSecret: LooksSecret,
): DifferenceWithPopulation {
  const keys = changedKeys(moving)
  const sets =
    keys.size === 0 ? [] : [...moving.map(set => onlyKeys(set, keys)), ...staying(match, names, keys)]
  const population = populationOf(directory, [...moving, ...sets])
  if (keys.size === 0) return { difference: nothing(population), population }
  const numbered = new NumberedSets(sets, keys)
  const groups = groupsOf(numbered, population)
  const seen = seenBy(groups, numbered)
  const memberships = membershipsOf(groups.length, seen)
  const hides = hiddenAmong(
    sets.flatMap(({ before, after }) => [before, after].filter(placed => placed !== undefined)),
    looksSecret,
  )
  const difference = reportGroups(groups, seen, memberships, hides, population)
  const { named, all } = unseenVariables(numbered, groups, memberships)
  if (all === 0) return { difference, population }
  return { difference: { ...difference, unseen: named, unseenLeft: all - named.length }, population }
}

const nothing = ({ level, projectOf }: Population): EffectiveDifference => ({
  level,
  known: projectOf.size,
  withoutProject: 0,
  changed: 0,
  unlessOwn: false,
  groups: [],
  left: 0,
})

const onlyKeys = ({ before, after }: MovingSet, keys: ReadonlySet<VariableKey>): MovingSet => ({
  ...(before === undefined ? {} : { before: { ...before, held: chosen(before.held, keys) } }),
  ...(after === undefined ? {} : { after: { ...after, held: chosen(after.held, keys) } }),
})

const chosen = <T>(held: ReadonlyMap<VariableKey, T>, keys: ReadonlySet<VariableKey>): Map<VariableKey, T> =>
  new Map([...held].filter(([key]) => keys.has(key)))

const staying = (match: Match, names: ReadonlySet<string>, keys: ReadonlySet<VariableKey>): MovingSet[] =>
  stayingSets(match, names).flatMap(({ set, ours }) => {
    if (!set.variables.some(({ key }) => keys.has(key))) return []
    const placed = placedNow(set, ours, keys)
    return [{ before: placed, after: placed }]
  })
