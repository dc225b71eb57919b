import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { seededRandom, systemClock } from './clock-and-chance.ts'
import { encodeReply, errorReply } from './route.ts'
import { LIMITS } from './service-limits.ts'
import { tooMany, type WaitHint } from './too-many-requests.ts'

/** Whether the service had carried out the request before the fault. */
export type Commit = 'before' | 'after'

/** One way in which a request can go wrong. Faults without `commit` happen after it was carried out. */
export type Fault =
  /** The connection ends without a response. */
  | { readonly kind: 'close'; readonly commit: Commit }
  /** 429; the request never reaches the service. `wait` is in seconds. */
  | { readonly kind: 'too-many'; readonly hint: WaitHint; readonly wait: number }
  | { readonly kind: 'error'; readonly status: 500 | 502 | 503 | 504; readonly commit: Commit }
  /** 200 with an HTML page. */
  | { readonly kind: 'html'; readonly commit: Commit }
  /** The connection ends within the body; the announced length reveals it. */
  | { readonly kind: 'truncated' }
  /** The body ends early, and nothing reveals it. */
  | { readonly kind: 'cut' }
  /** Half of the body, then nothing until the client gives up. */
  | { readonly kind: 'stalled' }
  /** 200 without a body. */
  | { readonly kind: 'empty' }

/** What is finally sent over the connection. */
type Delivery =
  | { readonly kind: 'whole'; readonly response: ApiResponse }
  | { readonly kind: 'nothing' }
  /** `response.body` is the part that arrives; `length` is the size of the whole body in bytes. */
  | {
      readonly kind: 'part'
      readonly response: ApiResponse
      readonly length: number
      readonly then: 'close' | 'silence' | 'end'
    }

/** Forwards the request, or not, and damages the response as the fault says. */
export async function deliver(
  fault: Fault | undefined,
  next: () => Promise<ApiResponse>,
  now: () => Date,
): Promise<Delivery> {
  if (fault === undefined) return whole(await next())
  if ('commit' in fault && fault.commit === 'after') await next()
  switch (fault.kind) {
    case 'close':
      return { kind: 'nothing' }
    case 'too-many':
      return whole(tooMany(fault.hint, fault.wait, now()))
    case 'error':
      return whole(gatewayError(fault.status))
    case 'html':
      return whole(page(200, 'Sign in'))
    case 'truncated':
      return part(await next(), 'close')
    case 'cut':
      return part(await next(), 'end')
    case 'stalled':
      return part(await next(), 'silence')
    case 'empty':
      await next()
      return whole({ status: 200, headers: {}, body: '' })
  }
}

const whole = (response: ApiResponse): Delivery => ({ kind: 'whole', response })

/** The faults that requests meet. */
export interface FaultSchedule {
  /** By request number, the first one is 0. */
  readonly at?: Readonly<Record<number, Fault>>
  /** From 0 to 1: the share of the other requests that meet one of `faults`, all equally likely. */
  readonly probability?: number
  readonly faults?: readonly Fault[]
  /** The same seed hits the same requests. */
  readonly seed?: number
  /** Only these requests are counted and can meet a fault. Left out: all. */
  readonly matches?: (request: ApiRequest) => boolean
}

function part(response: ApiResponse, then: 'close' | 'silence' | 'end'): Delivery {
  const bytes = Buffer.from(response.body)
  if (bytes.length === 0 && then !== 'silence') return { kind: 'nothing' }
  const body = bytes.subarray(0, Math.floor(bytes.length / 2)).toString('utf8')
  return { kind: 'part', response: { ...response, body }, length: bytes.length, then }
}

/** The service itself speaks JSON; 502 and 504 come from a gateway, which does not. */
function gatewayError(status: 500 | 502 | 503 | 504): ApiResponse {
  if (status === 502 || status === 504) return page(status, 'Bad gateway')
  return encodeReply(errorReply(status, { title: 'internal server error' }))
}

