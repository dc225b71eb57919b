import { compareText } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import type { SetContents, Variable } from '../model/variable-set.ts'
import { partsOf } from './items.ts'
import { type Operation, type ValueBefore, variablesSent } from './operation.ts'

/**
 * Which readable texts nobody is shown, decided here for plans, their effects and every report. A text is hidden where its key
 * is a secret on the other side or in another set, for it may be that secret, and where it looks like one by itself.
 */

/** Whether a readable text looks like a secret: the check of the loader, which a plan is given. */
export type LooksSecret = (key: VariableKey, text: string) => boolean

export const NOTHING_LOOKS_SECRET: LooksSecret = () => false

/** Whether a text under a key is hidden from whoever reads of it. */
export type Hides = (key: VariableKey, text: string) => boolean

interface Holding {
  readonly held: ReadonlyMap<VariableKey, { readonly secret: boolean }>
}

/** Among things that hold variables: a readable text under a key that is a secret in one of them may well be that secret. */
export function hiddenAmong(holders: Iterable<Holding>, looksSecret: LooksSecret): Hides {
  const keys = new Set<VariableKey>()
  for (const { held } of holders) for (const [key, { secret }] of held) if (secret) keys.add(key)
  return (key, text) => keys.has(key) || looksSecret(key, text)
}

/** Keys under which a plan takes a secret away: the readable text that it sends there may be the same. Sorted. */
export function hiddenAfter(operations: readonly Operation[]): VariableKey[] {
  const keys = new Set<VariableKey>()
  // A new set takes nothing away: its many variables are not looked through.
  const others = operations.filter(({ type }) => type !== 'create-set')
  for (const item of others.flatMap(partsOf)) {
    if (item.kind !== 'variable' || item.before === undefined || !('hidden' in item.before.value)) continue
    if (item.after === undefined || 'text' in item.after.value) keys.add(item.key)
  }
  return [...keys].sort(compareText)
}

/** Takes hidden texts out of what stood there before: a plan travels to where they must not be read. */
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
  switch (operation.type) {
    case 'update-variable': {
      const own = 'secret' in operation.after.value ? hides : looksSecret
      return { ...operation, before: withoutText(operation.before, own) }
    }
    case 'delete-variable':
      return { ...operation, before: withoutText(operation.before, hides) }
    case 'delete-set':
      return { ...operation, before: contentsWithout(operation.before, hides) }
    case 'create-set':
    case 'update-set':
    case 'create-variable':
    case 'assign':
    case 'unassign':
      return operation
  }
}

const contentsWithout = (set: SetContents<ValueBefore>, hides: Hides): SetContents<ValueBefore> => ({
  ...set,
  variables: set.variables.map(variable => withoutText(variable, hides)),
})

const withoutText = (variable: Variable<ValueBefore>, hides: Hides): Variable<ValueBefore> =>
  'text' in variable.value && hides(variable.key, variable.value.text)
    ? { ...variable, value: { withheld: true } }
    : variable
