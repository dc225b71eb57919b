import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service on this machine that hands every request to a server, and writes a transcript of it. */
export interface Recording {
  /** Where to send requests in place of the server. */
  readonly address: string
  /** Names and texts are replaced by their kind, for an organization that others use. */
  shapesOnly: boolean
  close(): Promise<void>
}

/** Headers of answers that say something of the server. */
const TOLD = /^(?:content-type|retry-after|location|tfp-.*|x-tfe-.*|(?:x-)?ratelimit-.*)$/
/** Members whose text is never written. */
const HIDDEN = /^(?:value|token|secret|password|email)$|-token$/
const HIDE = '…'

/**
 * Begins a transcript in a new file, a line of JSON for each request, without tokens and values. Throws if the file exists.
 */
export async function recordTo(file: string, target: string, token: string): Promise<Recording> {
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  const secrets = new Set([token])
  const recording = { address: '', shapesOnly: false, close: async () => {} }
  const write = (line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const sent = parsed(body)
    for (const one of valuesIn(sent)) secrets.add(one)
    const began = performance.now()
    const shown = (text: string, value: unknown) =>
      recording.shapesOnly ? shapeOf(value) : redacted(value ?? text, secrets)
    const about = {
      method: request.method,
      path: recording.shapesOnly ? withoutNames(request.url ?? '') : redacted(request.url, secrets),
      request: body === '' ? undefined : shown(body, sent),
    }
    try {
      const answer = await fetch(new URL(request.url ?? '/', target), {
        method: request.method ?? 'GET',
        headers: headersOf(request),
        redirect: 'manual',
        signal: AbortSignal.timeout(120_000),
        ...(body === '' ? {} : { body }),
      })
      const text = await answer.text()
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => TOLD.test(name)))
      const milliseconds = Math.round(performance.now() - began)
      write({ ...about, status: answer.status, milliseconds, headers, response: shown(text, parsed(text)) })
      const passed = [...answer.headers].filter(
        ([name]) => !/^(?:content-encoding|content-length|transfer-encoding|connection)$/.test(name),
      )
      response.writeHead(answer.status, passed)
      response.end(text)
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      write({ ...about, lost: cause instanceof Error ? cause.message : 'unknown' })
      request.socket.destroy()
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  recording.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  recording.close = () =>
    new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return recording
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const own = Object.entries(headers).filter(
    ([name]) => !/^(?:host|connection|content-length|transfer-encoding|accept-encoding)$/.test(name),
  )
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Texts that a request writes and that no other place of the transcript may repeat. Shorter ones are words of every answer. */
function valuesIn(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(valuesIn)
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) => {
    if (typeof value === 'string') return HIDDEN.test(name) && value.length >= 6 ? [value] : []
    return valuesIn(value)
  })
}

/** Without the texts of hidden members, and without any text that is one of the secrets. */
export function redacted(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (typeof value === 'string')
    return [...secrets].reduce((text, secret) => text.replaceAll(secret, HIDE), value.slice(0, 100_000))
  if (Array.isArray(value)) return value.map(one => redacted(one, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      HIDDEN.test(name) && typeof one === 'string' && one !== '' ? HIDE : redacted(one, secrets),
    ]),
  )
}

/** Only what is there: members, numbers and flags, and of lists how long they are and what the first entries look like. */
function shapeOf(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'type' || name === 'category' ? value : 'text'
  if (Array.isArray(value)) return { length: value.length, first: value.slice(0, 2).map(one => shapeOf(one)) }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, shapeOf(one, member)]))
}

const withoutNames = (path: string) =>
  path
    .replace(/\/organizations\/[^/?]+/, `/organizations/${HIDE}`)
    .replace(/\/(ws|varset|var|prj|st)-[\w-]+/g, `/$1-${HIDE}`)
    .replace(/([?&]q=)[^&]*/, `$1${HIDE}`)
