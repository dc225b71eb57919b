import {
  isProjectId,
  isVariableId,
  isVariableSetId,
  type ProjectId,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type VariableSetId,
  type WorkspaceId,
} from '../model/ids.ts'
import type { ApiResponse, ReadTransport } from '../wire/transport.ts'
import { decodeSet, decodeSetAt, organizationOf, type SetAnswer } from './decode-set.ts'
import { DEFAULT_TOOL, includedVariables } from './decode-variable.ts'
import { listOf, type Members, readDocument, relatedId, resourceOf, textAt } from './document.ts'
import { getRequest, pathOf, type Query } from './encode.ts'
import { MalformedAnswerError } from './errors.ts'
import { decodePage, decodeVariablesPage, type Page, type VariablesPage } from './pages.ts'
import { refusalOf } from './refusal.ts'

export interface EndpointOptions {
  /** How the category `terraform` is written on the wire; see `category.ts`. */
  readonly tool?: string
  /** Takes the secrets of the run out of a text that is for people alone, such as a reason to refuse. */
  readonly hide?: (text: string) => string
}

/** `size` undefined leaves the choice to the service: 20 (docs/service.md 7). */
export interface PageRequest {
  readonly number: number
  readonly size: number | undefined
}

/** A workspace, a project or a Stack as a look-up shows it. */
export interface TargetEntry<Id extends string> {
  readonly id: Id
  readonly name: string
  readonly organization?: string
  readonly project?: ProjectId
}

/**
 * The reading endpoints. Each answer is checked before it is believed (docs/fault-model.md F-12, F-13). Rejects with `ApiError`,
 * `MalformedAnswerError` or `TransportError`.
 */
