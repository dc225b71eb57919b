import { compareText } from '../../model/diagnostic.ts'
import { kindOf, type SeenChange } from './change.ts'
import type { Audience, DisplacedValue, Displacement, Effect } from './effect.ts'
import type { WorkspaceGroup } from './groups.ts'
import { isProject, isWorkspace } from './population.ts'

/** Changes that the same groups see. */
export interface Bucket {
  readonly groups: readonly number[]
  readonly changes: SeenChange[]
}

/** So many workspaces are named: as many as a line of a report tells. */
const MOST_NAMED = 4

interface Growing {
  readonly kind: Displacement['kind']
  readonly set: string
  readonly seen: { readonly change: SeenChange; readonly bucket: Bucket; readonly audience: Audience }[]
}

/** What each set takes from workspaces, by name; nothing of it is cut, for a review may rest on it. */
export function displacements(
  buckets: readonly Bucket[],
  groups: readonly WorkspaceGroup[],
  shown: ReadonlyMap<SeenChange, Effect>,
  order: ReadonlyMap<string, number>,
): Displacement[] {
  const found = new Map<string, Growing>()
  for (const bucket of buckets) {
    const causes = bucket.changes.flatMap(change => causeOf(change) ?? [])
    if (causes.length === 0) continue
    const audience = audienceOf(membersOf(bucket.groups, groups), order, MOST_NAMED)
    if (audience === undefined) continue
    for (const { kind, set, change } of causes) {
      const same = JSON.stringify([kind, set])
      const known = found.get(same)
      const seen = { change, bucket, audience }
      if (known === undefined) found.set(same, { kind, set, seen: [seen] })
      else known.seen.push(seen)
    }
  }
  return [...found.values()]
    .map(one => displacementOf(one, groups, shown, order))
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.kind, b.kind))
}

interface Cause extends Pick<Displacement, 'kind' | 'set'> {
  readonly change: SeenChange
}

/** The set that a reader has to look at; none where nothing is taken from anybody. */
function causeOf(change: SeenChange): Cause | undefined {
  const before = change.before?.name ?? ''
  const after = change.after?.name ?? ''
  switch (kindOf(change)) {
    case 'gained':
    case 'source':
      return undefined
    case 'lost':
      return { kind: 'lost', set: before, change }
    case 'value':
      return { kind: 'value', set: after, change }
    case 'winner':
      return change.why === 'gone'
        ? { kind: 'fallback', set: before, change }
        : { kind: 'override', set: after, change }
  }
}

function displacementOf(
  { kind, set, seen }: Growing,
  groups: readonly WorkspaceGroup[],
  shown: ReadonlyMap<SeenChange, Effect>,
  order: ReadonlyMap<string, number>,
): Displacement {
  const buckets = [...new Set(seen.map(({ bucket }) => bucket))]
  const [only, ...others] = buckets
  const all =
    others.length === 0 ? (only?.groups ?? []) : [...new Set(buckets.flatMap(bucket => bucket.groups))]
  const audience = audienceOf(membersOf(all, groups), order, MOST_NAMED) ?? NOBODY
  const values = seen
    .map(({ change, bucket, audience: own }): DisplacedValue => {
      const { before, after } = shown.get(change) ?? {}
      return {
        key: change.key,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        ...(bucket.groups.length === all.length ? {} : { audience: own }),
      }
    })
    .toSorted(byKey)
  return {
    kind,
    set,
    ...audience,
    values,
    ...(seen.every(one => one.change.certain) ? { certain: true } : {}),
  }
}

const byKey = (a: DisplacedValue, b: DisplacedValue): number =>
  compareText(a.key, b.key) ||
  compareText(a.before?.set ?? '', b.before?.set ?? '') ||
  compareText(a.after?.set ?? '', b.after?.set ?? '') ||
  compareText(firstOf(a.audience), firstOf(b.audience))

const firstOf = (audience: Audience | undefined): string =>
  audience?.workspaces[0] ?? audience?.projects[0] ?? ''

export const membersOf = (at: readonly number[], groups: readonly WorkspaceGroup[]): WorkspaceGroup[] =>
  at.flatMap(one => groups[one] ?? [])

const NOBODY: Audience = { count: 0, workspaces: [], projects: [], others: false }

/** Everybody in some groups, the first `most` by name; `undefined` where that is nobody. */
export function audienceOf(
  groups: readonly WorkspaceGroup[],
  order: ReadonlyMap<string, number>,
  most: number,
): Audience | undefined {
  const workspaces = groups.flatMap(group => group.workspaces)
  const projects = groups.flatMap(group => group.projects).toSorted(compareText)
  const others = groups.some(group => group.others)
  if (workspaces.length === 0 && projects.length === 0 && !others) return undefined
  const named = workspaces.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).slice(0, most)
  return {
    count: workspaces.length,
    workspaces: named.filter(isWorkspace),
    projects: projects.filter(isProject),
    others,
  }
}
