import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import type { Hides } from '../secrecy.ts'
import type { Effect, EffectKind, EffectReason, Giver, UnseenVariable } from './effect.ts'
import { type MovingSet, type PlacedSet, sameInOneSet, sameInTwoSets } from './placed-set.ts'
import { byStrength, type RankedSource, reasonFor, sourcesByKey } from './precedence.ts'
import type { ComingSets, WorkspaceGroup } from './workspaces.ts'

/** An effect, the sets that give the variable before and after, and who sees it. */
export interface SeenChange {
  readonly effect: Effect
  readonly before: PlacedSet | undefined
  readonly after: PlacedSet | undefined
  readonly groups: readonly WorkspaceGroup[]
}

/**
 * What each group sees otherwise. What the global sets do by themselves is found once; a group is asked only about the keys
 * that other sets give it.
 */
export function seenChanges(
  groups: readonly WorkspaceGroup[],
  everywhere: ComingSets,
  hides: Hides,
): SeenChange[] {
  const globalBefore = sourcesByKey(everywhere.before)
  const globalAfter = sourcesByKey(everywhere.after)
  const changes = new Map<string, SeenChange & { groups: WorkspaceGroup[] }>()
  const addGroups = (key: VariableKey, before: Sources, after: Sources, seeing: Iterable<WorkspaceGroup>) => {
    const kind = kindOf(key, before[0]?.set, after[0]?.set)
    if (kind === undefined) return
    const why = whyOf(before[0], after)
    const identity = JSON.stringify([key, before[0]?.set?.id, after[0]?.set?.id, why])
    let change = changes.get(identity)
    if (change === undefined) {
      change = changeOf(kind, key, before[0]?.set, after[0]?.set, why, hides)
      changes.set(identity, change)
    }
    for (const group of seeing) change.groups.push(group)
  }

  /** Groups to which other sets than global ones give the key. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of groups) {
    const before = sourcesByKey(group.before)
    const after = sourcesByKey(group.after)
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      apart.set(key, (apart.get(key) ?? new Set()).add(group))
      const was = ranked(before.get(key), globalBefore.get(key))
      const is = ranked(after.get(key), globalAfter.get(key))
      addGroups(key, was, is, [group])
    }
  }
  for (const key of new Set([...globalBefore.keys(), ...globalAfter.keys()])) {
    const others = apart.get(key)
    const seeing = others === undefined ? groups : groups.filter(group => !others.has(group))
    addGroups(key, globalBefore.get(key) ?? [], globalAfter.get(key) ?? [], seeing)
  }
  return [...changes.values()].filter(change => change.groups.length > 0)
}

/** Of one variable, the strongest first. */
type Sources = readonly RankedSource[]

const ranked = (own: Sources = [], global: Sources = []): Sources =>
  global.length === 0 ? own : [...own, ...global].toSorted(byStrength)

/** `undefined` where nobody sees a difference. */
function kindOf(
  key: VariableKey,
  before: PlacedSet | undefined,
  after: PlacedSet | undefined,
): EffectKind | undefined {
  const was = before?.held.get(key)
  const is = after?.held.get(key)
  if (was === undefined || is === undefined) return was === undefined ? is && 'gained' : 'lost'
  if (before?.id === after?.id) return sameInOneSet(key, was, is) ? undefined : 'value'
  return sameInTwoSets(key, was, is) ? 'source' : 'winner'
}

/** Why another set gives the variable; `undefined` where none does. */
function whyOf(was: RankedSource | undefined, after: Sources): EffectReason | undefined {
  const [is] = after
  if (was === undefined || is === undefined || was.set?.id === is.set?.id) return undefined
  const loser = after.find(({ set }) => set?.id === was.set?.id)
  return loser === undefined ? 'gone' : reasonFor(is, loser)
}

const changeOf = (
  kind: EffectKind,
  key: VariableKey,
  before: PlacedSet | undefined,
  after: PlacedSet | undefined,
  why: EffectReason | undefined,
  hides: Hides,
) => ({
  effect: {
    kind,
    key,
    before: before && giverOf(before, key, hides),
    after: after && giverOf(after, key, hides),
    why,
  },
  before,
  after,
  groups: [],
})

/** Longer texts are shown in the operations, once. */
const LONGEST_TEXT = 60

function giverOf({ name, held, ours }: PlacedSet, key: VariableKey, hides: Hides): Giver {
  const value = held.get(key)
  if (value?.secret) return { set: name, secret: true }
  const text = value?.text
  const isShown =
    ours && text !== undefined && text.length <= LONGEST_TEXT && !/[\n\r]/.test(text) && !hides(key, text)
  return { set: name, text: isShown ? text : undefined }
}

/** So many are named. */
const MOST_UNSEEN = 50

/**
 * New variables and other values that nobody sees, although their set comes to somebody: other sets win everywhere. `all`
 * counts those that are not named, too.
 */
export function unseenVariables(
  moving: readonly MovingSet[],
  changes: readonly SeenChange[],
  groups: readonly WorkspaceGroup[],
  everywhere: ComingSets,
): { readonly named: UnseenVariable[]; readonly all: number } {
  const seen = new Set(
    changes.flatMap(({ effect: { key }, before, after }) =>
      [before, after].flatMap(set => (set === undefined ? [] : [JSON.stringify([set.id, key])])),
    ),
  )
  const first = new Map<PlacedSet | undefined, WorkspaceGroup>()
  for (const group of groups) for (const { set } of group.after) if (!first.has(set)) first.set(set, group)
  const unseen = moving.flatMap(({ before, after }) => {
    const group = first.get(after) ?? (after?.global ? groups[0] : undefined)
    if (after === undefined || group === undefined) return []
    return [...after.held].flatMap(([key, value]) => {
      const was = before?.held.get(key)
      const isOther = was === undefined || !sameInOneSet(key, was, value)
      return isOther && !seen.has(JSON.stringify([after.id, key])) ? [{ set: after.name, key, group }] : []
    })
  })
  const named = unseen
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.key, b.key))
    .slice(0, MOST_UNSEEN)
    .map(({ set, key, group }) => ({
      set,
      key,
      winner: winnerOf(key, [...group.after, ...everywhere.after]),
    }))
  return { named, all: unseen.length }
}

const winnerOf = (key: VariableKey, sources: readonly RankedSource[]): string =>
  sources.toSorted(byStrength).find(({ held }) => held.has(key))?.set?.name ?? ''
