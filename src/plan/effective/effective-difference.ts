import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import { itemAt, valueAt } from '../../model/lists.ts'
import { audienceOf, type HidesValue, shownGiver, workspacesIn } from './audience.ts'
import type {
  Audience,
  DisplacedValue,
  Displacement,
  Effect,
  EffectGroup,
  EffectiveDifference,
  EffectKind,
  Giver,
  UnseenVariable,
} from './effect.ts'
import { byStrength } from './precedence.ts'
import type { Landscape, Seen } from './seen.ts'
import { type SetState, sameInOneSet } from './set-state.ts'
import type { Population, WorkspaceGroup } from './workspace-groups.ts'

/** Effects that a plan lists at most. The operations show the rest. */
const MOST_EFFECTS = 2_000
/** Workspaces of a displacement that are named at most: as many as fit on a line of a report. */
const MOST_DISPLACED = 4

/** The order of a report: effects that no operation shows come first. */
const KINDS: readonly EffectKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** A row that a report shows. */
type ShownChange = Seen & { readonly effect: Effect }

/** Changes that the same groups see. A group sees at most one change of a key. */
interface SharedChanges {
  readonly groups: readonly WorkspaceGroup[]
  readonly audience: Audience
  readonly changes: ShownChange[]
}

/** Lists each effect once, with all workspaces that see it. */
export function differenceOf(landscape: Landscape, rows: readonly Seen[]): EffectiveDifference {
  const { population, keys, hides } = landscape
  const { level, isWhole, projectOf, withoutProject } = population
  const changes = rows.flatMap(row => {
    const effect = effectOf(row, hides)
    return effect === undefined ? [] : { ...row, effect }
  })
  const shared = sharedChanges(changes, population)
  const all = shared
    .map(({ audience, changes }) => ({
      ...audience,
      effects: changes.toSorted(byKind).map(({ effect }) => effect),
    }))
    .toSorted((a, b) => byInterest(a, b) || byName(a, b, population))
  const kept = withinLimit(all)
  const displaced = displacements(shared, population)
  const seeing = new Set(shared.flatMap(({ groups }) => groups))
  const certain = new Set(shared.flatMap(({ groups, changes }) => (changes.some(isCertain) ? groups : [])))
  const unlessOwn = certain.size < seeing.size
  return {
    level,
    known: projectOf.size,
    whole: isWhole || undefined,
    withoutProject: keys.size === 0 ? 0 : withoutProject,
    changed: workspacesIn(seeing),
    unlessOwn,
    certain: unlessOwn && certain.size > 0 ? workspacesIn(certain) : undefined,
    groups: kept,
    left: effectsIn(all) - effectsIn(kept),
    displaced: displaced.length > 0 ? displaced : undefined,
    ...unseenVariables(landscape, rows),
  }
}

function effectOf({ change, key, before, after, why }: Seen, hides: HidesValue): Effect | undefined {
  if (change === 'same') return undefined
  const giverOf = (source: Seen['before']): Giver | undefined =>
    source?.set && shownGiver(source.set, key, source.value, hides)
  return { kind: change, key, before: giverOf(before), after: giverOf(after), why }
}

function sharedChanges(changes: readonly ShownChange[], population: Population): SharedChanges[] {
  const shared = new Map<string, SharedChanges>()
  const signatures = new Map<readonly WorkspaceGroup[], string>()
  for (const change of changes) {
    const { groups } = change
    const signature = signatures.get(groups) ?? signatureOf(groups)
    signatures.set(groups, signature)
    const known = shared.get(signature)
    if (known !== undefined) known.changes.push(change)
    else shared.set(signature, { groups, audience: audienceOf(groups, population), changes: [change] })
  }
  return [...shared.values()]
}

const signatureOf = (groups: readonly WorkspaceGroup[]): string =>
  groups
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .join()

/** Whether a set with priority gives the variable, before or after: no variable of the workspace itself hides the change. */
const isCertain = ({ before, after }: ShownChange): boolean =>
  before?.set?.priority === true || after?.set?.priority === true

const effectsIn = (groups: readonly EffectGroup[]): number =>
  groups.reduce((sum, { effects }) => sum + effects.length, 0)

const rankOf = (kind: EffectKind): number => KINDS.indexOf(kind)

const byKind = (a: ShownChange, b: ShownChange): number =>
  rankOf(a.effect.kind) - rankOf(b.effect.kind) || compareText(a.effect.key, b.effect.key)

const byInterest = (a: EffectGroup, b: EffectGroup): number =>
  rankOf(itemAt(a.effects, 0).kind) - rankOf(itemAt(b.effects, 0).kind) ||
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(itemAt(a.effects, 0).key, itemAt(b.effects, 0).key)

