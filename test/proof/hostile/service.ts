import type { Socket } from 'node:net'
import { createSandbox, type Profile, type Sandbox } from '../../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse } from '../../../src/wire/transport.ts'
import { bytesOf, type RawServer, rawServer } from '../../support/raw-server.ts'
import { SEED, TOKEN } from './story.ts'

/** What the proxy between the program and the service does with one request. */
export interface Exchange {
  readonly request: ApiRequest
  readonly socket: Socket
  /** Forwards the request, changed or not, any number of times. */
  readonly commit: (changed?: Partial<ApiRequest>) => Promise<ApiResponse>
}

export type Fault = (exchange: Exchange) => Promise<void> | void

export interface Hostile {
  readonly url: string
  readonly sandbox: Sandbox
  /** Called for each request. Returns the fault for it, or nothing. */
  choose: (request: ApiRequest) => Fault | undefined
  readonly requests: readonly string[]
  readonly close: () => Promise<void>
}

/** A sandbox behind a socket that can misbehave, byte by byte. */
export async function hostileService(profile: Partial<Profile> = {}): Promise<Hostile> {
  const tokens = [{ token: TOKEN, permission: 'manage-workspaces' }] as const
  const sandbox = await createSandbox({ profile, tokens, seed: SEED })
  const behave = async (socket: Socket, text: string): Promise<void> => {
    const request = requestIn(text)
    const commit = (changed: Partial<ApiRequest> = {}) => sandbox.transport({ ...request, ...changed })
    const fault = hostile.choose(request)
    if (fault === undefined) socket.write(bytesFor(await commit()))
    else await fault({ request, socket, commit })
  }
  const server: RawServer = await rawServer((socket, text) => void behave(socket, text))
  const hostile: Hostile = {
    url: server.url,
    sandbox,
    choose: () => undefined,
    requests: server.requests,
    close: async () => {
      await server.close()
      await sandbox.close()
    },
  }
  return hostile
}

/** The bytes of a response of the sandbox; a 204 has neither body nor length. */
export function bytesFor({ status, headers, body }: ApiResponse, other: Record<string, string> = {}): Buffer {
  const none: Record<string, string> = status === 204 ? { 'content-length': '', 'content-type': '' } : {}
  const { 'content-length': _, ...kept } = headers
  return bytesOf({ status, headers: { ...kept, ...none, ...other }, body })
}

function requestIn(text: string): ApiRequest {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const [method = '', target = ''] = line.split(' ')
  const url = new URL(target, 'http://host')
  const body = Buffer.from(text.slice(end + 4), 'latin1').toString('utf8')
  return {
    method: method as ApiRequest['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(
      lines.map(header => {
        const at = header.indexOf(':')
        return [header.slice(0, at).toLowerCase(), header.slice(at + 1).trim()] as const
      }),
    ),
    ...(body === '' ? {} : { body }),
  }
}
