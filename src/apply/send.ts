import type { WireValue } from '../api/encode.ts'
import type { Writer } from '../api/writer.ts'
import { assertNever } from '../model/json.ts'
import type { Secret } from '../model/secret.ts'
import type { DesiredValue, Variable, VariableSetId } from '../model/variable-set.ts'
import type { Operation, ValueBefore } from '../plan/operation.ts'

/** One operation, one request. The id of a set that it made. Rejects as `Writer` does. */
export async function send(
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
  signal: AbortSignal,
): Promise<VariableSetId | undefined> {
  const wire = (variable: Variable<DesiredValue>, before?: Variable<ValueBefore>) =>
    toWire(variable, secrets, before)
  switch (operation.type) {
    case 'create-set': {
      const { after } = operation
      const variables = after.variables.map(variable => wire(variable))
      const answer = await writer.createSet(organization, { ...after, variables }, signal)
      return answer.set.id
    }
    case 'update-set':
      await writer.updateSet(
        operation.setId,
        operation.after,
        operation.variables.map(variable => wire(variable)),
        signal,
      )
      return
    case 'delete-set':
      await writer.deleteSet(operation.setId, signal)
      return
    case 'create-variable':
      await writer.createVariable(operation.setId, wire(operation.after), signal)
      return
    case 'update-variable': {
      const { after, before, setId, variableId } = operation
      await writer.updateVariable(setId, variableId, wire(after, before), signal)
      return
    }
    case 'delete-variable':
      await writer.deleteVariable(operation.setId, operation.variableId, signal)
      return
    case 'assign':
      await writer.assign(operation.setId, operation.targets, signal)
      return
    case 'unassign':
      await writer.unassign(operation.setId, operation.targets, signal)
      return
    default:
      return assertNever(operation)
  }
}

/** `external` leaves the value, the hcl flag and the sensitivity as they are. */
function toWire(
  variable: Variable<DesiredValue>,
  secrets: ReadonlyMap<string, Secret>,
  before: Variable<ValueBefore> | undefined,
): Variable<WireValue> {
  const { value } = variable
  if ('text' in value) return { ...variable, value: { text: value.text } }
  if ('external' in value) {
    const sensitive = before !== undefined && 'hidden' in before.value
    return { ...variable, hcl: before?.hcl ?? variable.hcl, value: { keep: true, sensitive } }
  }
  const secret = secrets.get(value.secret.name)
  if (secret === undefined) throw new TypeError(`the secret ${value.secret.name} was not resolved`)
  return { ...variable, value: { secret } }
}
