import { compareText } from '../../model/diagnostic.ts'
import { flat, itemAt, valueAt } from '../../model/lists.ts'
import { audienceOf, type HidesValue, isWorkspace, shownGiver } from './audience.ts'
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
import type { KnownMembers, Member } from './members.ts'
import { type Received, winnerAt } from './received.ts'
import type { Reception } from './reception.ts'
import { sameInOneSet } from './set-state.ts'

/** Effects that a plan lists at most. The operations show the rest. */
const MOST_EFFECTS = 2_000
/** Workspaces of a displacement that are named at most: as many as fit on a line of a report. */
const MOST_DISPLACED = 4

/** The order of a report: effects that no operation shows come first. */
const KINDS: readonly EffectKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** A row that a report shows. */
type ShownChange = Received & { readonly effect: Effect }

/** Changes that the same members see. A member sees at most one change of a key. */
interface SharedChanges {
  readonly members: readonly Member[]
  readonly audience: Audience
  readonly changes: ShownChange[]
}

/** Lists each effect once, with all workspaces that see it. */
export function differenceOf(reception: Reception, rows: readonly Received[]): EffectiveDifference {
  const { members, keys, hides } = reception
  const { level, isWhole, projectOf, withoutProject } = members
  const changes = rows.flatMap(row => {
    const effect = effectOf(row, hides)
    return effect === undefined ? [] : { ...row, effect }
  })
  const shared = sharedChanges(changes, members)
  const all = shared
    .map(({ audience, changes }) => ({
      ...audience,
      effects: changes.toSorted(byKind).map(({ effect }) => effect),
    }))
    .toSorted((a, b) => byInterest(a, b) || byName(a, b, members))
  const kept = withinLimit(all)
  const displaced = displacements(shared, members)
  const seeing = new Set(flat(shared.map(({ members }) => members)))
  const certain = new Set(
    flat(shared.map(({ members, changes }) => (changes.some(isCertain) ? members : []))),
  )
  const unlessOwn = certain.size < seeing.size
  return {
    level,
    known: projectOf.size,
    whole: isWhole || undefined,
    withoutProject: keys.size === 0 ? 0 : withoutProject,
    changed: [...seeing].filter(isWorkspace).length,
    unlessOwn,
    certain: unlessOwn && certain.size > 0 ? [...certain].filter(isWorkspace).length : undefined,
    groups: kept,
    left: effectsIn(all) - effectsIn(kept),
    displaced: displaced.length > 0 ? displaced : undefined,
    ...unseenVariables(reception),
  }
}

function effectOf({ change, key, before, after, why }: Received, hides: HidesValue): Effect | undefined {
  if (change === 'same') return undefined
  const giverOf = (source: Received['before']): Giver | undefined =>
    source?.set && shownGiver(source.set, key, source.value, hides)
  return { kind: change, key, before: giverOf(before), after: giverOf(after), why }
}

function sharedChanges(changes: readonly ShownChange[], known: KnownMembers): SharedChanges[] {
  const shared = new Map<string, SharedChanges>()
  const order = new Map([...known.all.keys()].map((member, at) => [member, at]))
  for (const change of changes) {
    const { members } = change
    const signature = members
      .map(member => valueAt(order, member))
      .sort((a, b) => a - b)
      .join()
    const same = shared.get(signature)
    if (same !== undefined) same.changes.push(change)
    else shared.set(signature, { members, audience: audienceOf(members, known), changes: [change] })
  }
  return [...shared.values()]
}

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
const byName = (a: Audience, b: Audience, { order }: KnownMembers): number =>
  firstIn(a, order) - firstIn(b, order) || compareText(a.projects[0] ?? '', b.projects[0] ?? '')

const firstIn = ({ workspaces: [first] }: Audience, order: KnownMembers['order']): number =>
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
function displacements(all: readonly SharedChanges[], known: KnownMembers): Displacement[] {
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
    .map(one => displacementOf(one, known))
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

function displacementOf({ kind, set, values }: Displacing, known: KnownMembers): Displacement {
  const members = new Set(flat(values.map(({ shared }) => shared.members)))
  return {
    kind,
    set,
    ...fewNamed(audienceOf(members, known)),
    values: values
      .map(({ change: { effect }, shared }) => ({
        key: effect.key,
        before: effect.before,
        after: effect.after,
        audience: shared.members.length === members.size ? undefined : fewNamed(shared.audience),
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

/** New variables and values that win nowhere, because other sets do wherever their set is received. */
function unseenVariables({ cells }: Reception): Pick<EffectiveDifference, 'unseen' | 'unseenLeft'> {
  const hidden = new Map<string, UnseenVariable>()
  const shown = new Set<string>()
  for (const cell of cells) {
    const { key } = cell
    const [before, after] = [winnerAt(cell, 0), winnerAt(cell, 1)]
    for (const winner of [before, after]) shown.add(JSON.stringify([winner?.set?.id, key]))
    for (const { set, source } of cell.contenders) {
      const [value, was] = [source[1]?.held.get(key), set.before?.held.get(key)]
      if (set.after === undefined || value === undefined || set.before === set.after) continue
      const isOther = was === undefined || !sameInOneSet(key, was, value)
      const identity = JSON.stringify([set.after.id, key])
      if (isOther && !hidden.has(identity))
        hidden.set(identity, { set: set.after.name, key, winner: after?.set?.name ?? '' })
    }
  }
  const unseen = [...hidden].flatMap(([identity, one]) => (shown.has(identity) ? [] : one))
  if (unseen.length === 0) return {}
  const named = unseen
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.key, b.key))
    .slice(0, MOST_UNSEEN)
  return { unseen: named, unseenLeft: unseen.length - named.length }
}