/** By the first workspace that each names. */
const byName = (a: Audience, b: Audience, { order }: Population): number =>
  firstIn(a, order) - firstIn(b, order) || compareText(a.projects[0] ?? '', b.projects[0] ?? '')

const firstIn = ({ workspaces: [first] }: Audience, order: Population['order']): number =>
  first === undefined ? order.size : valueAt(order, first)

function withinLimit(groups: readonly EffectGroup[]): EffectGroup[] {
  let room = MOST_EFFECTS
  return groups.flatMap(group => {
    const effects = group.effects.slice(0, room)
    room -= effects.length
    return effects.length === 0 ? [] : [{ ...group, effects }]
  })
}

interface Displacing extends Pick<Displacement, 'kind' | 'set'> {
  readonly values: { readonly change: ShownChange; readonly shared: SharedChanges }[]
}

/** What each set overrides, changes or takes away, by name. Nothing is left out, because a review relies on it. */
function displacements(all: readonly SharedChanges[], population: Population): Displacement[] {
  const displacing = new Map<string, Displacing>()
  for (const shared of all)
    for (const change of shared.changes) {
      const cause = causeOf(change.effect)
      if (cause === undefined) continue
      const identity = JSON.stringify(cause)
      const one = displacing.get(identity) ?? { ...cause, values: [] }
      one.values.push({ change, shared })
      displacing.set(identity, one)
    }
  return [...displacing.values()]
    .map(one => displacementOf(one, population))
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.kind, b.kind))
}

/** The set to review; `undefined` if no workspace loses a value. */
function causeOf({ kind, before, after, why }: Effect): Pick<Displacement, 'kind' | 'set'> | undefined {
  const [was, is] = [before?.set ?? '', after?.set ?? '']
  switch (kind) {
    case 'gained':
    case 'source':
      return undefined
    case 'lost':
      return { kind, set: was }
    case 'value':
      return { kind, set: is }
    case 'winner':
      return why === 'gone' ? { kind: 'fallback', set: was } : { kind: 'override', set: is }
  }
}

function displacementOf({ kind, set, values }: Displacing, population: Population): Displacement {
  const groups = new Set(values.flatMap(({ shared }) => shared.groups))
  return {
    kind,
    set,
    ...fewNamed(audienceOf(groups, population)),
    values: values
      .map(({ change: { effect }, shared }) => ({
        key: effect.key,
        before: effect.before,
        after: effect.after,
        audience: shared.groups.length === groups.size ? undefined : fewNamed(shared.audience),
      }))
      .toSorted(byKey),
    certain: values.every(({ change }) => isCertain(change)) ? true : undefined,
  }
}

const fewNamed = (audience: Audience): Audience => ({
  ...audience,
  workspaces: audience.workspaces.slice(0, MOST_DISPLACED),
})

const byKey = (a: DisplacedValue, b: DisplacedValue): number =>
  compareText(a.key, b.key) ||
  compareText(a.before?.set ?? '', b.before?.set ?? '') ||
  compareText(a.after?.set ?? '', b.after?.set ?? '') ||
  compareText(firstOf(a.audience), firstOf(b.audience))

const firstOf = (audience: Audience | undefined): string =>
  audience?.workspaces[0] ?? audience?.projects[0] ?? ''

/** Variables without effect that are named at most. */
const MOST_UNSEEN = 50

/** New variables and values that are in no row, because other sets win wherever their set is assigned. */
function unseenVariables(
  { changing, groups, everywhere }: Landscape,
  rows: readonly Seen[],
): Pick<EffectiveDifference, 'unseen' | 'unseenLeft'> {
  const winners = new Map<VariableKey, Set<string | undefined>>()
  for (const { key, before, after } of rows)
    winners.set(key, (winners.get(key) ?? new Set()).add(before?.set?.id).add(after?.set?.id))
  const receiving = new Map<SetState | undefined, WorkspaceGroup>()
  for (const group of groups)
    for (const { set } of group.after) if (!receiving.has(set)) receiving.set(set, group)
  const unseen = changing.flatMap(({ before, after }) => {
    const group = receiving.get(after) ?? (after?.global ? groups[0] : undefined)
    if (after === undefined || group === undefined) return []
    return [...after.held].flatMap(([key, value]) => {
      const was = before?.held.get(key)
      const isOther = was === undefined || !sameInOneSet(key, was, value)
      return isOther && !winners.get(key)?.has(after.id) ? [{ set: after.name, key, group }] : []
    })
  })
  if (unseen.length === 0) return {}
  const named = unseen
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.key, b.key))
    .slice(0, MOST_UNSEEN)
    .map(({ set, key, group }): UnseenVariable => {
      const sources = [...group.after, ...everywhere.after].toSorted(byStrength)
      return { set, key, winner: sources.find(({ held }) => held.has(key))?.set?.name ?? '' }
    })
  return { unseen: named, unseenLeft: unseen.length - named.length }
}
