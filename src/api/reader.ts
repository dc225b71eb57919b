import {
  isVariableId,
  isVariableSetId,
  type TargetIds,
  type TargetKind,
  type VariableSetId,
  type WorkspaceId,
} from '../model/ids.ts'
import type { ApiResponse, ReadTransport } from '../wire/transport.ts'
import { decodeSet, decodeSetAt, type SetResponse } from './decode-set.ts'
import {
  includedTags,
  type TaggedWorkspace,
  type TargetEntry,
  taggedWorkspace,
  targetEntry,
} from './decode-target.ts'
import { DEFAULT_TOOL, includedVariables } from './decode-variable.ts'
import { listOf, type Members, readDocument, relatedId, resourceOf } from './document.ts'
import { getRequest, pathOf, type Query } from './encode.ts'
import { MalformedResponseError } from './errors.ts'
import { decodePage, decodeVariablesPage, type Page, type PageRequest, type VariablesPage } from './pages.ts'
import { refusalOf } from './refusal.ts'

export interface EndpointOptions {
  /** The wire name of the category `terraform`, as in `writtenCategory`. */
  readonly tool?: string
  /** Removes the secrets of the run from a text for people, such as the reason of a refusal. */
  readonly hide?: (text: string) => string
}

/** How often a read is sent while its response is malformed. */
const READS = 3

/**
 * The reading endpoints. Every response is checked before it is used (docs/fault-model.md F-12, F-13). Rejects with `ApiError`,
 * `MalformedResponseError` or `TransportError`.
 */
export interface Reader extends ReturnType<typeof endpoints> {
  /** The same endpoints; each request ends when the signal does. */
  until(signal: AbortSignal | undefined): Reader
}

export const createReader = (
  transport: ReadTransport,
  options: EndpointOptions = {},
  signal?: AbortSignal,
): Reader => ({
  ...endpoints(transport, options, signal),
  until: other => createReader(transport, options, other),
})

