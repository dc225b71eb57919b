import type { WireValue } from '../api/encode.ts'
import { isStatus, mayHaveHappened } from '../api/errors.ts'
import type { Reader } from '../api/reader.ts'
import type { Writer } from '../api/writer.ts'
import { settingsOf } from '../model/fields.ts'
import type { VariableKey } from '../model/ids.ts'
import type { Secret } from '../model/secret.ts'
import type { DesiredValue, ObservedSet, ObservedValue, Variable } from '../model/variable-set.ts'
import type { Operation, OperationType } from '../plan/operation.ts'
import {
  type Execute,
  type Executed,
  failureOf,
  isFailureOfTheWorld,
  neverSent,
  type WriteProof,
  type WriteProofs,
} from './outcome.ts'
import { isShown, readBackOperation } from './read-back.ts'

interface ExecuteOptions {
  /** Reader and writer end what is under way when the run is abandoned. */
  readonly reader: Reader
  readonly writer: Writer
  readonly organization: string
  readonly secrets: ReadonlyMap<string, Secret>
  /** Collects what each response proved. */
  readonly answers: WriteProofs
  /** Whether the run had too many retries to go on. */
  readonly retriesExhausted: () => boolean
  /** After it is aborted the service is not read back any more. */
  readonly stop: AbortSignal
  /** Takes milliseconds. Resolves early on the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** The workspaces and projects that a refused operation names and the service does not have, in words. */
  readonly goneTargets?: (operation: Operation) => Promise<string | undefined>
}

/** How often an operation is sent at most. Before each repetition the service was read back and did not show it. */
const MOST_SENT = 3

/**
 * Sends operations and turns every failure of network or service into an outcome. An operation that may have been carried out is never
 * repeated blindly: the service is read back, and only what is still missing is sent again (docs/fault-model.md 8.1).
 */
export function executeWith(options: ExecuteOptions): Execute {
  const { writer, organization, secrets, answers } = options
  // As long as nothing was written, a refusal may mean that the token has no write permission at all.
  let isFirst = true
  return async ({ id, operation }) => {
    let left: Operation = operation
    let note: string | undefined
    for (let sent = 1; ; sent++) {
      try {
        const answer = await send(writer, organization, left, secrets)
        isFirst = false
        if (answer !== undefined) answers.set(id, answer)
        return { outcome: { status: 'succeeded', note } }
      } catch (error) {
        if (!isFailureOfTheWorld(error)) throw error
        const never = sent === 1 ? neverSent(error) : undefined
        if (never !== undefined) return never
        const refused = !mayHaveHappened(error)
        const failed = failureOf(error, left, sent, options.retriesExhausted())
        // A repetition may be refused because an earlier attempt arrived late (docs/fault-model.md F-17).
        if (refused && sent === 1) {
          const gone = await namesGone(error, left, options)
          if (gone !== undefined) return gone
          return isFirst && (await mayOnlyRead(error, left, options))
            ? { ...failed, ...readOnlyToken(organization) }
            : failed
        }
        if (failed.stops !== undefined) return failed
        const seen = await readBackOperation(left, options)
        if (seen.state === 'done') {
          if (seen.setId !== undefined) answers.set(id, { setId: seen.setId, variables: [] })
          return { outcome: { status: 'succeeded', note: LOST } }
        }
        if (seen.state === 'several')
          return { outcome: { status: 'unknown', message: seen.message }, stops: seen.message }
        if (seen.state === 'unclear' || refused || sent === MOST_SENT || options.stop.aborted)
          return seen.state === 'unclear' && seen.message !== undefined
            ? { outcome: { status: 'unknown', message: `${error.message}; ${seen.message}` } }
            : failed
        left = seen.left
        note = LOST
      }
    }
  }
}

const readOnlyToken = (organization: string) =>
  ({
    cause: 'token',
    stops: `the token can read ${JSON.stringify(organization)}, but not write to it`,
  }) as const

/** A 404 or 422 may mean that a target is gone since the plan, and need not say which one. */
async function namesGone(
  error: Error,
  operation: Operation,
  { goneTargets, stop }: ExecuteOptions,
): Promise<Executed | undefined> {
  if (goneTargets === undefined || stop.aborted || !isStatus(error, 404, 422)) return undefined
  const gone = await goneTargets(operation)
  return gone === undefined
    ? undefined
    : {
        outcome: { status: 'failed', message: `${error.message}; ${gone}` },
        cause: isStatus(error, 422) ? 'files' : undefined,
      }
}

/** Whether the token has no write permission: after a 403, or a 404 for something that it can read (docs/service.md 5). */
async function mayOnlyRead(
  error: Error,
  operation: Operation,
  { reader, organization, stop }: ExecuteOptions,
): Promise<boolean> {
  if (isStatus(error, 403)) return true
  if (!isStatus(error, 404) || stop.aborted) return false
  try {
    return await isShown(operation, reader, organization)
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem
    return false
  }
}

const LOST = 'a response was lost; verified by reading the service back'

/** One operation, one request. Returns what the response proved, if it has more than a status. Rejects like `Writer`. */
async function send(
  writer: Writer,
  organization: string,
  operation: Operation,
  secrets: ReadonlyMap<string, Secret>,
): Promise<WriteProof | undefined> {
  const wire = (variable: Variable<DesiredValue>, before?: Variable<ObservedValue>) =>
    toWire(variable, secrets, before)
  switch (operation.type) {
    case 'create-set': {
      const { after } = operation
      const variables = after.variables.map(variable => wire(variable))
      const answer = await writer.createSet(organization, { ...after, variables })
      return { setId: answer.set.id, ...provenBy(answer.set, variables) }
    }
    case 'update-set': {
      const added = operation.variables.map(variable => wire(variable))
      const answer = await writer.updateSet(operation.subject.id, operation.after, added)
      return provenBy(answer.set, added)
    }
    case 'delete-set':
      await writer.deleteSet(operation.subject.id)
      return
    case 'create-variable':
      return { variables: [await writer.createVariable(operation.subject.id, wire(operation.after))] }
    case 'update-variable': {
      const { after, before, subject, variableId } = operation
      const variable = await writer.updateVariable(subject.id, variableId, wire(after, before))
      return { variables: [variable] }
    }
    case 'delete-variable':
      await writer.deleteVariable(operation.subject.id, operation.variableId)
      return
    case 'assign':
      await writer.assign(operation.subject.id, operation.targets)
      return
    case 'unassign':
      await writer.unassign(operation.subject.id, operation.targets)
      return
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

/** Of the variables of the set, only those that were sent. */
function provenBy(set: ObservedSet, sent: readonly { readonly key: VariableKey }[]): WriteProof {
  const keys = new Set(sent.map(({ key }) => key))
  return { settings: settingsOf(set), variables: set.variables.filter(({ key }) => keys.has(key)) }
}

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
