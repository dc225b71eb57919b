import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { LIMITS } from './limits.ts'
import { tooMany, type WaitHint } from './rate-limit.ts'
import { encodeReply } from './reply.ts'

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
export type Delivery =
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
  if (fault === undefined) return { kind: 'whole', response: await next() }
  switch (fault.kind) {
    case 'close':
      if (fault.commit === 'after') await next()
      return { kind: 'nothing' }
    case 'too-many':
      return { kind: 'whole', response: tooMany(fault.hint, fault.wait, now()) }
    case 'error':
      if (fault.commit === 'after') await next()
      return { kind: 'whole', response: gatewayError(fault.status) }
    case 'html':
      if (fault.commit === 'after') await next()
      return { kind: 'whole', response: page(200, 'Sign in') }
    case 'truncated':
      return part(await next(), 'close')
    case 'cut':
      return part(await next(), 'end')
    case 'stalled':
      return part(await next(), 'silence')
    case 'empty':
      await next()
      return { kind: 'whole', response: { status: 200, headers: {}, body: '' } }
  }
}

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
  return encodeReply({ status, body: { errors: [{ status: `${status}`, title: 'internal server error' }] } })
}

const page = (status: number, title: string) =>
  encodeReply({
    status,
    body: `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
    mediaType: 'text/html',
  })

const compress = promisify(gzip)

/** Writes the delivery to the socket, with its damage. */
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