function endpoints(transport: ReadTransport, options: EndpointOptions, signal: AbortSignal | undefined) {
  const tool = options.tool ?? DEFAULT_TOOL

  async function read<T>(path: string, query: Query, decode: (document: Members) => T): Promise<T> {
    const request = getRequest(path, query)
    for (let attempt = 1; ; attempt++) {
      const response = await transport(request, signal)
      try {
        return decode(documentOf(response))
      } catch (error) {
        if (!(error instanceof MalformedResponseError)) throw error
        if (attempt === READS || signal?.aborted === true)
          throw new MalformedResponseError(error.reason, request, error.plain)
      }
    }

    function documentOf(response: ApiResponse): Members {
      const { status } = response
      if (status < 200 || status > 299) throw refusalOf(request, response, { hide: options.hide })
      if (status !== 200) throw new MalformedResponseError(`the status is ${status} instead of 200`)
      return readDocument(response)
    }
  }

  const setsPage = (
    organization: string,
    path: string,
    page: PageRequest,
    search?: string,
  ): Promise<Page<SetResponse>> =>
    read(path, { ...pageQuery(page), include: 'vars', q: search }, document => {
      const included = includedVariables(document)
      return decodePage(document, page, (value, at) => {
        const answer = decodeSetAt(value, at, included, tool)
        if (answer.organization?.toLowerCase() === organization.toLowerCase()) return answer
        if (answer.organization === undefined) return answer
        throw new MalformedResponseError(`${at} belongs to another organization`)
      })
    })

  return {
    /** Endpoint 5, with `include=vars`. `search` is the interface's `q`, which matches names loosely or is ignored. */
    listSetsPage: (organization: string, page: PageRequest, search?: string) =>
      setsPage(organization, pathOf('organizations', organization, 'varsets'), page, search),

    /** Endpoint 7: the sets of a workspace, whether assigned to it, assigned to its project, or global. Endpoint 6: those of a project. */
    listSetsOfPage: <K extends 'workspaces' | 'projects'>(
      kind: K,
      organization: string,
      id: TargetIds[K],
      page: PageRequest,
    ) => setsPage(organization, pathOf(kind, id, 'varsets'), page),

    /** The variables of the workspace itself. Not in the interface (docs/service.md 12.1); a service without it responds with 404. */
    listOwnVariables: (id: WorkspaceId, page: Query = {}): Promise<VariablesPage> =>
      read(pathOf('workspaces', id, 'vars'), page, document => decodeVariablesPage(document, tool)),

    /** Endpoint 4, with `include=vars` and the kinds of assignments in `included`. */
    showSet: (id: VariableSetId, included: readonly TargetKind[] = []): Promise<SetResponse> =>
      read(pathOf('varsets', id), { include: ['vars', ...included].join() }, document => {
        const answer = decodeSet(document, tool)
        withId(id, answer.set)
        return answer
      }),

    /** Endpoint 11. `page` has parameters that the interface does not define. */
    listVariables: (id: VariableSetId, page: Query = {}): Promise<VariablesPage> =>
      read(pathOf('varsets', id, 'relationships', 'vars'), page, document => {
        for (const [index, value] of listOf(document.data, 'data').entries())
          belongsTo(id, value, `data[${index}]`)
        return decodeVariablesPage(document, tool)
      }),

    /** Not in the interface. Resolves if the service shows the organization to this token. */
    showOrganization: (organization: string): Promise<true> =>
      read(pathOf('organizations', organization), {}, () => true),

    /** Not in the interface (docs/service.md 12.3), and neither are the next three. A service without them responds with 404. */
    listTargetsPage: <K extends TargetKind>(
      kind: K,
      organization: string,
      page: PageRequest,
      filter: Query = {},
    ): Promise<Page<TargetEntry<TargetIds[K]>>> =>
      read(pathOf('organizations', organization, kind), { ...pageQuery(page), ...filter }, document =>
        decodePage(document, page, (value, at) => targetEntry(kind, value, at)),
      ),

    /** The list of workspaces with their tags. With `inherited`, also those with values (docs/service.md 12.5). */
    listTaggedPage: (
      organization: string,
      page: PageRequest,
      inherited: boolean,
    ): Promise<Page<TaggedWorkspace>> =>
      read(
        pathOf('organizations', organization, 'workspaces'),
        { ...pageQuery(page), include: inherited ? 'effective_tag_bindings' : undefined },
        document => {
          const included = includedTags(document)
          return decodePage(document, page, (value, at) => taggedWorkspace(value, at, included))
        },
      ),

    showNamed: <K extends TargetKind>(
      kind: K,
      organization: string,
      name: string,
    ): Promise<TargetEntry<TargetIds[K]>> =>
      read(pathOf('organizations', organization, kind, name), {}, document =>
        targetEntry(kind, document.data, 'data'),
      ),

    showTarget: <K extends TargetKind>(kind: K, id: TargetIds[K]): Promise<TargetEntry<TargetIds[K]>> =>
      read(pathOf(kind, id), {}, document => withId(id, targetEntry(kind, document.data, 'data'))),
  }
}

/** The first page has no `page[number]`, because 1 is the default (docs/service.md 4.5). */
const pageQuery = ({ number, size }: PageRequest): Query => ({
  'page[number]': number === 1 ? undefined : String(number),
  'page[size]': size === undefined ? undefined : String(size),
})

/** Detects a response that a proxy mixed up with another (docs/fault-model.md F-13). */
export function belongsTo(id: VariableSetId, value: unknown, at: string): void {
  const variable = resourceOf(value, 'vars', isVariableId, at)
  const owner = relatedId(variable, 'varset', 'varsets', isVariableSetId)
  if (owner !== undefined && owner !== id) throw new MalformedResponseError(`${at} belongs to another set`)
}

function withId<T extends { readonly id: string }>(id: string, answer: T): T {
  if (answer.id !== id) throw new MalformedResponseError('data.id is not the requested id')
  return answer
}
