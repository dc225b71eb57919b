import { rootCertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { ApiRequest, Transport } from '../wire/transport.ts'
import { isLoopback } from './address.ts'
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
  /** Connections, and so requests under way at once. Default 8. */
  readonly concurrency?: number
  /** Milliseconds for one attempt: connecting, sending, and reading the answer to its end. Default 30,000. */
  readonly deadline?: number
  /** The most bytes of an answer, unpacked. Default 64 MiB. */
  readonly maxBytes?: number
  /** How bytes become the text of an answer. Default UTF-8; `latin1` keeps each byte of a file that is no text. */
  readonly text?: 'utf-8' | 'latin1'
  /** Certificates (PEM) to trust beside the usual ones. `NODE_EXTRA_CA_CERTS` works without this. */
  readonly ca?: string
  /** The environment switched certificate checks off (`NODE_TLS_REJECT_UNAUTHORIZED=0`): writes are refused. */
  readonly certificatesUnchecked?: boolean
  /** Write all the same. */
  readonly allowUncheckedWrites?: boolean
  /** Addresses of proxies, instead of `http_proxy`, `https_proxy` and `no_proxy` of the environment. */
  readonly proxies?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string }
}

export interface HttpTransport extends Transport {
  /** Ends idle connections, so that the program can end. Nothing may be under way. */
  readonly close: () => Promise<void>
}

const DEFAULTS = { concurrency: 8, deadline: 30_000, maxBytes: 64 * 1024 * 1024 } as const

/**
 * The network. One attempt a request: no retries, no redirects, no cookies. Any whole answer is a value; anything else
 * rejects with a `TransportError` that says whether the request may have arrived. `address` as `readConnection` checked it.
 * The HTTP client is loaded with the first request: it takes longer to load than most commands take to run.
 */
export function httpTransport(address: string, options: HttpOptions = {}): HttpTransport {
  const { origin, host, hostname, pathname, protocol } = new URL(address)
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
      dispatcher ??= createDispatcher(hostname, options)
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

/** Brackets are encoded too (docs/service.md 3). */
function queryText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** This machine is never asked for through a proxy: plain http would carry the token over the network to it. */
async function createDispatcher(hostname: string, options: HttpOptions): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  const deadline = options.deadline ?? DEFAULTS.deadline
  const trust = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }
  const connect = { ...trust, timeout: deadline }
  const common = {
    connections: options.concurrency ?? DEFAULTS.concurrency,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
  }
  if (isLoopback(hostname)) return new Agent(common)
  const clientFactory = (_: URL, given: object): Dispatcher => oneTunnel(new Agent(given))
  const tls = { requestTls: connect, proxyTls: connect }
  try {
    return new EnvHttpProxyAgent({ ...common, ...tls, clientFactory, ...options.proxies })
  } catch (error) {
    // The address of a proxy may hold a password, and the error of a URL holds the URL.
    throw ADDRESS_ERRORS.has(codeOf(error)) ? new NetworkFault(BAD_PROXY, false) : error
  }
}

/** Of a text that is no address, and of one of a kind that no proxy has. */
const ADDRESS_ERRORS: ReadonlySet<string> = new Set(['ERR_INVALID_URL', 'UND_ERR_INVALID_ARG'])

/**
 * Where a proxy hangs up on `CONNECT`, the HTTP client takes the error for one of an idle socket, and dials again without
 * end, thousands of times a second. By our own code it is what it is: a connection that could not be made.
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

/** The proxies that an environment names; `proxy:3128` is taken for http, as curl does. */
export const proxiesOf = (env: Readonly<Record<string, string | undefined>>) => ({
  httpProxy: withScheme(env.http_proxy ?? env.HTTP_PROXY ?? ''),
  httpsProxy: withScheme(env.https_proxy ?? env.HTTPS_PROXY ?? ''),
  noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
})

const withScheme = (address: string) =>
  address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
