import { rootCertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { ApiRequest, Transport } from '../wire/transport.ts'
import {
  BAD_PROXY,
  codeOf,
  NetworkFault,
  PROXY,
  PROXY_FORBIDS,
  PROXY_LOGIN,
  PROXY_UNREACHABLE,
  transportError,
  UNCHECKED_TLS,
} from './errors.ts'
import { type ExchangeLimits, exchange, unpack } from './exchange.ts'

export interface HttpOptions {
  /** Maximum of connections, and thus of requests at once. Default 8. */
  readonly concurrency?: number
  /** Milliseconds for one attempt, from connecting to the end of the response. Default 30,000. */
  readonly deadline?: number
  /** Maximum bytes of a decompressed response. Default 64 MiB. */
  readonly maxBytes?: number
  /** The encoding of responses. Default UTF-8. `latin1` keeps every byte of a binary file. */
  readonly text?: 'utf-8' | 'latin1'
  /** Certificates (PEM) to trust in addition to the usual ones. `NODE_EXTRA_CA_CERTS` works without this. */
  readonly ca?: string
  /** The environment switched certificate checks off (`NODE_TLS_REJECT_UNAUTHORIZED=0`). Writes are refused then. */
  readonly certificatesUnchecked?: boolean
  /** Write without certificate checks. */
  readonly allowUncheckedWrites?: boolean
  /** The address of a proxy, as `proxyFor` finds it. */
  readonly proxy?: string | undefined
}

export interface HttpTransport extends Transport {
  /** Closes idle connections, so that the program can end. No request may be under way. */
  readonly close: () => Promise<void>
}

const DEFAULTS = { concurrency: 8, deadline: 30_000, maxBytes: 64 * 1024 * 1024 } as const

/**
 * The network: one attempt per request, without retries, redirects and cookies. Any complete response is a value; anything else rejects
 * with a `TransportError` that says whether the request may have arrived. `readConnection` has checked `address`. The HTTP client is loaded
 * with the first request, because loading it takes longer than most commands.
 */
export function httpTransport(address: string, options: HttpOptions = {}): HttpTransport {
  const { origin, host, pathname, protocol } = new URL(address)
  const base = pathname.replace(/\/+$/, '')
  const limits: ExchangeLimits = {
    deadline: options.deadline ?? DEFAULTS.deadline,
    maxBytes: options.maxBytes ?? DEFAULTS.maxBytes,
  }
  const unchecked = protocol === 'https:' && options.certificatesUnchecked === true
  let dispatcher: Promise<Dispatcher> | undefined

  const send: Transport = async (request, signal) => {
    try {
      if (unchecked && request.method !== 'GET' && options.allowUncheckedWrites !== true)
        throw new NetworkFault(UNCHECKED_TLS, false)
      dispatcher ??= createDispatcher(options)
      const raw = await exchange(await dispatcher, outgoing(origin, base, request), limits, signal)
      return await unpack(raw, limits.maxBytes, options.text)
    } catch (error) {
      throw error instanceof NetworkFault ? transportError(request, host, error) : error
    }
  }
  return Object.assign(send, {
    close: async () => {
      const opened = await dispatcher?.catch(() => undefined)
      await opened?.destroy()
    },
  })
}

const outgoing = (origin: string, base: string, request: ApiRequest): Dispatcher.DispatchOptions => ({
  origin,
  path: `${base}${request.path}${queryText(request.query ?? {})}`,
  method: request.method,
  headers: { ...request.headers, 'accept-encoding': 'gzip' },
  body: request.body ?? null,
})

/** Brackets are encoded, too (docs/service.md 3). */
function queryText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

async function createDispatcher(options: HttpOptions): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici')
  const deadline = options.deadline ?? DEFAULTS.deadline
  const ca = options.ca && [...rootCertificates, options.ca]
  const connect = { ...(ca && { ca }), timeout: deadline }
  const common = {
    connections: options.concurrency ?? DEFAULTS.concurrency,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
  }
  if (options.proxy === undefined) return new Agent(common)
  const clientFactory = (_: URL, given: object): Dispatcher => oneTunnel(new Agent(given))
  const tls = { requestTls: connect, proxyTls: connect }
  try {
    return new ProxyAgent({ ...common, ...tls, clientFactory, uri: options.proxy })
  } catch (error) {
    // The address of a proxy may contain a password, and the error contains the address.
    throw ADDRESS_ERRORS.has(codeOf(error)) ? new NetworkFault(BAD_PROXY, false) : error
  }
}

/** Errors for a malformed address and for an unsupported scheme. */
const ADDRESS_ERRORS: ReadonlySet<string> = new Set(['ERR_INVALID_URL', 'UND_ERR_INVALID_ARG'])

/**
 * If a proxy hangs up on `CONNECT`, the HTTP client takes that for the error of an idle socket and connects again without end, thousands of
 * times per second. With our own code it is a connection that failed.
 */
function oneTunnel(proxy: Dispatcher): Dispatcher {
  const connect = proxy.connect.bind(proxy)
  const once = async (request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const data = await connect(request).catch(error => {
      const code = codeOf(error)
      if (code === 'UND_ERR_SOCKET') throw new NetworkFault(PROXY, false)
      throw UNREACHABLE.has(code) ? new NetworkFault(PROXY_UNREACHABLE, false) : error
    })
    const refusal = REFUSALS[data.statusCode]
    if (refusal === undefined) return data
    data.socket.on('error', () => {}).destroy()
    throw new NetworkFault(refusal, false)
  }
  return Object.assign(proxy, { connect: once })
}

const REFUSALS: Readonly<Record<number, string>> = { 403: PROXY_FORBIDS, 407: PROXY_LOGIN }

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])
