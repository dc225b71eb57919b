import type { VariableKey } from '../model/ids.ts'
import type { SetContents, Variable } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import { type Operation, type ValueBefore, variablesSent } from './operation.ts'

/**
 * Takes the readable texts out of the plan whose variable gets a secret in it, here or in another set: what stood there
 * in clear may well be that secret, and a plan travels to where it must not be read.
 */
export function withholdReplaced(drafts: readonly Draft[]): Draft[] {
  const secret = new Set<VariableKey>()
  for (const { operation } of drafts)
    for (const variable of variablesSent(operation)) if ('secret' in variable.value) secret.add(variable.key)
  if (secret.size === 0) return [...drafts]
  return drafts.map(draft => ({ ...draft, operation: withheld(draft.operation, secret) }))
}

function withheld(operation: Operation, secret: ReadonlySet<VariableKey>): Operation {
  switch (operation.type) {
    case 'update-variable':
      return 'secret' in operation.after.value
        ? { ...operation, before: withoutText(operation.before) }
        : operation
    case 'delete-variable':
      return secret.has(operation.before.key)
        ? { ...operation, before: withoutText(operation.before) }
        : operation
    case 'delete-set':
      return { ...operation, before: contentsWithout(operation.before, secret) }
    default:
      return operation
  }
}

const contentsWithout = (
  set: SetContents<ValueBefore>,
  secret: ReadonlySet<VariableKey>,
): SetContents<ValueBefore> => ({
  ...set,
  variables: set.variables.map(variable => (secret.has(variable.key) ? withoutText(variable) : variable)),
})

const withoutText = (variable: Variable<ValueBefore>): Variable<ValueBefore> =>
  'text' in variable.value ? { ...variable, value: { withheld: true } } : variable
