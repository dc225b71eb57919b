import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { formsOf } from './canary.ts'

/** How a service, or something before it, repeats a write to the one who sent it. */
export type Echo = (body: string, headers: Readonly<Record<string, string>>) => Answer

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

const errors = (status: number, ...details: readonly string[]): Answer => ({
  status,
  headers: { 'content-type': 'application/vnd.api+json' },
  body: JSON.stringify({
    errors: details.map(detail => ({
      status: String(status),
      title: 'invalid',
      detail,
      source: { pointer: detail },
    })),
  }),
})

/** Every value of a request body, at any depth. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : []
}

const parsed = (body: string): unknown => (body === '' ? {} : JSON.parse(body))
const allForms = (body: string): string[] =>
  valuesIn(parsed(body)).flatMap(value => [...formsOf(value).values()])

export const ECHOES: Readonly<Record<string, Echo>> = {
  'a 422 that quotes the body': body => errors(422, body),
  'a 422 that quotes each value in every form': body => errors(422, ...allForms(body).slice(0, 400)),
  'a 500 page that quotes everything': (body, headers) => ({
    status: 500,
    headers: { 'content-type': 'text/html' },
    body: `<pre>${JSON.stringify(headers)}\n${body}</pre>`,
  }),
  'a 200 that is the request': body => ({ status: 200, body }),
  'a 200 that is no JSON': (body, headers) => ({ status: 200, body: `${body} ${headers.authorization}` }),
  'a redirect that carries the body': body => ({
    status: 302,
    headers: {
      location: `https://${encodeURIComponent(valuesIn(parsed(body)).join('.'))}.example/?${encodeURIComponent(body)}`,
    },
    body: '',
  }),
  'headers that carry the token': (_, headers) => ({
    status: 400,
    headers: { 'x-echo': headers.authorization ?? '', 'x-request-id': headers.authorization ?? '' },
    body: headers.authorization ?? '',
  }),
  'a 422 that quotes the token': (_, headers) => errors(422, headers.authorization ?? ''),
  'a 401 that quotes the token': (_, headers) => errors(401, `unknown token ${headers.authorization ?? ''}`),
}

/** The sandbox for reads; what `echo` says for writes. Resolves with its address. */
export async function echoing(sandbox: Sandbox, echo: Echo = () => errors(500)): Promise<string> {
  const server = createServer((message, response) => {
    answer(sandbox, echo, message, response).catch(() => message.socket.destroy())
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

async function answer(sandbox: Sandbox, echo: Echo, message: IncomingMessage, response: ServerResponse) {
  let body = ''
  for await (const chunk of message.setEncoding('utf8')) body += chunk
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  )
  const url = new URL(message.url ?? '/', 'http://localhost')
  const given =
    message.method === 'GET'
      ? await sandbox.transport({
          method: 'GET',
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          headers,
        })
      : echo(body, headers)
  response.writeHead(given.status, given.headers).end(given.body)
}
