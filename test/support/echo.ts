import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { ApiRequest } from '../../src/wire/transport.ts'
import { formsOf } from './canary.ts'

/** How a service, or a proxy in front of it, repeats a write in its response. */
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
  'a 200 with the body of the request': body => ({ status: 200, body }),
  'a 200 that is not JSON': (body, headers) => ({ status: 200, body: `${body} ${headers.authorization}` }),
  'a redirect that contains the body': body => ({
    status: 302,
    headers: {
      location: `https://${encodeURIComponent(valuesIn(parsed(body)).join('.'))}.example/?${encodeURIComponent(body)}`,
    },
    body: '',
  }),
  'headers that contain the token': (_, headers) => ({
    status: 400,
    headers: { 'x-echo': headers.authorization ?? '', 'x-request-id': headers.authorization ?? '' },
    body: headers.authorization ?? '',
  }),
  'a 422 that quotes the token': (_, headers) => errors(422, headers.authorization ?? ''),
  'a 401 that quotes the token': (_, headers) => errors(401, `unknown token ${headers.authorization ?? ''}`),
}

/** The sandbox for reads, and `echo` for writes. Resolves with its address. */
export const echoing = (sandbox: Sandbox, echo: Echo = () => errors(500)): Promise<string> =>
  listening(async (asked, request) =>
    asked === 'GET' ? await sandbox.transport(request) : echo(request.body ?? '', request.headers),
  )

/**
 * The sandbox, but as a service that puts some texts everywhere: into descriptions and readable values of lists, and into the
 * reasons of rejected deletes and assignments. `forms` returns the forms in which it writes a text.
 */
export const repeating = (
  sandbox: Sandbox,
  texts: readonly string[],
  forms: (text: string) => readonly string[],
): Promise<string> => {
  const all = texts.flatMap(forms)
  return listening(async (method, request) => {
    if (method === 'DELETE' || request.path.endsWith('/relationships/workspaces')) return errors(422, ...all)
    const given = await sandbox.transport(request)
    if (given.status !== 200) return given
    const document: unknown = JSON.parse(given.body)
    return { ...given, headers: JSON_API, body: escaped(JSON.stringify(withTexts(document, all.join(' ')))) }
  })
}

const JSON_API = { 'content-type': 'application/vnd.api+json' }

/** Writes the characters of known texts as `\\u…`, which JSON allows. */
const escaped = (json: string): string =>
  json.replace(/canary|moved|token/gi, word =>
    [...word].map(sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  )

function withTexts(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map(one => withTexts(one, text))
  if (typeof value !== 'object' || value === null) return value
  const told = Object.entries(value).map(([name, member]) => {
    const isShown = name === 'description' || (name === 'value' && typeof member === 'string')
    return [name, isShown ? `${String(member)} ${text}` : withTexts(member, text)]
  })
  return Object.fromEntries(told)
}

/** A server with the given responses. Resolves with its address. */
async function listening(
  tell: (method: string | undefined, request: ApiRequest) => Promise<Answer> | Answer,
): Promise<string> {
  const server = createServer((message, response) => {
    answer(tell, message, response).catch(() => message.socket.destroy())
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

async function answer(
  tell: Parameters<typeof listening>[0],
  message: IncomingMessage,
  response: ServerResponse,
) {
  let body = ''
  for await (const chunk of message.setEncoding('utf8')) body += chunk
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  )
  const url = new URL(message.url ?? '/', 'http://localhost')
  const given = await tell(message.method, {
    method: message.method as ApiRequest['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers,
    ...(body === '' ? {} : { body }),
  })
  const { 'content-length': _, ...kept } = { ...given.headers }
  response.writeHead(given.status, kept).end(given.body)
}
