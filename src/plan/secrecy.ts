import { compareText } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import { allItemsOf } from './items.ts'
import { isWithoutVariables, type Operation } from './operation.ts'

/**
 * Where a value is hidden: here. `secrecyOf` decides it once, when a plan is made, for its operations, effects, reports and rules: the
 * operations of a plan have no hidden values, and its facts name the keys whose new values no report shows. `hiddenAmong` decides it
 * for an explanation, which has no plan. A value is hidden if it may be a secret, and always if a file declares it external: who
 * sets it elsewhere keeps it out of the files, and a sensitive one may have become readable.
 */

/** Whether a readable value looks like a secret. The loader provides the check. */
export type LooksSecret = (key: VariableKey, text: string) => boolean

export const NOTHING_LOOKS_SECRET: LooksSecret = () => false

/** Whether a value under a key is hidden. */
export type Hides = (key: VariableKey, text: string) => boolean

interface Holding {
  readonly held: ReadonlyMap<
    VariableKey,
    { readonly secret: boolean; readonly written?: Pick<Variable<DesiredValue>, 'value'> }
  >
}

/** Hides a readable value if its key is a secret, or external, in one of the holders. */
export function hiddenAmong(holders: Iterable<Holding>, looksSecret: LooksSecret): Hides {
  const keys = new Set<VariableKey>()
  for (const { held } of holders)
    for (const [key, { secret, written }] of held) if (secret || isExternal(written)) keys.add(key)
  return (key, text) => keys.has(key) || looksSecret(key, text)
}

const isExternal = (declared: Pick<Variable<DesiredValue>, 'value'> | undefined): boolean =>
  declared !== undefined && 'external' in declared.value

/** Keys whose secret a plan deletes or makes readable: the new readable value may be the same. Sorted. */
function hiddenAfter(operations: readonly Operation[]): VariableKey[] {
  const keys = new Set<VariableKey>()
  // A new set deletes nothing, so its variables are skipped.
  const others = operations.filter(({ type }) => type !== 'create-set')
  for (const item of others.flatMap(allItemsOf)) {
    if (item.kind !== 'variable' || item.before === undefined || !('hidden' in item.before.value)) continue
    if (item.after === undefined || 'text' in item.after.value) keys.add(item.key)
  }
  return [...keys].sort(compareText)
}

/** Which readable values of its own sets a plan hides. */
export interface Secrecy {
  /** A value of the service. `declared`: its variable in the files, if they keep it. */
  readonly hidesBefore: (
    observed: Pick<Variable<ObservedValue>, 'key' | 'value'>,
    declared?: Pick<Variable<DesiredValue>, 'value'>,
  ) => boolean
  /** A value of the files, which have it in clear. */
  readonly hidesAfter: (key: VariableKey) => boolean
  /** The keys for which `hidesAfter` holds. Sorted. */
  readonly hidden: readonly VariableKey[]
}

/** `secrets`: the keys under which the files declare secrets, whether or not this plan writes them, so that the rest of a plan hides the same. */
export function secrecyOf(
  operations: readonly Operation[],
  secrets: ReadonlySet<VariableKey>,
  looksSecret: LooksSecret,
): Secrecy {
  const hidden = hiddenAfter(operations)
  const readable = new Set(hidden)
  const hidesAfter = (key: VariableKey): boolean => readable.has(key)
  return {
    hidesBefore: ({ key, value }, declared) => {
      if (!('text' in value)) return false
      if (isExternal(declared)) return true
      const next = declared?.value
      if (next !== undefined && 'text' in next && next.text === value.text) return hidesAfter(key)
      const maySucceed = next === undefined || 'secret' in next
      return (maySucceed && secrets.has(key)) || looksSecret(key, value.text)
    },
    hidesAfter,
    hidden,
  }
}

/** Removes hidden values from before states, because a plan travels to places where they must not be read. */
export function withholdBefore(operation: Operation, secrecy: Secrecy): Operation {
  if (isWithoutVariables(operation)) return operation
  switch (operation.type) {
    case 'update-variable':
      return { ...operation, before: withoutText(operation.before, secrecy, operation.after) }
    case 'delete-variable':
      return { ...operation, before: withoutText(operation.before, secrecy) }
    case 'delete-set': {
      const { before } = operation
      const variables = before.variables.map(variable => withoutText(variable, secrecy))
      return { ...operation, before: { ...before, variables } }
    }
    case 'create-set':
    case 'create-variable':
      return operation
  }
}

const withoutText = (
  variable: Variable<ObservedValue>,
  { hidesBefore }: Secrecy,
  declared?: Variable<DesiredValue>,
): Variable<ObservedValue> =>
  hidesBefore(variable, declared) ? { ...variable, value: { withheld: true } } : variable
