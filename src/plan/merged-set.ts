import { compareText } from '../model/diagnostic.ts'
import { detailsBy, hasEffect, SETTING_NAMES, type SetSettings, settingsOf } from '../model/fields.ts'
import { listIn, listsOf, type TargetIds, type TargetKind, type VariableId } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type { DesiredVariable, ObservedSet, ObservedVariable, ResolvedSet } from '../model/variable-set.ts'
import { definitionOf } from './draft.ts'
import { changeOf, preferred, variablesByKey } from './equality.ts'
import type { ItemName } from './items.ts'
import type { KeptDrift } from './match.ts'
import type { LooksSecret } from './secrecy.ts'
import type { SecretState } from './secret-states.ts'

/** A set before a change, after it, and as it is in the service. */
interface ThreeSets {
  readonly was: ResolvedSet
  readonly desired: ResolvedSet
  readonly observed: ObservedSet
}

/** What is known of the secrets of the set, and which readable texts no plan may contain. */
interface KnownOfSet {
  readonly stateOf: (key: DesiredVariable['key']) => SecretState | undefined
  readonly looksSecret: LooksSecret
}

/** The set that one change leads to. */
interface MergedSet extends Pick<KeptDrift, 'duplicates'> {
  readonly target: ResolvedSet
  /** What differs from the files afterwards. Sorted. */
  readonly items: readonly ItemName[]
  /** What differed from the set before the change, and is written because the change edits it. Sorted. */
  readonly overwritten: readonly ItemName[]
  /** Nothing is kept: the target is the set of the files. */
  readonly isWhole: boolean
}

/**
 * A part that the change does not edit keeps its live value, and every other part becomes that of the files. Parts are a setting, the
 * value of a variable with its kind, the description of a variable, and an assignment.
 */
export function mergeSet(sets: ThreeSets, known: KnownOfSet): MergedSet {
  const { settings, items: settingNames, lost } = mergeSettings(sets)
  const { variables, duplicates, keys, lostKeys } = mergeVariables(sets, known)
  const { lists, ids } = mergeTargets(sets)
  const { name: serviceName, ...details } = settings
  const { desired } = sets
  const target = { ...desired, ...details, ...lists, variables }
  const items = [...settingNames, ...keys, ...ids].toSorted(compareText)
  return {
    target: serviceName === settingsOf(desired).name ? target : { ...target, serviceName },
    items,
    overwritten: [...lost, ...lostKeys].toSorted(compareText),
    duplicates,
    isWhole: items.length === 0 && variables.every((one, at) => one === desired.variables[at]),
  }
}

function mergeSettings({ was, desired, observed }: ThreeSets) {
  const [before, after] = [settingsOf(was), settingsOf(desired)]
  const keeps = (name: keyof SetSettings) => before[name] === after[name] && after[name] !== observed[name]
  const settings: SetSettings = {
    name: keeps('name') ? observed.name : after.name,
    ...detailsBy(name => (keeps(name) ? observed : after)[name]),
  }
  const isLost = (name: keyof SetSettings) =>
    observed[name] !== after[name] && observed[name] !== before[name] && !keeps(name)
  return { settings, items: SETTING_NAMES.filter(keeps), lost: SETTING_NAMES.filter(isLost) }
}

function mergeVariables({ was, desired, observed }: ThreeSets, { stateOf, looksSecret }: KnownOfSet) {
  const before = new Map(was.variables.map(variable => [variable.key, variable]))
  const live = variablesByKey(observed)
  const declared = desired.variables.map((variable): MergedVariable => {
    const found = preferred(live.get(variable.key) ?? [], variable)
    return mergeVariable(variable, before.get(variable.key), found, stateOf(variable.key), looksSecret)
  })
  const files = new Set(desired.variables.map(({ key }) => key))
  const added = [...live].flatMap(([key, found]): MergedVariable[] => {
    const [first] = found
    if (first === undefined || files.has(key) || before.has(key)) return []
    return [{ key, target: asLive(first, desired, looksSecret), isDrift: true, stays: found }]
  })
  const all = [...declared, ...added]
  return {
    variables: all.flatMap(({ target }) => target ?? []).toSorted((a, b) => compareText(a.key, b.key)),
    duplicates: new Set<VariableId>(
      all.flatMap(({ stays = [] }) => (stays.length > 1 ? stays.map(({ id }) => id) : [])),
    ),
    keys: all.flatMap(({ key, isDrift }): ItemName[] => (isDrift ? [key] : [])),
    lostKeys: [...live].flatMap(([key, [there]]): ItemName[] => {
      const [earlier, then] = [before.get(key), all.find(one => one.key === key)?.target]
      return there !== undefined && overwrites(there, earlier, then) ? [key] : []
    }),
  }
}

