import type { WireValue } from '../api/encode.ts'
import type { Writer } from '../api/writer.ts'
import { settingsOf } from '../model/fields.ts'
import type { VariableKey } from '../model/ids.ts'
import type { Secret } from '../model/secret.ts'
import type { DesiredValue, ObservedSet, Variable } from '../model/variable-set.ts'
import type { Operation, ValueBefore } from '../plan/operation.ts'
import type { Answer } from './answers.ts'

/** One operation, one request; what its answer proved, where it carries more than a status. Rejects as `Writer` does. */
export async function send(
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const wire = (variable: Variable<DesiredValue>, before?: Variable<ValueBefore>) =>
    toWire(variable, secrets, before)
  switch (operation.type) {
    case 'create-set': {
      const { after } = operation
      const variables = after.variables.map(variable => wire(variable))
      const answer = await writer.createSet(organization, { ...after, variables }, signal)
      return { setId: answer.set.id, ...provenBy(answer.set, variables) }
    }
    case 'update-set': {
      const added = operation.variables.map(variable => wire(variable))
      const answer = await writer.updateSet(operation.subject.id, operation.after, added, signal)
      return provenBy(answer.set, added)
    }
    case 'delete-set':
      await writer.deleteSet(operation.subject.id, signal)
      return
    case 'create-variable':
      return { variables: [await writer.createVariable(operation.subject.id, wire(operation.after), signal)] }
    case 'update-variable': {
      const { after, before, subject, variableId } = operation
      const variable = await writer.updateVariable(subject.id, variableId, wire(after, before), signal)
      return { variables: [variable] }
    }
    case 'delete-variable':
      await writer.deleteVariable(operation.subject.id, operation.variableId, signal)
      return
    case 'assign':
      await writer.assign(operation.subject.id, operation.targets, signal)
      return
    case 'unassign':
      await writer.unassign(operation.subject.id, operation.targets, signal)
      return
  }
  operation satisfies never
}

/** Of a set that has other variables as well, those that were sent. */
function provenBy(set: ObservedSet, sent: readonly { readonly key: VariableKey }[]): Answer {
  const keys = new Set(sent.map(({ key }) => key))
  return { settings: settingsOf(set), variables: set.variables.filter(({ key }) => keys.has(key)) }
}

/** `external` leaves the value and the sensitivity as they are. */
function toWire(
  variable: Variable<DesiredValue>,
  secrets: ReadonlyMap<string, Secret>,
  before: Variable<ValueBefore> | undefined,
): Variable<WireValue> {
  const { value } = variable
  if ('text' in value) return { ...variable, value: { text: value.text } }
  if ('external' in value) {
    const sensitive = before !== undefined && 'hidden' in before.value
    return { ...variable, value: { keep: true, sensitive } }
  }
  const secret = secrets.get(value.secret.name)
  if (secret === undefined) throw new TypeError(`the secret ${value.secret.name} was not resolved`)
  return { ...variable, value: { secret } }
}
