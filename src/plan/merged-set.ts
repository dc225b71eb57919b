import { compareText } from '../model/diagnostic.ts'
import {
  detailsBy,
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  type FieldTable,
  fieldsBy,
  hasEffect,
  mergedFields,
  SETTING_NAMES,
  type SetSettings,
  settingsOf,
} from '../model/fields.ts'
import { listIn, listsOf, type TargetIds, type TargetKind, type VariableId } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type { DesiredVariable, ObservedSet, ObservedVariable, ResolvedSet } from '../model/variable-set.ts'
import { definitionOf } from './draft.ts'
import { changeOf, preferred, variablesByKey } from './equality.ts'
import type { ItemName } from './items.ts'
import type { LeftDrift } from './match.ts'
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
interface MergedSet extends Pick<LeftDrift, 'duplicates'> {
  readonly target: ResolvedSet
  /** What differs from the files afterwards. Sorted. */
  readonly items: readonly ItemName[]
  /** What differed from the set before the change, and is written because the change edits it. Sorted. */
  readonly overwritten: readonly ItemName[]
  /** Nothing is left: the target is the set of the files. */
  readonly isWhole: boolean
}

/**
 * A part that the change does not edit keeps its live value, and every other part becomes that of the files. Parts are a setting, the
 * value of a variable with the fields that belong to it, each other field of a variable, and an assignment.
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
  const isEdited = edited.value || FIELD_NAMES.some(name => edited.fields[name]) || isAsked
  if (there === undefined) {
    // What this change edits is written whole. An external variable is never created.
    const isTarget = isEdited || 'external' in variable.value
    return isTarget ? { key, target: variable, isDrift: false } : { key, isDrift: true }
  }
  const keepsValue = !edited.value && !isAsked
  const isOtherValue = state?.state === 'write' || isOther(there, variable)
  const isValueKept = keepsValue && isOtherValue
  const isFieldKept = (name: FieldName) => !edited.fields[name] && differsIn(name, there, variable)
  const isDrift = isValueKept || FIELD_NAMES.some(isFieldKept)
  if (!isEdited) {
    const target = isDrift ? asLive(there, variable, looksSecret) : variable
    return { key, target, isDrift: isDrift || found.length > 1, stays: found }
  }
  // Nobody can see whether a secret was changed, so one that this change does not edit is not sent.
  const isUnsent = isValueKept || (keepsValue && 'secret' in variable.value)
  const sent = isUnsent ? { ...asLive(there, variable, looksSecret), value: EXTERNAL } : variable
  const isLive = (name: FieldName) => (isOfValue(name) ? isUnsent : isFieldKept(name))
  const target =
    FIELD_NAMES.some(isLive) || isUnsent ? { ...sent, ...mergedFields(variable, there, isLive) } : sent
  return { key, target, isDrift }
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
  const both = [earlier, then]
  return (
    both.every(one => isOther(there, one)) ||
    FIELD_NAMES.some(name => both.every(one => differsIn(name, there, one)))
  )
}

/** A field that belongs to the value, such as whether it is HCL, is edited and kept with it. Any other field is a part by itself. */
const isOfValue = (name: FieldName): boolean => FIELDS[name].belongsToValue === true

/** Whether a variable of the service has another value than a declared one. */
const isOther = (there: ObservedVariable, declared: DesiredVariable): boolean =>
  changeOf(there, { ...declared, ...mergedFields(declared, there, name => !isOfValue(name)) }) !== 'none'

/** Whether a variable of the service differs from a declared one in a field that is a part by itself. */
const differsIn = (name: FieldName, there: ObservedVariable, declared: DesiredVariable): boolean =>
  !isOfValue(name) && hasEffect(name, declared.key) && there[name] !== declared[name]

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

/** The parts in which two declarations of a variable differ. */
interface EditedParts {
  /** Whether it is sensitive belongs to the value. */
  readonly value: boolean
  readonly fields: FieldTable<boolean>
}

function editedParts(was: DesiredVariable | undefined, is: DesiredVariable): EditedParts {
  const fields = fieldsBy(name => was === undefined || (hasEffect(name, is.key) && was[name] !== is[name]))
  const isOtherValue = was === undefined || toCompactJson(was.value) !== toCompactJson(is.value)
  return { value: isOtherValue || FIELD_NAMES.some(name => isOfValue(name) && fields[name]), fields }
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
