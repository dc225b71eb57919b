import { Token } from '../../src/api/client.ts'
import type { ForgeProject } from '../../src/forge/pull-request.ts'
import type { ApiResponse, Transport } from '../../src/wire/transport.ts'

/** A document, or a response with its status. */
type Told = object | Partial<ApiResponse>

interface Answers {
  readonly transport: Transport
  /** Method, path and query of each request, in order. */
  readonly seen: readonly string[]
}

/** A forge as a table of `METHOD path`, without its headers and its network. Unknown paths get 404. */
export function answering(table: Readonly<Record<string, Told>>): Answers {
  const seen: string[] = []
  const transport: Transport = async ({ method, path, query = {} }) => {
    const asked = new URLSearchParams(query).toString()
    seen.push(`${method} ${path}${asked === '' ? '' : `?${asked}`}`)
    const told = table[`${method} ${path}`] ?? { status: 404, body: '{}' }
    const isResponse = 'status' in told && typeof told.status === 'number'
    return { status: 200, headers: {}, body: JSON.stringify(told), ...(isResponse && told) }
  }
  return { transport, seen }
}

export const GITHUB: ForgeProject = {
  forge: 'github',
  api: 'https://api.github.com',
  token: new Token('x'),
  project: 'acme/sets',
}

export const GITLAB: ForgeProject = {
  forge: 'gitlab',
  api: 'https://gitlab.example.com/api/v4',
  token: new Token('x'),
  project: '7',
}
