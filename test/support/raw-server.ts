import { createServer, type Server, type Socket } from 'node:net'

/** The behaviour of a raw server after a whole request: `text` is the request, `index` counts from 0. */
export type Behaviour = (socket: Socket, text: string, index: number) => void

export interface RawServer {
  readonly url: string
  readonly port: number
  /** Whole requests, in order of arrival. */
  readonly requests: string[]
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** A server that sends any bytes, or none. */
export async function rawServer(behave: Behaviour): Promise<RawServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer(socket => {
    connections++
    sockets.add(socket)
    let received = ''
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      const end = endOfRequest(received)
      if (end === undefined) return
      const text = received.slice(0, end)
      received = received.slice(end)
      requests.push(text)
      behave(socket, text, requests.length - 1)
    })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await listening(server)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

const listening = (server: Server): Promise<void> =>
  new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve()))

function endOfRequest(text: string): number | undefined {
  const headers = text.indexOf('\r\n\r\n')
  if (headers < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headers))?.[1] ?? 0)
  const end = headers + 4 + length
  return text.length >= end ? end : undefined
}

export interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** The bytes of a response, with its length unless the headers say otherwise. */
export function bytesOf({ status = 200, headers = {}, body = '' }: Canned): Buffer {
  const bytes = Buffer.from(body)
  const all = {
    'content-type': 'application/vnd.api+json',
    'content-length': String(bytes.length),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]))
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('\r\n')}\r\n\r\n`), bytes])
}
