import type { SetSettings } from '../model/fields.ts'
import {
  isVariableId,
  isVariableSetId,
  type Targets,
  type VariableId,
  type VariableSetId,
} from '../model/ids.ts'
import type { ObservedVariable, SetContents, Variable } from '../model/variable-set.ts'
import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { decodeSet, type SetResponse } from './decode-set.ts'
import { DEFAULT_TOOL, decodeVariable } from './decode-variable.ts'
import { readDocument, relatedId, resourceOf } from './document.ts'
import {
  createBody,
  type Encoded,
  pathOf,
  targetsBody,
  updateBody,
  variableBody,
  type WireValue,
  writeRequest,
} from './encode.ts'
import { AmbiguousResponseError, MalformedResponseError } from './errors.ts'
import type { EndpointOptions } from './reader.ts'
import { refusalOf } from './refusal.ts'

/**
 * The writing endpoints, with one request per call. Each returns what the response proves; what did not come with it is marked as missing.
 * Rejects with `ApiError`, `TransportError`, or `AmbiguousResponseError` if the response proves nothing. `mayHaveHappened` tells whether the
 * service has to be read back. The signal that a writer was made with cancels every request.
 */
export interface Writer {
  createSet(organization: string, contents: SetContents<WireValue>): Promise<SetResponse>
  /** All four settings, and variables that are new to the set. The response may show these alone, or all variables. */
  updateSet(
    id: VariableSetId,
    settings: SetSettings,
    added: readonly Variable<WireValue>[],
  ): Promise<SetResponse>
  /** A 404 is an `ApiError`: it may mean gone, hidden, or deleted by an earlier attempt. */
  deleteSet(id: VariableSetId): Promise<void>
  createVariable(set: VariableSetId, variable: Variable<WireValue>): Promise<ObservedVariable>
  updateVariable(set: VariableSetId, id: VariableId, variable: Variable<WireValue>): Promise<ObservedVariable>
  deleteVariable(set: VariableSetId, id: VariableId): Promise<void>
  /**
   * Any number of ids of one kind in one request. The status alone proves nothing (docs/fault-model.md F-18). A 404 or 422 with
   * `mayHaveHappened` may come from an earlier attempt that succeeded.
   */
  assign(set: VariableSetId, targets: Targets): Promise<void>
  unassign(set: VariableSetId, targets: Targets): Promise<void>
}

/** The interface has 200 for creates, the known real service 201 (docs/service.md 9.1). */
const CREATED = [200, 201]
const UPDATED = [200]
const NO_CONTENT = [200, 204]

export function createWriter(
  transport: Transport,
  options: EndpointOptions = {},
  signal?: AbortSignal,
): Writer {
  const tool = options.tool ?? DEFAULT_TOOL

  async function write<T>(
    request: ApiRequest,
    expected: readonly number[],
    proof: (response: ApiResponse) => T,
    encoded?: Encoded,
  ): Promise<T> {
    const response = await transport(request, signal)
    const { status } = response
    if (status < 200 || status > 299)
      throw refusalOf(request, response, { hide: options.hide, sent: encoded })
    if (!expected.includes(status)) throw new AmbiguousResponseError(`the status is ${status}`, request)
    try {
      return proof(response)
    } catch (error) {
      if (error instanceof MalformedResponseError) throw new AmbiguousResponseError(error.reason, request)
      throw error
    }
  }

  const provenSet = (proven: (answer: SetResponse) => boolean) => (response: ApiResponse) => {
    const answer = decodeSet(readDocument(response), tool)
    if (!proven(answer)) throw new MalformedResponseError('data is another set')
    return answer
  }

  const provenVariable =
    (set: VariableSetId, sent: Variable<WireValue>, id?: VariableId) => (response: ApiResponse) => {
      const { data } = readDocument(response)
      const { variable } = decodeVariable(data, 'data', tool)
      if (variable?.key !== sent.key || (id !== undefined && variable.id !== id))
        throw new MalformedResponseError('data is another variable')
      const owner = relatedId(
        resourceOf(data, 'vars', isVariableId, 'data'),
        'varset',
        'varsets',
        isVariableSetId,
      )
      if (owner !== undefined && owner !== set)
        throw new MalformedResponseError('data belongs to another set')
      return variable
    }

  const remove = (path: string) => write(writeRequest('DELETE', path, true), NO_CONTENT, nothing)

  function retarget(method: 'POST' | 'DELETE', set: VariableSetId, targets: Targets) {
    const encoded = targetsBody(targets)
    const path = pathOf('varsets', set, 'relationships', targets.kind)
    return write(writeRequest(method, path, true, encoded), NO_CONTENT, nothing, encoded)
  }

  return {
    createSet: (organization, contents) => {
      const encoded = createBody(contents, tool)
      const path = pathOf('organizations', organization, 'varsets')
      const proof = provenSet(({ set }) => set.name === contents.name)
      return write(writeRequest('POST', path, false, encoded), CREATED, proof, encoded)
    },

    updateSet: (id, settings, added) => {
      const encoded = updateBody(settings, added, tool)
      const request = writeRequest('PATCH', pathOf('varsets', id), added.length === 0, encoded)
      const proof = provenSet(({ set }) => set.id === id && set.name === settings.name)
      return write(request, UPDATED, proof, encoded)
    },

    deleteSet: id => remove(pathOf('varsets', id)),

    createVariable: (set, variable) => {
      const encoded = variableBody(variable, tool)
      const path = pathOf('varsets', set, 'relationships', 'vars')
      const request = writeRequest('POST', path, false, encoded)
      return write(request, CREATED, provenVariable(set, variable), encoded)
    },

    updateVariable: (set, id, variable) => {
      const encoded = variableBody(variable, tool)
      const path = pathOf('varsets', set, 'relationships', 'vars', id)
      const request = writeRequest('PATCH', path, true, encoded)
      return write(request, UPDATED, provenVariable(set, variable, id), encoded)
    },

    deleteVariable: (set, id) => remove(pathOf('varsets', set, 'relationships', 'vars', id)),
    assign: (set, targets) => retarget('POST', set, targets),
    unassign: (set, targets) => retarget('DELETE', set, targets),
  }
}

/** These responses have no body. The page of a proxy in their place proves nothing (docs/fault-model.md F-12). */
function nothing({ body }: ApiResponse): void {
  if (body.trim() !== '') throw new MalformedResponseError('there is a body where none is expected')
}