const page = (status: number, title: string) =>
  encodeReply({
    status,
    body: `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
    mediaType: 'text/html',
  })

const compress = promisify(gzip)

/**
 * Writes the delivery to the socket, with its damage.
 *
 * @internal The declarations of the package do not need those of Node.
 */
export async function writeDelivery(
  delivery: Delivery,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (delivery.kind === 'nothing') {
    request.socket.destroy()
    return
  }
  const { status, headers, body } = delivery.response
  if (delivery.kind === 'whole') return writeWhole(status, headers, body, request, response)
  if (delivery.then === 'end') {
    // Without a length and without chunks the end of the connection is the end of the body.
    response.useChunkedEncodingByDefault = false
    response.shouldKeepAlive = false
    response.writeHead(status, headers).end(body)
    return
  }
  response.writeHead(status, { ...headers, 'content-length': delivery.length })
  response.write(body, () => {
    if (delivery.then === 'close') request.socket.destroy()
  })
}

async function writeWhole(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const plain = Buffer.from(body)
  const compressed = plain.length > LIMITS.gzipBytes && acceptsGzip(request)
  const bytes = compressed ? await compress(plain, { level: 3 }) : plain
  const encoding = compressed ? { 'content-encoding': 'gzip', vary: 'accept-encoding' } : {}
  const length = status === 204 ? {} : { 'content-length': bytes.length }
  response.writeHead(status, { ...headers, ...encoding, ...length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** `gzip` or `*`, unless its weight is zero. */
function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = String(request.headers['accept-encoding'] ?? '').split(',')
  return accepted.some(entry => {
    const [coding, weight] = entry.split(';').map(text => text.trim().toLowerCase())
    return (coding === 'gzip' || coding === '*') && !/^q=0(\.0*)?$/.test(weight ?? '')
  })
}

/** Chooses the fault for each request in turn. */
export function faultPicker(schedule: FaultSchedule): (request: ApiRequest) => Fault | undefined {
  const random = seededRandom(schedule.seed ?? 1)
  const { probability = 0, faults = [], matches = () => true } = schedule
  let count = 0
  return request => {
    if (!matches(request)) return undefined
    const planned = schedule.at?.[count]
    count += 1
    if (planned !== undefined) return planned
    return random() < probability ? faults[Math.floor(random() * faults.length)] : undefined
  }
}

/**
 * A transport on which requests go wrong as scheduled. A lost connection rejects with a TransportError whose `sent` is
 * `maybe`; a stalled body rejects when the signal aborts, and never without one.
 */
export function withFaults(
  next: Transport,
  schedule: FaultSchedule,
  options: { readonly now?: () => Date } = {},
): Transport {
  const pick = faultPicker(schedule)
  const now = options.now ?? systemClock
  return async (request, signal) =>
    arrivalOf(await deliver(pick(request), () => next(request, signal), now), signal)
}

/** Delays each response by this many milliseconds, or by what the function returns for the request. */
export function withLatency(next: Transport, latency: number | ((request: ApiRequest) => number)): Transport {
  return async (request, signal) => {
    const milliseconds = typeof latency === 'number' ? latency : latency(request)
    await sleep(milliseconds, undefined, { signal }).catch(() => {
      throw new TransportError('aborted before it was sent', { sent: 'no', code: 'ABORT_ERR' })
    })
    return next(request, signal)
  }
}

async function arrivalOf(delivery: Delivery, signal: AbortSignal | undefined): Promise<ApiResponse> {
  if (delivery.kind === 'whole') return delivery.response
  if (delivery.kind === 'nothing') throw lost('the connection was closed before a response', 'ECONNRESET')
  switch (delivery.then) {
    case 'end':
      return delivery.response
    case 'close':
      throw lost('the connection was closed in the body', 'UND_ERR_SOCKET')
    case 'silence':
      await aborted(signal)
      throw lost('the response did not end', 'ABORT_ERR')
  }
}

const lost = (message: string, code: string) => new TransportError(message, { sent: 'maybe', code })

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<void>(resolve => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
