import type { IncomingMessage } from 'node:http'

/** The body as text; undefined where it is larger than `limit` bytes (the rest is thrown away). Rejects if it breaks off. */
export function readText(message: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = Number(message.headers['content-length'] ?? 0)
    if (size > limit) {
      message.resume()
      resolve(undefined)
      return
    }
    size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else resolve(undefined)
    })
    message.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    message.on('error', reject)
    message.on('close', () => reject(new Error('the request broke off')))
  })
}

/** Path and query of a request target, absolute form included (RFC 9112, 3.2). */
export function readTarget(target: string): {
  readonly path: string
  readonly query: Record<string, string>
} {
  const own = target.replace(/^https?:\/\/[^/?]*/i, '')
  const separator = own.indexOf('?')
  const path = separator === -1 ? own : own.slice(0, separator)
  const query = new URLSearchParams(separator === -1 ? '' : own.slice(separator + 1))
  return { path, query: Object.fromEntries(query) }
}
