import type { VariableKey } from '../model/ids.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import type { Operation } from '../plan/operation.ts'
import type { Remaining } from '../plan/plan.ts'

/** The steps of a plan as a report may carry them: without the new texts that the plan says are hidden. */
export function reportedSteps(plan: Pick<Remaining, 'steps' | 'facts'>) {
  const hidden = new Set(plan.facts.hidden)
  return plan.steps.map(step => ({ ...step, operation: reported(step.operation, hidden) }))
}

function reported(operation: Operation, hidden: ReadonlySet<VariableKey>) {
  switch (operation.type) {
    case 'create-set': {
      const variables = operation.after.variables.map(sent => withoutHidden(sent, hidden))
      return { ...operation, after: { ...operation.after, variables } }
    }
    case 'update-set':
      return { ...operation, variables: operation.variables.map(sent => withoutHidden(sent, hidden)) }
    case 'create-variable':
    case 'update-variable':
      return { ...operation, after: withoutHidden(operation.after, hidden) }
    case 'delete-set':
    case 'delete-variable':
    case 'assign':
    case 'unassign':
      return operation
  }
}

const withoutHidden = (
  variable: Variable<DesiredValue>,
  hidden: ReadonlySet<VariableKey>,
): Variable<DesiredValue | { readonly hidden: true }> =>
  'text' in variable.value && hidden.has(variable.key) ? { ...variable, value: { hidden: true } } : variable
