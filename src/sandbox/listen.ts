import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, Transport } from '../wire/transport.ts'
import { systemClock } from './clock-and-chance.ts'
import { deliver, type FaultSchedule, faultPicker, writeDelivery } from './faults.ts'
import { encodeReply, errorReply } from './route.ts'
import { LIMITS } from './service-limits.ts'
import { type RateLimitOptions, withRateLimit } from './too-many-requests.ts'

export interface ListenOptions {
  /** Default: any free port, as for 0. */
  readonly port?: number
  /** Default: 127.0.0.1. Any other than a loopback address needs `dangerouslyExposeToNetwork`. */
  readonly host?: string
  /** Lets other machines that have or guess a token read and change everything in the sandbox, over plain HTTP. */
  readonly dangerouslyExposeToNetwork?: boolean
  /** Host names besides loopback ones that clients may use. */
  readonly allowedHosts?: readonly string[]
  /** Faults act on the real socket. */
  readonly faults?: FaultSchedule
  /** Delay of each response, in milliseconds. */
  readonly latency?: number
  readonly rateLimit?: RateLimitOptions
}

export interface Listening {
  /** Such as `http://127.0.0.1:54321`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Closes all connections, also those in use. */
  close(): Promise<void>
}

/** Serves a transport over HTTP. Rejects if the port is taken; throws a RangeError for a host that is not loopback. */
export async function listenTo(transport: Transport, options: ListenOptions = {}): Promise<Listening> {
  const host = options.host ?? '127.0.0.1'
  const exposed = options.dangerouslyExposeToNetwork === true
  if (!isLoopback(host) && !exposed) {
    throw new RangeError(
      `"${host}" may be reached by other machines. To allow this, set dangerouslyExposeToNetwork`,
    )
  }
  const serve = serveWith(transport, options, exposed)
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 30_000 }, (request, response) => {
    serve(request, response).catch(() => request.socket.destroy())
  })
  server.maxConnections = 2000
  await started(server, options.port ?? 0, host)
  const { port } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { url, port, close: () => closed(server) }
}

function serveWith(transport: Transport, options: ListenOptions, exposed: boolean) {
  const next = options.rateLimit === undefined ? transport : withRateLimit(transport, options.rateLimit)
  const pick = faultPicker(options.faults ?? {})
  const names = options.allowedHosts ?? []
  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const forbidden = forbiddenBecause(message.headers, { names, exposed })
    if (forbidden !== undefined) return turnAway(403, 'forbidden', forbidden, message, response)
    const body = await readText(message, LIMITS.bodyBytes)
    if (body === undefined) {
      const detail = `A body can have at most ${LIMITS.bodyBytes} bytes`
      return turnAway(413, 'payload too large', detail, message, response)
    }
    const request = requestOf(message, body)
    if (options.latency !== undefined) await sleep(options.latency)
    const answer = () => next(request).catch(() => failure())
    await writeDelivery(await deliver(pick(request), answer, systemClock), message, response)
  }
}

/** HEAD is answered like GET, without the body. An unknown method finds no route. */
function requestOf(message: IncomingMessage, body: string): ApiRequest {
  const { path, query } = readTarget(message.url ?? '/')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const method = message.method === 'HEAD' ? 'GET' : message.method
  return { method: method as ApiRequest['method'], path, query, headers, body }
}

async function turnAway(
  status: number,
  title: string,
  detail: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.shouldKeepAlive = false
  const reply = encodeReply(errorReply(status, { title, detail }))
  await writeDelivery({ kind: 'whole', response: reply }, message, response)
}

/** A full disk, or a bug of the sandbox. */
const failure = () => encodeReply(errorReply(500, { title: 'internal server error' }))

const started = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

const closed = (server: Server) =>
  new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Why a request is refused before it is routed; `undefined` if it is not. A web page in a browser on this machine must not
 * reach the sandbox, by its own request or by a name that resolves to this machine. `names` are host names allowed besides
 * loopback ones; `exposed` allows any numeric address.
 */
function forbiddenBecause(
  headers: IncomingHttpHeaders,
  options: { readonly names: readonly string[]; readonly exposed: boolean },
): string | undefined {
  const host = hostName(headers.host)
  if (host === undefined) return 'The Host header is missing or malformed'
  const allowed = isLoopback(host) || options.names.includes(host) || (options.exposed && isIP(host) !== 0)
  if (!allowed) return `The host "${host}" is not served here`
  const { origin, 'sec-fetch-site': site = 'none' } = headers
  const isOwn = origin === undefined || origin === `http://${headers.host}`
  return isOwn && (site === 'same-origin' || site === 'none')
    ? undefined
    : 'Requests from other web pages are refused'
}

/** `localhost:8080` and `[::1]:8080` without port and brackets. */
function hostName(host: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host ?? '')
  return (found?.[1] ?? found?.[2])?.toLowerCase()
}

/** The body as text; `undefined` if it is larger than `limit` bytes (the rest is discarded). Rejects if it is incomplete. */
async function readText(message: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let isTooLarge = Number(message.headers['content-length'] ?? 0) > limit
  let size = 0
  for await (const chunk of isTooLarge ? [] : message.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    isTooLarge = size > limit
    if (isTooLarge) break
    chunks.push(chunk)
  }
  if (isTooLarge) message.resume()
  return isTooLarge ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** Path and query of a request target, also in absolute form (RFC 9112, 3.2). */
function readTarget(target: string): {
  readonly path: string
  readonly query: Record<string, string>
} {
  const own = target.replace(/^https?:\/\/[^/?]*/i, '')
  const [path = '', ...query] = own.split('?')
  return { path, query: Object.fromEntries(new URLSearchParams(query.join('?'))) }
}
