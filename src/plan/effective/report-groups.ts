import { compareText } from '../../model/diagnostic.ts'
import type { Hides } from '../secrecy.ts'
import { effectOf, kindOf, type SeenChange } from './change.ts'
import { audienceOf, type Bucket, displacements, membersOf } from './displaced.ts'
import type { Effect, EffectGroup, EffectiveDifference, EffectKind } from './effect.ts'
import type { WorkspaceGroup } from './groups.ts'
import type { Membership } from './memberships.ts'
import type { Population } from './population.ts'
import type { SeenChanges } from './seen.ts'

/** So many effects are kept; what an organization of ten thousand new sets does stands in the operations. */
const MOST_EFFECTS = 2_000
/** So many workspaces of a group are named. */
const MOST_NAMED = 50

/** What comes first: effects that no object shows. */
const ORDER: readonly EffectKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** Effects that the same groups see are put together, so that five hundred workspaces with one effect are one entry. */
export function reportGroups(
  groups: readonly WorkspaceGroup[],
  seen: SeenChanges,
  memberships: readonly Membership[],
  hides: Hides,
  { level, projectOf, withoutProject }: Population,
): EffectiveDifference {
  const buckets = new Map<string, Bucket>()
  for (const { change, at } of memberships) {
    const signature = at.join()
    const bucket = buckets.get(signature)
    if (bucket === undefined) buckets.set(signature, { groups: at, changes: [change] })
    else bucket.changes.push(change)
  }
  const order = new Map([...projectOf.keys()].map((id, at) => [id, at]))
  const shown = new Map(memberships.map(({ change }) => [change, effectOf(change, hides)]))
  const all = [...buckets.values()]
    .flatMap(bucket => groupOf(membersOf(bucket.groups, groups), bucket.changes, shown, order) ?? [])
    .toSorted(byInterest)
  const displaced = displacements([...buckets.values()], groups, shown, order)
  const kept = withinLimit(all)
  const effects = (list: readonly EffectGroup[]): number =>
    list.reduce((sum, group) => sum + group.effects.length, 0)
  const sees = sightOf(seen)
  const changed = groups.flatMap((group, at) => {
    const isSomebody = group.workspaces.length + group.projects.length > 0 || group.others
    const what = sees(at)
    return isSomebody && what !== 'nothing' ? [{ group, certain: what === 'certain' }] : []
  })
  const certain = changed.filter(one => one.certain)
  const unlessOwn = certain.length < changed.length
  return {
    level,
    known: projectOf.size,
    withoutProject,
    changed: sumOf(changed),
    unlessOwn,
    ...(unlessOwn && certain.length > 0 ? { certain: sumOf(certain) } : {}),
    groups: kept,
    left: effects(all) - effects(kept),
    ...(displaced.length === 0 ? {} : { displaced }),
  }
}

const sumOf = (seeing: readonly { readonly group: WorkspaceGroup }[]): number =>
  seeing.reduce((sum, { group }) => sum + group.workspaces.length, 0)

/** Whether a group sees a change, and one that nothing of its own can hide. Looks at no more than what the group departs in. */
function sightOf({ general, own }: SeenChanges): (at: number) => 'nothing' | 'perhaps' | 'certain' {
  const certain = [...general].filter(([, change]) => change.certain)
  return at => {
    const departs = own[at] ?? new Map<number, SeenChange | undefined>()
    const departed = [...departs.values()].filter(change => change !== undefined)
    if (departed.some(change => change.certain) || certain.some(([key]) => !departs.has(key)))
      return 'certain'
    if (departed.length > 0) return 'perhaps'
    for (const key of general.keys()) if (!departs.has(key)) return 'perhaps'
    return 'nothing'
  }
}

function groupOf(
  groups: readonly WorkspaceGroup[],
  changes: readonly SeenChange[],
  shown: ReadonlyMap<SeenChange, Effect>,
  order: ReadonlyMap<string, number>,
): EffectGroup | undefined {
  const audience = audienceOf(groups, order, MOST_NAMED)
  if (audience === undefined) return undefined
  return {
    ...audience,
    effects: changes
      .map(change => ({ change, rank: rank(kindOf(change)) }))
      .toSorted((a, b) => a.rank - b.rank || compareChanges(a.change, b.change))
      .flatMap(({ change }) => shown.get(change) ?? []),
  }
}

const rank = (kind: EffectKind): number => ORDER.indexOf(kind)

const compareChanges = (a: SeenChange, b: SeenChange): number =>
  compareText(a.key, b.key) ||
  compareText(a.before?.id ?? '', b.before?.id ?? '') ||
  compareText(a.after?.id ?? '', b.after?.id ?? '')

const byInterest = (a: EffectGroup, b: EffectGroup): number =>
  rank(a.effects[0]?.kind ?? 'source') - rank(b.effects[0]?.kind ?? 'source') ||
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(a.effects[0]?.key ?? '', b.effects[0]?.key ?? '') ||
  compareText(a.workspaces[0] ?? a.projects[0] ?? '', b.workspaces[0] ?? b.projects[0] ?? '')

function withinLimit(groups: readonly EffectGroup[]): EffectGroup[] {
  let room = MOST_EFFECTS
  return groups.flatMap(group => {
    const effects = group.effects.slice(0, room)
    room -= effects.length
    return effects.length === 0 ? [] : [{ ...group, effects }]
  })
}
