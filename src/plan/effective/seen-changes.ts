import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import type { DesiredVariable } from '../../model/variable-set.ts'
import type { Effect, EffectKind, EffectReason, Giver, UnseenVariable } from './effect.ts'
import { byStrength, type RankedSource, reasonFor, sourcesByKey } from './precedence.ts'
import {
  type ChangedSet,
  isSentAgain,
  type SeenValue,
  type SetState,
  sameInOneSet,
  sameInTwoSets,
} from './set-state.ts'
import type { ReceivedSets, WorkspaceGroup } from './workspace-groups.ts'

/** Another set, or another value, gives a key. Only a change with an effect is shown by reports. */
export interface SeenChange {
  readonly key: VariableKey
  readonly effect?: Effect
  /**
   * `precedence`: the value stays, but begins or ceases to override workspace variables. `changed`: a secret is sent again because
   * of its description, and what is sent may differ.
   */
  readonly quiet?: 'precedence' | 'changed'
  readonly before: SetState | undefined
  readonly after: SetState | undefined
  readonly groups: readonly WorkspaceGroup[]
}

export type ShownChange = SeenChange & { readonly effect: Effect }

/**
 * What changes for each group, without a limit. The effect of global sets is computed once; a group is compared only in the keys
 * that it receives from other sets.
 */
export function seenChanges(
  groups: readonly WorkspaceGroup[],
  everywhere: ReceivedSets,
  hides: HidesValue,
): readonly SeenChange[] {
  const globalBefore = sourcesByKey(everywhere.before)
  const globalAfter = sourcesByKey(everywhere.after)
  const changes = new Map<string, SeenChange & { readonly groups: WorkspaceGroup[] }>()
  const add = (key: VariableKey, before: KeySources, after: KeySources, seeing: WorkspaceGroup[]): void => {
    const [was, is] = [before[0]?.set, after[0]?.set]
    if (seeing.length === 0) return
    const kind = kindOf(key, was, is)
    const quiet = quietChangeOf(key, kind, was, is)
    if (kind === undefined && quiet === undefined) return
    const why = kind && whyOf(before[0], after)
    const identity = JSON.stringify([key, was?.id, is?.id, why])
    const known = changes.get(identity)
    if (known !== undefined) for (const group of seeing) known.groups.push(group)
    else {
      const effect = kind && {
        kind,
        key,
        before: giverOf(was, key, hides),
        after: giverOf(is, key, hides),
        why,
      }
      changes.set(identity, { key, effect, quiet, before: was, after: is, groups: seeing })
    }
  }

  /** Groups that receive the key from other sets than global ones. */
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
  return [...changes.values()]
}

/** The sources of one key, the strongest first. */
type KeySources = readonly RankedSource[]

const together = (own: KeySources = [], global: KeySources = []): KeySources =>
  global.length === 0 ? own : [...own, ...global].toSorted(byStrength)

/** `undefined` if there is no difference. */
function kindOf(
  key: VariableKey,
  before: SetState | undefined,
  after: SetState | undefined,
): EffectKind | undefined {
  const was = before?.held.get(key)
  const is = after?.held.get(key)
  if (was === undefined || is === undefined) return was === undefined ? is && 'gained' : 'lost'
  if (before?.id === after?.id) return sameInOneSet(key, was, is) ? undefined : 'value'
  return sameInTwoSets(key, was, is) ? 'source' : 'winner'
}

function quietChangeOf(
  key: VariableKey,
  kind: EffectKind | undefined,
  before: SetState | undefined,
  after: SetState | undefined,
): SeenChange['quiet'] {
  if (kind !== undefined && kind !== 'source') return undefined
  const then = after?.held.get(key)
  if (before?.id === after?.id && then !== undefined && isSentAgain(then)) return 'changed'
  return before?.priority === after?.priority ? undefined : 'precedence'
}

/** Why another set gives the variable; `undefined` if none does. */
function whyOf(was: RankedSource | undefined, after: KeySources): EffectReason | undefined {
  const [is] = after
  if (was === undefined || is === undefined || was.set?.id === is.set?.id) return undefined
  const loser = after.find(({ set }) => set?.id === was.set?.id)
  return loser === undefined ? 'gone' : reasonFor(is, loser)
}

/** Longer texts are shown with the operations only. */
const LONGEST_TEXT = 60

function giverOf(set: SetState | undefined, key: VariableKey, hides: HidesValue): Giver | undefined {
  if (set === undefined) return undefined
  const value = set.held.get(key)
  return value && shownGiver(set, key, value, hides)
}

/** Whether a plan hides a readable value that a set gives before or after it. */
export type HidesValue = (
  set: SetState,
  key: VariableKey,
  value: { readonly text: string; readonly written?: DesiredVariable },
) => boolean

/** A set that gives a value. `text` only where a plan may show it. */
export function shownGiver(set: SetState, key: VariableKey, value: SeenValue, hides: HidesValue): Giver {
  const { name, ours } = set
  if (value.secret) return { set: name, secret: true }
  const { text } = value
  const isShown =
    ours &&
    text !== undefined &&
    text.length <= LONGEST_TEXT &&
    !/[\n\r]/.test(text) &&
    !hides(set, key, { ...value, text })
  return { set: name, text: isShown ? text : undefined }
}

/** Variables without effect that are named at most. */
const MOST_UNSEEN = 50

/** New variables and values without effect, because other sets win wherever their set is assigned. */
export function unseenVariables(
  moving: readonly ChangedSet[],
  changes: readonly ShownChange[],
  groups: readonly WorkspaceGroup[],
  everywhere: ReceivedSets,
): { readonly named: UnseenVariable[]; readonly all: number } {
  const seen = new Map<VariableKey, Set<string | undefined>>()
  for (const { effect, before, after } of changes)
    seen.set(effect.key, (seen.get(effect.key) ?? new Set()).add(before?.id).add(after?.id))
  const first = new Map<SetState | undefined, WorkspaceGroup>()
  for (const group of groups) for (const { set } of group.after) if (!first.has(set)) first.set(set, group)
  const unseen = moving.flatMap(({ before, after }) => {
    const group = first.get(after) ?? (after?.global ? groups[0] : undefined)
    if (after === undefined || group === undefined) return []
    return [...after.held].flatMap(([key, value]) => {
      const was = before?.held.get(key)
      const isOther = was === undefined || !sameInOneSet(key, was, value)
      return isOther && !seen.get(key)?.has(after.id) ? [{ set: after.name, key, group }] : []
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
