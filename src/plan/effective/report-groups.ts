import { compareText } from '../../model/diagnostic.ts'
import type { Hides } from '../secrecy.ts'
import { type Change, effectOf, kindOf } from './change.ts'
import type { EffectGroup, EffectiveDifference, EffectKind } from './effect.ts'
import type { Group } from './groups.ts'
import type { Membership } from './memberships.ts'
import { isProject, isWorkspace, type Population } from './population.ts'
import type { Seen } from './seen.ts'

/** So many effects are kept; what an organization of ten thousand new sets does stands in the operations. */
const MOST_EFFECTS = 2_000
/** So many workspaces of a group are named. */
const MOST_NAMED = 50

/** What comes first: effects that no object shows. */
const ORDER: readonly EffectKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** Effects that the same groups see are put together, so that five hundred workspaces with one effect are one entry. */
export function reportGroups(
  groups: readonly Group[],
  seen: Seen,
  memberships: readonly Membership[],
  hides: Hides,
  { level, projectOf, withoutProject }: Population,
): EffectiveDifference {
  const buckets = new Map<string, { groups: readonly number[]; changes: Change[] }>()
  for (const { change, at } of memberships) {
    const signature = at.join()
    const bucket = buckets.get(signature)
    if (bucket === undefined) buckets.set(signature, { groups: at, changes: [change] })
    else bucket.changes.push(change)
  }
  const order = new Map([...projectOf.keys()].map((id, at) => [id, at]))
  const all = [...buckets.values()]
    .flatMap(
      bucket =>
        groupOf(
          bucket.groups.flatMap(at => groups[at] ?? []),
          bucket.changes,
          hides,
          order,
        ) ?? [],
    )
    .toSorted(byInterest)
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
  }
}

const sumOf = (seeing: readonly { readonly group: Group }[]): number =>
  seeing.reduce((sum, { group }) => sum + group.workspaces.length, 0)

/** Whether a group sees a change, and one that nothing of its own can hide. Looks at no more than what the group departs in. */
function sightOf({ general, own }: Seen): (at: number) => 'nothing' | 'perhaps' | 'certain' {
  const certain = [...general].filter(([, change]) => change.certain)
  return at => {
    const departs = own[at] ?? new Map<number, Change | undefined>()
    const departed = [...departs.values()].filter(change => change !== undefined)
    if (departed.some(change => change.certain) || certain.some(([key]) => !departs.has(key)))
      return 'certain'
    if (departed.length > 0) return 'perhaps'
    for (const key of general.keys()) if (!departs.has(key)) return 'perhaps'
    return 'nothing'
  }
}

function groupOf(
  groups: readonly Group[],
  changes: readonly Change[],
  hides: Hides,
  order: ReadonlyMap<string, number>,
): EffectGroup | undefined {
  const workspaces = groups.flatMap(group => group.workspaces)
  const projects = groups.flatMap(group => group.projects).toSorted(compareText)
  const others = groups.some(group => group.others)
  if (workspaces.length === 0 && projects.length === 0 && !others) return undefined
  const named = workspaces.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).slice(0, MOST_NAMED)
  return {
    count: workspaces.length,
    workspaces: named.filter(isWorkspace),
    projects: projects.filter(isProject),
    others,
    effects: changes
      .map(change => ({ change, rank: rank(kindOf(change)) }))
      .toSorted((a, b) => a.rank - b.rank || compareChanges(a.change, b.change))
      .map(({ change }) => effectOf(change, hides)),
  }
}

const rank = (kind: EffectKind): number => ORDER.indexOf(kind)

const compareChanges = (a: Change, b: Change): number =>
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
