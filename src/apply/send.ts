import type { WireValue } from '../api/encode.ts'
import type { Writer } from '../api/writer.ts'
import { settingsOf } from '../model/fields.ts'
import type { Secret } from '../model/secret.ts'
import type { DesiredValue, ObservedSet, ObservedValue, Variable } from '../model/variable-set.ts'
import type { Operation, OperationType } from '../plan/operation.ts'
import type { Executed, WriteProof } from './outcome.ts'

/** What a response proved, if it has more than a status; for a created set also the set as it shows it. */
export interface Answer {
  readonly proof?: WriteProof
  readonly created?: ObservedSet
}

/** An operation as it ended, with what its response or a read showed. */
export type Delivered = Executed & { readonly answer?: Answer }

/** One operation, one request. Rejects like `Writer`. Variables have the keys that were sent: their ids tell which they are. */
export async function send(
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
): Promise<Answer> {
  const wire = (variable: Variable<DesiredValue>, before?: Variable<ObservedValue>) =>
    toWire(variable, secrets, before)
  switch (operation.type) {
    case 'create-set': {
      const { after } = operation
      const variables = after.variables.map(variable => wire(variable))
      const { set } = await writer.createSet(organization, { ...after, variables })
      return answerOf(set)
    }
    case 'update-set': {
      const { set } = await writer.updateSet(operation.subject.id, operation.after)
      return { proof: { settings: settingsOf(set), variables: [] } }
    }
    case 'delete-set':
      await writer.deleteSet(operation.subject.id)
      return {}
    case 'create-variable': {
      const { after, subject } = operation
      const variable = await writer.createVariable(subject.id, wire(after))
      return { proof: { variables: [{ ...variable, key: after.key }] } }
    }
    case 'update-variable': {
      const { after, before, subject, variableId } = operation
      const variable = await writer.updateVariable(subject.id, variableId, wire(after, before))
      return { proof: { variables: [{ ...variable, key: after.key }] } }
    }
    case 'delete-variable':
      await writer.deleteVariable(operation.subject.id, operation.variableId)
      return {}
    case 'assign':
      await writer.assign(operation.subject.id, operation.targets)
      return {}
    case 'unassign':
      await writer.unassign(operation.subject.id, operation.targets)
      return {}
  }
  operation satisfies never
}

/** Whether the response contains the written object. Other responses are only a status. */
export const ANSWER_SHOWS = {
  'create-set': true,
  'update-set': true,
  'delete-set': false,
  'create-variable': true,
  'update-variable': true,
  'delete-variable': false,
  assign: false,
  unassign: false,
} as const satisfies Record<OperationType, boolean>

/** What a response or a read says about a new set. */
export const answerOf = (created: ObservedSet): Answer => ({
  created,
  proof: { setId: created.id, settings: settingsOf(created), variables: [] },
})

/** `external` keeps the value and its sensitivity. */
function toWire(
  variable: Variable<DesiredValue>,
  secrets: ReadonlyMap<string, Secret>,
  before: Variable<ObservedValue> | undefined,
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
