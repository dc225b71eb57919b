import type { VariableKey } from '../model/ids.ts'
import type { DesiredValue, SetContents, Variable } from '../model/variable-set.ts'
import type { Operation, ValueBefore } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import { secrecyOf } from './shown.ts'

/** A value in a report: as in a plan, or `hidden` where the other side of the change is a secret. */
type ReportedValue = DesiredValue | ValueBefore

/** The steps of a plan as a report may carry them: the same secrecy as in every other renderer. */
export function reportedSteps(plan: Plan) {
  const secrecy = secrecyOf(plan)
  return plan.steps.map(step => ({ ...step, operation: reported(step.operation, secrecy) }))
}

function reported(operation: Operation, secrecy: ReturnType<typeof secrecyOf>) {
  switch (operation.type) {
    case 'create-set':
      return { ...operation, after: contents(operation.after, secrecy.after) }
    case 'update-set':
      return { ...operation, variables: operation.variables.map(sent => variable(sent, secrecy.after)) }
    case 'delete-set':
      return { ...operation, before: contents(operation.before, secrecy.before) }
    case 'create-variable':
      return { ...operation, after: variable(operation.after, secrecy.after) }
    case 'update-variable': {
      const { before, after } = operation
      return {
        ...operation,
        before: variable(before, () => 'secret' in after.value),
        after: variable(after, () => 'hidden' in before.value),
      }
    }
    case 'delete-variable':
      return { ...operation, before: variable(operation.before, secrecy.before) }
    case 'assign':
    case 'unassign':
      return operation
  }
}

const contents = <V extends ReportedValue>(set: SetContents<V>, hides: (key: VariableKey) => boolean) => ({
  ...set,
  variables: set.variables.map(one => variable(one, hides)),
})

const variable = <V extends ReportedValue>(
  one: Variable<V>,
  hides: (key: VariableKey) => boolean,
): Variable<ReportedValue> =>
  'text' in one.value && hides(one.key) ? { ...one, value: { hidden: true } } : one
