import type { VariableKey } from '../../model/ids.ts'
import type { Directory } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import type { Secrecy } from '../secrecy.ts'
import type { SecretStates } from '../secret-states.ts'
import type { HidesValue } from './audience.ts'
import type { EffectKind, EffectReason } from './effect.ts'
import { byStrength, type RankedSource, reasonFor, sourcesByKey } from './precedence.ts'
import {
  type ChangedSet,
  changedSets,
  isOtherValue,
  isSentAgain,
  type SeenValue,
  type SetState,
  sameInOneSet,
  sameInTwoSets,
  unchangedSets,
} from './set-state.ts'
import {
  groupsOf,
  type Population,
  populationOf,
  type ReceivedSets,
  receivedEverywhere,
  type WorkspaceGroup,
} from './workspace-groups.ts'

/**
 * What some workspaces see of one key, before and after a plan. All that is said about workspaces is a question to these rows: effects
 * list them by workspace, the affected by change, overrides by set; a variable without effect is in none of them; an explanation
 * is those of one workspace, with the sources that lose.
 */
export interface Seen extends SeenChange {
  readonly groups: readonly WorkspaceGroup[]
}

/** What happens to a key where these sources win. */
export interface SeenChange {
  readonly key: VariableKey
  /** Absent: nothing gives the key. */
  readonly before?: SeenSource
  readonly after?: SeenSource
  readonly change: EffectKind | 'same'
  /** Only if another source wins. */
  readonly why?: EffectReason
}

/** What wins, with its value. */
interface SeenSource {
  /** Absent: the workspace itself. */
  readonly set?: SetState
  readonly value: SeenValue
}

/** The sources of one key, the strongest first. */
type KeySources = readonly RankedSource[]

/**
 * Every change, without a limit. What global sets give is compared once for all groups; a group is compared only in the keys that
 * it receives from others.
 */
export function seenBy(groups: readonly WorkspaceGroup[], everywhere: ReceivedSets): readonly Seen[] {
  const globalBefore = sourcesByKey(everywhere.before)
  const globalAfter = sourcesByKey(everywhere.after)
  const rows = new Map<string, Seen & { readonly groups: WorkspaceGroup[] }>()
  const add = (key: VariableKey, before: KeySources, after: KeySources, seeing: WorkspaceGroup[]): void => {
    const seen = changeBetween(key, before, after)
    if (seeing.length === 0 || (seen.change === 'same' && noticedChange(seen) === undefined)) return
    const identity = JSON.stringify([key, seen.before?.set?.id, seen.after?.set?.id, seen.change, seen.why])
    const row = rows.get(identity)
    if (row === undefined) rows.set(identity, { ...seen, groups: seeing })
    else for (const group of seeing) row.groups.push(group)
  }

  /** Groups that receive the key from other sources than global sets. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of groups) {
    const before = sourcesByKey(group.before)
    const after = sourcesByKey(group.after)
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      apart.set(key, (apart.get(key) ?? new Set()).add(group))
      const was = together(before.get(key), globalBefore.get(key))
      add(key, was, together(after.get(key), globalAfter.get(key)), [group])
    }
  }
  const everybody = [...groups]
  for (const key of new Set([...globalBefore.keys(), ...globalAfter.keys()])) {
    const others = apart.get(key)
    const seeing = others === undefined ? everybody : groups.filter(group => !others.has(group))
    add(key, globalBefore.get(key) ?? [], globalAfter.get(key) ?? [], seeing)
  }
  return [...rows.values()]
}

const together = (own: KeySources = [], global: KeySources = []): KeySources =>
  global.length === 0 ? own : [...own, ...global].toSorted(byStrength)

export function changeBetween(key: VariableKey, before: KeySources, after: KeySources): SeenChange {
  const [was, is] = [seenSource(key, before[0]), seenSource(key, after[0])]
  return { key, before: was, after: is, change: kindOf(key, was, is), why: whyOf(before[0], after) }
}

function seenSource(key: VariableKey, source: RankedSource | undefined): SeenSource | undefined {
  const value = source?.held.get(key)
  return value && { set: source?.set, value }
}

function kindOf(
  key: VariableKey,
  before: SeenSource | undefined,
  after: SeenSource | undefined,
): SeenChange['change'] {
  if (before === undefined || after === undefined)
    return before === undefined ? (after === undefined ? 'same' : 'gained') : 'lost'
  if (before.set?.id === after.set?.id) return sameInOneSet(key, before.value, after.value) ? 'same' : 'value'
  return sameInTwoSets(key, before.value, after.value) ? 'source' : 'winner'
}

function whyOf(was: RankedSource | undefined, after: KeySources): EffectReason | undefined {
  const [is] = after
  if (was === undefined || is === undefined || was.set?.id === is.set?.id) return undefined
  const loser = after.find(({ set }) => set?.id === was.set?.id)
  return loser === undefined ? 'gone' : reasonFor(is, loser)
}

/**
 * What a workspace may notice: more than what reports call an effect. `precedence`: the value stays, but begins or ceases to override
 * workspace variables. A secret that is sent again because of its description is `changed`, because what is sent may differ.
 */
export function noticedChange({
  change,
  before,
  after,
}: SeenChange): 'gained' | 'lost' | 'changed' | 'precedence' | undefined {
  switch (change) {
    case 'gained':
    case 'lost':
      return change
    case 'value':
    case 'winner':
      return 'changed'
    case 'same':
    case 'source': {
      if (change === 'same' && after !== undefined && isSentAgain(after.value)) return 'changed'
      const isKnown = before?.set !== undefined && after?.set !== undefined
      return isKnown && before.set.priority !== after.set.priority ? 'precedence' : undefined
    }
  }
}

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
