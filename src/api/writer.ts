import type { SetSettings } from '../model/fields.ts'
import { categoryOf, nameOf, type Targets, type VariableId, type VariableSetId } from '../model/ids.ts'
import { isStoredFormOf } from '../model/stored-form.ts'
import type { ObservedVariable, SetContents, Variable } from '../model/variable-set.ts'
import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { decodeSet, type SetResponse } from './decode-set.ts'
import { DEFAULT_TOOL, decodeVariable } from './decode-variable.ts'
import { readDocument } from './document.ts'
import {
  createBody,
  type Encoded,
  HEADERS,
  pathOf,
  targetsBody,
  updateBody,
  variableBody,
  type WireValue,
} from './encode.ts'
import { AmbiguousResponseError, ApiError, MalformedResponseError } from './errors.ts'
import { belongsTo, type EndpointOptions } from './reader.ts'
import { refusalOf } from './refusal.ts'

/** How a request is sent, and which statuses mean that it was carried out. */
interface Sending {
  /** It may be sent again after its response was lost (docs/fault-model.md 8.1). */
  readonly repeatable: boolean
  readonly expected: readonly number[]
}

/** The interface has 200 for creates, the known real service 201 (docs/service.md 9.1). */
const CREATE: Sending = { repeatable: false, expected: [200, 201] }
const UPDATE: Sending = { repeatable: true, expected: [200] }
/** No content: deletes and assignments. */
const CHANGE: Sending = { repeatable: true, expected: [200, 204] }

/**
 * The writing endpoints, with one request per call. Each returns what the response proves; what did not come with it is marked as missing.
 * Rejects with `ApiError`, `TransportError`, or `AmbiguousResponseError` if the response proves nothing. `mayHaveHappened` tells whether the
 * service has to be read back. The signal that a writer was made with cancels every request.
 */
export type Writer = ReturnType<typeof createWriter>

export function createWriter(transport: Transport, options: EndpointOptions = {}, signal?: AbortSignal) {
  const tool = options.tool ?? DEFAULT_TOOL

  async function write<T>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { repeatable, expected }: Sending,
    sent: Encoded | undefined,
    proof: (response: ApiResponse) => T,
  ): Promise<T> {
    const request: ApiRequest = { method, path, headers: HEADERS, repeatable, body: sent?.body }
    const response = await transport(request, signal)
    const { status } = response
    if (status < 200 || status > 299) throw refusalOf(request, response, { hide: options.hide, sent })
    if (!expected.includes(status)) throw new AmbiguousResponseError(`the status is ${status}`, request)
    try {
      return proof(response)
    } catch (error) {
      // An id in place of what was sent could be a secret.
      if (error instanceof MalformedResponseError) throw new AmbiguousResponseError(error.plain, request)
      throw error
    }
  }

  const provenSet = (name: string, id?: VariableSetId) => (response: ApiResponse) => {
    const answer = decodeSet(readDocument(response), tool)
    const { set } = answer
    if (!mayBe(name, set.name) || (id !== undefined && set.id !== id))
      throw new MalformedResponseError('data is another set')
    return answer
  }

  const provenVariable =
    (set: VariableSetId, sent: Variable<WireValue>, id?: VariableId) =>
    (response: ApiResponse): ObservedVariable => {
      const { data } = readDocument(response)
      const { variable } = decodeVariable(data, 'data', tool)
      const isSame =
        variable !== undefined &&
        categoryOf(variable.key) === categoryOf(sent.key) &&
        mayBe(nameOf(sent.key), nameOf(variable.key))
      if (!isSame || (id !== undefined && variable.id !== id))
        throw new MalformedResponseError('data is another variable')
      belongsTo(set, data, 'data')
      return variable
    }

  const listPath = (set: VariableSetId, list: string, ...entry: readonly VariableId[]): string =>
    pathOf('varsets', set, 'relationships', list, ...entry)

  return {
    createSet(organization: string, contents: SetContents<WireValue>): Promise<SetResponse> {
      const path = pathOf('organizations', organization, 'varsets')
      return write('POST', path, CREATE, createBody(contents, tool), provenSet(contents.name))
    },

    /** All four settings. */
    updateSet(id: VariableSetId, settings: SetSettings): Promise<SetResponse> {
      return write('PATCH', pathOf('varsets', id), UPDATE, updateBody(settings), provenSet(settings.name, id))
    },

    /** A 404 is an `ApiError`: it may mean gone, hidden, or deleted by an earlier attempt. */
    deleteSet: (id: VariableSetId): Promise<void> =>
      write('DELETE', pathOf('varsets', id), CHANGE, undefined, nothing),

    createVariable(set: VariableSetId, variable: Variable<WireValue>): Promise<ObservedVariable> {
      const path = listPath(set, 'vars')
      return write('POST', path, CREATE, variableBody(variable, tool), provenVariable(set, variable))
    },

    /** The whole variable. A server that refuses the key of a sensitive variable, although it has it, gets the rest once more. */
    async updateVariable(
      set: VariableSetId,
      id: VariableId,
      variable: Variable<WireValue>,
    ): Promise<ObservedVariable> {
      const path = listPath(set, 'vars', id)
      const update = (body: Encoded) => write('PATCH', path, UPDATE, body, provenVariable(set, variable, id))
      try {
        return await update(variableBody(variable, tool))
      } catch (error) {
        if (!(error instanceof ApiError) || !error.refusesKey || !isSensitive(variable)) throw error
        return await update(variableBody(variable, tool, { withoutKey: true }))
      }
    },

    deleteVariable: (set: VariableSetId, id: VariableId): Promise<void> =>
      write('DELETE', listPath(set, 'vars', id), CHANGE, undefined, nothing),

    /**
     * Any number of ids of one kind in one request. The status alone proves nothing (docs/fault-model.md F-18). A 404 or 422 with
     * `mayHaveHappened` may come from an earlier attempt that succeeded.
     */
    assign: (set: VariableSetId, targets: Targets): Promise<void> =>
      write('POST', listPath(set, targets.kind), CHANGE, targetsBody(targets), nothing),
    unassign: (set: VariableSetId, targets: Targets): Promise<void> =>
      write('DELETE', listPath(set, targets.kind), CHANGE, targetsBody(targets), nothing),
  }
}

/** A response to another request names something else; a service may store a name or a key in another form. */
const mayBe = (sent: string, shown: string): boolean => sent === shown || isStoredFormOf(sent, shown)

const isSensitive = ({ value }: Variable<WireValue>): boolean =>
  'secret' in value || ('keep' in value && value.sensitive)

/** These responses have no body. The page of a proxy in their place proves nothing (docs/fault-model.md F-12). */
function nothing({ body }: ApiResponse): void {
  if (body.trim() !== '') throw new MalformedResponseError('there is a body where none is expected')
}
