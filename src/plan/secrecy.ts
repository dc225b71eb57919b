import { compareText } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import type { ObservedValue, Variable } from '../model/variable-set.ts'
import { partsOf, variablesSent } from './items.ts'
import { isWithoutVariables, type Operation } from './operation.ts'

/**
 * Decides which readable values are hidden in plans, effects and reports. A value is hidden if its key is a secret on
 * the other side or in another set, because it may be that secret, or if it looks like one.
 */

/** Whether a readable value looks like a secret. The loader provides the check. */
export type LooksSecret = (key: VariableKey, text: string) => boolean

export const NOTHING_LOOKS_SECRET: LooksSecret = () => false

/** Whether a value under a key is hidden. */
export type Hides = (key: VariableKey, text: string) => boolean

interface Holding {
  readonly held: ReadonlyMap<VariableKey, { readonly secret: boolean }>
}

/** Hides a readable value if its key is a secret in one of the holders. */
export function hiddenAmong(holders: Iterable<Holding>, looksSecret: LooksSecret): Hides {
  const keys = new Set<VariableKey>()
  for (const { held } of holders) for (const [key, { secret }] of held) if (secret) keys.add(key)
  return (key, text) => keys.has(key) || looksSecret(key, text)
}

/** Keys whose secret a plan deletes or makes readable: the new readable value may be the same. Sorted. */
export function hiddenAfter(operations: readonly Operation[]): VariableKey[] {
  const keys = new Set<VariableKey>()
  // A new set deletes nothing, so its variables are skipped.
  const others = operations.filter(({ type }) => type !== 'create-set')
  for (const item of others.flatMap(partsOf)) {
    if (item.kind !== 'variable' || item.before === undefined || !('hidden' in item.before.value)) continue
    if (item.after === undefined || 'text' in item.after.value) keys.add(item.key)
  }
  return [...keys].sort(compareText)
}

/** Removes hidden values from before states, because a plan travels to places where they must not be read. */
export function withholdBefore<T extends { readonly operation: Operation }>(
  drafts: readonly T[],
  looksSecret: LooksSecret,
): T[] {
  const secret = new Set<VariableKey>()
  for (const { operation } of drafts)
    for (const variable of variablesSent(operation)) if ('secret' in variable.value) secret.add(variable.key)
  const hides: Hides = (key, text) => secret.has(key) || looksSecret(key, text)
  return drafts.map(draft => ({ ...draft, operation: withheld(draft.operation, hides, looksSecret) }))
}

function withheld(operation: Operation, hides: Hides, looksSecret: LooksSecret): Operation {
  if (isWithoutVariables(operation)) return operation
  switch (operation.type) {
    case 'update-variable': {
      const own = 'secret' in operation.after.value ? hides : looksSecret
      return { ...operation, before: withoutText(operation.before, own) }
    }
    case 'delete-variable':
      return { ...operation, before: withoutText(operation.before, hides) }
    case 'delete-set': {
      const { before } = operation
      const variables = before.variables.map(variable => withoutText(variable, hides))
      return { ...operation, before: { ...before, variables } }
    }
    case 'create-set':
    case 'update-set':
    case 'create-variable':
      return operation
  }
}

const withoutText = (variable: Variable<ObservedValue>, hides: Hides): Variable<ObservedValue> =>
  'text' in variable.value && hides(variable.key, variable.value.text)
    ? { ...variable, value: { withheld: true } }
    : variable
