import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

/** An expected request in short: `GET /path?query`, or with the required contents of its JSON body. */
export interface Exchange {
  readonly expect: string
  readonly body?: unknown
  /** `hang up`: the connection ends after the request was read, so its result is unknown. */
  readonly answer:
    | {
        readonly status: number
        readonly body?: unknown
        readonly headers?: Readonly<Record<string, string>>
      }
    | 'hang up'
}

export interface Recorded {
  readonly url: string
  /** The requests in order: method and path, or what was wrong. */
  readonly seen: readonly string[]
}

/**
 * A forge as a list of recorded exchanges. Each request is compared with the next one, including its token, and gets its
 * response. It knows nothing else, so it is not a second fake of a service.
 */
export async function recorded(token: string, exchanges: readonly Exchange[]): Promise<Recorded> {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const next = exchanges[seen.length]
    const line = `${request.method} ${request.url}`
    const problems = [
      ...(next === undefined
        ? ['one request too many']
        : next.expect === line
          ? []
          : [`expected ${next.expect}`]),
      ...(request.headers.authorization === `Bearer ${token}` ? [] : ['another token']),
      ...(next?.body === undefined || same(JSON.parse(body), next.body) ? [] : [`another body: ${body}`]),
      ...(request.headers['user-agent'] === undefined ? ['no user agent'] : []),
    ]
    seen.push(problems.length === 0 ? line : `${line}: ${problems.join(', ')}`)
    const answer = next?.answer ?? { status: 500 }
    if (answer === 'hang up') {
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise<void>(done => void server.close(() => done())))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { url: `http://127.0.0.1:${address.port}`, seen }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
