import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Delivery } from './faults.ts'
import { LIMITS } from './limits.ts'

const compress = promisify(gzip)

/** Writes what is delivered to the socket, with the damage that belongs to it. */
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
