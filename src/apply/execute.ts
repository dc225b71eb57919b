import type { WireValue } from '../api/encode.ts'
import { AmbiguousAnswerError, ApiError, isStatus, mayHaveHappened } from '../api/errors.ts'
import type { Writer } from '../api/writer.ts'
import { assertNever } from '../model/json.ts'
import type { Secret } from '../model/secret.ts'
import type { DesiredValue, ObservedValue, Variable, VariableSetId } from '../model/variable-set.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import { TransportError } from '../wire/transport.ts'
import type { Execute, Executed } from './apply.ts'

export interface ExecuteOptions {
  /** Gets the id of each set that was made, by its operation. */
  readonly created: Map<OperationId, VariableSetId>
  /** Whether so many requests had to be repeated that the run stops asking. */
  readonly retriesExhausted: () => boolean
}

/**
 * Sends operations through `writer`, and turns every failure of the world into an outcome.
 */
export function executeWith(
  writer: Writer,
  organization: string,
  secrets: ReadonlyMap<string, Secret>,
  { created, retriesExhausted }: ExecuteOptions,
): Execute {
  return async ({ id, operation }, signal) => {
    try {
      const made = await send(writer, organization, operation, secrets, signal)
      if (made !== undefined) created.set(id, made)
      return { outcome: { status: 'succeeded' } }
    } catch (error) {
      return outcomeOf(error, operation, retriesExhausted())
    }
  }
}

async function send(
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
  signal: AbortSignal,
): Promise<VariableSetId | undefined> {
  const wire = (variable: Variable<DesiredValue>, before?: Variable<ObservedValue>) =>
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
  before: Variable<ObservedValue> | undefined,
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

/** Unknown where the write may have been carried out, or where a 404 may mean "gone" as well as "no permission". */
function outcomeOf(error: unknown, operation: Operation, retriesExhausted: boolean): Executed {
  if (!isFailureOfTheWorld(error)) throw error
  const gone =
    isStatus(error, 404) && (operation.type === 'delete-set' || operation.type === 'delete-variable')
  const status = gone || mayHaveHappened(error) ? 'unknown' : 'failed'
  const outcome = { status, message: error.message } as const
  const stops = whyStop(error, operation) ?? (retriesExhausted ? 'the retry budget is used up' : undefined)
  return stops === undefined ? { outcome } : { outcome, stops }
}

const isFailureOfTheWorld = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof AmbiguousAnswerError || error instanceof TransportError

function whyStop(error: Error, operation: Operation): string | undefined {
  if (isStatus(error, 401)) return 'the service refused the token'
  if (isStatus(error, 404) && operation.type === 'create-set')
    return 'the organization is gone, or the token may not write to it'
  return undefined
}