interface MergedVariable {
  readonly key: DesiredVariable['key']
  /** Absent: it is not created. */
  readonly target?: DesiredVariable
  readonly isDrift: boolean
  /** All variables of the key, if they stay. */
  readonly stays?: readonly ObservedVariable[]
}

function mergeVariable(
  variable: DesiredVariable,
  earlier: DesiredVariable | undefined,
  found: readonly ObservedVariable[],
  state: SecretState | undefined,
  looksSecret: LooksSecret,
): MergedVariable {
  const { key } = variable
  const [there] = found
  const isAsked = state?.state === 'write' && state.reason === 'asked'
  const edited = editedParts(earlier, variable)
  const isEdited = edited.value || edited.description || isAsked
  if (there === undefined) {
    // What this change edits is written whole. An external variable is never created.
    const isTarget = isEdited || 'external' in variable.value
    return isTarget ? { key, target: variable, isDrift: false } : { key, isDrift: true }
  }
  const keepsValue = !edited.value && !isAsked
  const isOtherValue =
    state?.state === 'write' || changeOf(there, { ...variable, description: there.description }) !== 'none'
  const isValueKept = keepsValue && isOtherValue
  const isDescriptionKept = !edited.description && there.description !== variable.description
  const isDrift = isValueKept || isDescriptionKept
  if (!isEdited) {
    const target = isDrift ? asLive(there, variable, looksSecret) : variable
    return { key, target, isDrift: isDrift || found.length > 1, stays: found }
  }
  // Nobody can see whether a secret was changed, so one that this change does not edit is not sent.
  const isUnsent = isValueKept || (keepsValue && 'secret' in variable.value)
  const sent = isUnsent ? { ...asLive(there, variable, looksSecret), value: EXTERNAL } : variable
  const { description } = isDescriptionKept ? there : variable
  return { key, target: description === sent.description ? sent : { ...sent, description }, isDrift }
}

/** Whether a part that somebody changed since the base gets another value. Nobody can see that of a secret. */
function overwrites(
  there: ObservedVariable,
  earlier: DesiredVariable | undefined,
  then: DesiredVariable | undefined,
): boolean {
  if (then === undefined || earlier === undefined)
    return then === undefined
      ? earlier !== undefined && changeOf(there, earlier) !== 'none'
      : changeOf(there, then) !== 'none'
  const { description } = there
  const isOther = (one: DesiredVariable) => changeOf(there, { ...one, description }) !== 'none'
  const isOtherText = [earlier, then].every(one => one.description !== description)
  return (isOther(earlier) && isOther(then)) || isOtherText
}

const EXTERNAL = { external: true } as const

/** The variable as it is in the service. A value that no plan may contain counts as one that is set elsewhere. */
function asLive(
  live: ObservedVariable,
  { source }: Pick<DesiredVariable, 'source'>,
  looksSecret: LooksSecret,
): DesiredVariable {
  const { key, value } = live
  const isShown = 'text' in value && !looksSecret(key, value.text)
  return { ...definitionOf({ ...live, value: isShown ? value : EXTERNAL }), source }
}

/** The parts in which two declarations of a variable differ. Whether it is sensitive, and whether it is HCL, belong to its value. */
const editedParts = (was: DesiredVariable | undefined, is: DesiredVariable) =>
  was === undefined
    ? { value: true, description: true }
    : {
        value:
          toCompactJson(was.value) !== toCompactJson(is.value) ||
          (hasEffect('hcl', is.key) && was.hcl !== is.hcl),
        description: was.description !== is.description,
      }

function mergeTargets({ was, desired, observed }: ThreeSets) {
  const ids: ItemName[] = []
  const lists = listsOf(<K extends TargetKind>(kind: K) => {
    const wanted = listIn(desired, kind)
    const earlier = listIn(was, kind)
    // Lists that were not managed before are managed by this change.
    if (wanted === undefined || earlier === undefined) return wanted
    const live = listIn(observed, kind) ?? []
    const [then, before, now] = [new Set(wanted), new Set(earlier), new Set(live)]
    const isKept = (id: TargetIds[K]) => then.has(id) === before.has(id)
    const all = [...new Set([...wanted, ...earlier, ...live])]
    ids.push(...all.filter(id => isKept(id) && then.has(id) !== now.has(id)))
    return all.filter(id => (isKept(id) ? now : then).has(id)).toSorted(compareText)
  })
  return { lists, ids }
}