export interface Reader {
  /** Endpoint 5, with `include=vars`. `search` is the interface's `q`: it matches names loosely, or not at all. */
  listSetsPage(
    organization: string,
    page: PageRequest,
    options?: { readonly search?: string },
    signal?: AbortSignal,
  ): Promise<Page<SetAnswer>>
  /** Endpoint 4, with `include=vars`; `included`: kinds of assignments to ask for by that word as well. */
  showSet(id: VariableSetId, signal?: AbortSignal, included?: readonly TargetKind[]): Promise<SetAnswer>
  /** Endpoint 11. `page`: parameters of the page, none of which the interface has. */
  listVariables(id: VariableSetId, page?: Query, signal?: AbortSignal): Promise<VariablesPage>
  /** Endpoint 7: what comes to a workspace, directly, through its project, or because it is global. */
  listSetsOfWorkspacePage(
    organization: string,
    id: WorkspaceId,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<SetAnswer>>
  /** Endpoint 6. */
  listSetsOfProjectPage(
    organization: string,
    id: ProjectId,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<SetAnswer>>
  /** The variables that a workspace has by itself. Beyond the interface (docs/service.md 12.1): else a 404. */
  listOwnVariables(id: WorkspaceId, page?: Query, signal?: AbortSignal): Promise<VariablesPage>
  /** Beyond the interface (docs/service.md 12.3): a service without it answers 404. The same for the one below. */
  listTargetsPage<K extends TargetKind>(
    kind: K,
    organization: string,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<TargetEntry<TargetIds[K]>>>
  showTarget<K extends TargetKind>(
    kind: K,
    id: TargetIds[K],
    signal?: AbortSignal,
  ): Promise<TargetEntry<TargetIds[K]>>
}

/** How often a read whose answer makes no sense is sent in all. */
const READS = 3

export function createReader(transport: ReadTransport, options: EndpointOptions = {}): Reader {
  const tool = options.tool ?? DEFAULT_TOOL

  async function read<T>(
    path: string,
    query: Query,
    decode: (document: Members) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const request = getRequest(path, query)
    for (let attempt = 1; ; attempt++) {
      const response = await transport(request, signal)
      try {
        return decode(believable(response))
      } catch (error) {
        if (!(error instanceof MalformedAnswerError)) throw error
        if (attempt === READS || signal?.aborted === true)
          throw new MalformedAnswerError(error.reason, request)
      }
    }

    function believable(response: ApiResponse): Members {
      const { status } = response
      if (status < 200 || status > 299) throw refusalOf(request, response, { hide: options.hide })
      if (status !== 200) throw new MalformedAnswerError(`status ${status} is not 200`)
      return readDocument(response)
    }
  }

  const setsPage = (
    organization: string,
    path: string,
    page: PageRequest,
    search: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Page<SetAnswer>> =>
    read(
      path,
      { ...pageQuery(page), include: 'vars', q: search },
      document => {
        const included = includedVariables(document)
        return decodePage(document, page.number, (value, at) => {
          const answer = decodeSetAt(value, at, included, tool)
          if (answer.organization?.toLowerCase() === organization.toLowerCase()) return answer
          if (answer.organization === undefined) return answer
          throw new MalformedAnswerError(`${at} belongs to another organization`)
        })
      },
      signal,
    )

  return {
    listSetsPage: (organization, page, { search } = {}, signal) =>
      setsPage(organization, pathOf('organizations', organization, 'varsets'), page, search, signal),

    listSetsOfWorkspacePage: (organization, id, page, signal) =>
      setsPage(organization, pathOf('workspaces', id, 'varsets'), page, undefined, signal),

    listSetsOfProjectPage: (organization, id, page, signal) =>
      setsPage(organization, pathOf('projects', id, 'varsets'), page, undefined, signal),

    listOwnVariables: (id, page = {}, signal) =>
      read(pathOf('workspaces', id, 'vars'), page, document => decodeVariablesPage(document, tool), signal),

    showSet: (id, signal, included = []) =>
      read(
        pathOf('varsets', id),
        { include: ['vars', ...included].join() },
        document => {
          const answer = decodeSet(document, tool)
          asked(id, answer.set)
          return answer
        },
        signal,
      ),

    listVariables: (id, page = {}, signal) =>
      read(
        pathOf('varsets', id, 'relationships', 'vars'),
        page,
        document => {
          for (const [index, value] of listOf(document.data, 'data').entries())
            belongsTo(id, value, `data/${index}`)
          return decodeVariablesPage(document, tool)
        },
        signal,
      ),

    listTargetsPage: (kind, organization, page, signal) =>
      read(
        pathOf('organizations', organization, kind),
        pageQuery(page),
        document => decodePage(document, page.number, (value, at) => targetEntry(kind, value, at)),
        signal,
      ),

    showTarget: (kind, id, signal) =>
      read(pathOf(kind, id), {}, document => asked(id, targetEntry(kind, document.data, 'data')), signal),
  }
}

/** `page[number]` is left out on the first page: docs/service.md 4.5 gives the same default. */
const pageQuery = ({ number, size }: PageRequest): Query => ({
  'page[number]': number === 1 ? undefined : String(number),
  'page[size]': size === undefined ? undefined : String(size),
})

/** A list that a proxy crossed with another shows itself here (docs/fault-model.md F-13). */
function belongsTo(id: VariableSetId, value: unknown, at: string): void {
  const variable = resourceOf(value, 'vars', isVariableId, at)
  const owner = relatedId(variable, 'varset', 'varsets', isVariableSetId)
  if (owner !== undefined && owner !== id) throw new MalformedAnswerError(`${at} belongs to another set`)
}

function asked<T extends { readonly id: string }>(id: string, answer: T): T {
  if (answer.id !== id) throw new MalformedAnswerError('data/id is not the id that was asked for')
  return answer
}

function targetEntry<K extends TargetKind>(kind: K, value: unknown, at: string): TargetEntry<TargetIds[K]> {
  const resource = resourceOf(value, kind, TARGETS[kind].isId, at)
  const project = relatedId(resource, 'project', 'projects', isProjectId)
  const organization = organizationOf(resource)
  return {
    id: resource.id,
    name: textAt(resource, 'name'),
    ...(organization === undefined ? {} : { organization }),
    ...(project === undefined ? {} : { project }),
  }
}
