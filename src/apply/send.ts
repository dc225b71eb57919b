import type { WireValue } from '../api/encode.ts'
import type { Writer } from '../api/writer.ts'
import { settingsOf } from '../model/fields.ts'
import type { Secret } from '../model/secret.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedValue,
  ObservedVariable,
  Variable,
} from '../model/variable-set.ts'
import type { Operation, OperationType } from '../plan/operation.ts'
import type { Executed, WriteProof } from './outcome.ts'

/** What a response proved, if it has more than a status; for a created set also the set as it shows it. */
export interface Answer {
  readonly proof?: WriteProof
  readonly created?: ObservedSet
}

/** An operation as it ended, with what its response or a read showed. */
export type Delivered = Executed & { readonly answer?: Answer }

/** A request of one type of operation. Rejects like `Writer`. */
interface RequestRow<O> {
  send(
    operation: O,
    writer: Writer,
    wire: (variable: Variable<DesiredValue>, before?: Variable<ObservedValue>) => Variable<WireValue>,
    organization: string,
  ): Promise<Answer>
  /** Whether the response contains the written object. Other responses are only a status. */
  readonly isShown: boolean
}

/** Variables have the keys that were sent: their ids tell which they are. */
const REQUESTS: { readonly [T in OperationType]: RequestRow<Extract<Operation, { type: T }>> } = {
  'create-set': {
    isShown: true,
    send: async ({ after }, writer, wire, organization) => {
      const variables = after.variables.map(variable => wire(variable))
      return answerOf((await writer.createSet(organization, { ...after, variables })).set)
    },
  },
  'update-set': {
    isShown: true,
    send: async ({ subject, after }, writer) => {
      const { set } = await writer.updateSet(subject.id, after)
      return { proof: { settings: settingsOf(set), variables: [] } }
    },
  },
  'delete-set': {
    isShown: false,
    send: ({ subject }, writer) => statusOf(writer.deleteSet(subject.id)),
  },
  'create-variable': {
    isShown: true,
    send: async ({ subject, after }, writer, wire) =>
      variableShown(after, await writer.createVariable(subject.id, wire(after))),
  },
  'update-variable': {
    isShown: true,
    send: async ({ subject, variableId, before, after }, writer, wire) =>
      variableShown(after, await writer.updateVariable(subject.id, variableId, wire(after, before))),
  },
  'delete-variable': {
    isShown: false,
    send: ({ subject, variableId }, writer) => statusOf(writer.deleteVariable(subject.id, variableId)),
  },
  assign: {
    isShown: false,
    send: ({ subject, targets }, writer) => statusOf(writer.assign(subject.id, targets)),
  },
  unassign: {
    isShown: false,
    send: ({ subject, targets }, writer) => statusOf(writer.unassign(subject.id, targets)),
  },
}

const rowOf = ({ type }: Operation): RequestRow<Operation> => REQUESTS[type]

/** One operation, one request. Rejects like `Writer`. */
export const send = (
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
): Promise<Answer> =>
  rowOf(operation).send(
    operation,
    writer,
    (variable, before) => toWire(variable, secrets, before),
    organization,
  )

/** Whether the response to an operation contains the written object, and not only a status. */
export const isAnsweredWhole = (operation: Operation): boolean => rowOf(operation).isShown

async function statusOf(sent: Promise<void>): Promise<Answer> {
  await sent
  return {}
}

const variableShown = ({ key }: Variable<DesiredValue>, shown: ObservedVariable): Answer => ({
  proof: { variables: [{ ...shown, key }] },
})

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
