import { request as httpRequest } from 'undici'
import { afterEach, beforeEach } from 'vitest'
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  SERVERS,
  type Traits,
} from '../../src/sandbox/index.ts'

export const MEDIA = 'application/vnd.api+json'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; `undefined` without one. */
  readonly body: Json
}

/** A parsed body. A missing member is `undefined` and fails the comparison. */
export type Json = Readonly<Record<string, unknown>>

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What the service answers where servers differ. */
export const traitsOf = ({ sandbox }: Pick<Subject, 'sandbox'>): Traits => SERVERS[sandbox.profile.server]

/** A service, and two ways to send requests to it. */
export interface Subject {
  readonly sandbox: Sandbox
  /** The path without `/api/v2`. */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Answer>
  readonly close: () => Promise<void>
}

export type Open = (options?: SandboxOptions) => Promise<Subject>

/** A new service for each test: `subject` is that of the running test. */
export function eachTest(open: Open): { readonly subject: Subject; readonly ask: Subject['ask'] } {
  let current: Subject
  beforeEach(async () => {
    current = await open()
  })
  afterEach(() => current.close())
  const ask: Subject['ask'] = (...args) => current.ask(...args)
  const subject: Subject = {
    get sandbox() {
      return current.sandbox
    },
    ask,
    close: () => current.close(),
  }
  return { subject, ask }
}

export const openInProcess: Open = async options => {
  const sandbox = await createSandbox(options)
  return {
    sandbox,
    ask: async (method, path, ask = {}) => {
      const answer = await sandbox.transport({
        method: method as 'GET',
        path: `/api/v2/${path}`,
        ...(ask.query === undefined ? {} : { query: ask.query }),
        headers: headersOf(sandbox, ask),
        ...(ask.body === undefined ? {} : { body: textOf(ask.body) }),
      })
      return { status: answer.status, headers: answer.headers, text: answer.body, body: parsed(answer.body) }
    },
    close: () => sandbox.close(),
  }
}

export const openOverHttp: Open = async options => {
  const sandbox = await createSandbox(options)
  const server = await sandbox.listen()
  return {
    sandbox,
    ask: async (method, path, ask = {}) => {
      const query = new URLSearchParams(ask.query).toString()
      const answer = await httpRequest(`${server.url}/api/v2/${path}${query === '' ? '' : `?${query}`}`, {
        method: method as 'GET',
        headers: headersOf(sandbox, ask),
        body: ask.body === undefined ? null : textOf(ask.body),
      })
      const text = await answer.body.text()
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      )
      return { status: answer.statusCode, headers, text, body: parsed(text) }
    },
    close: () => sandbox.close(),
  }
}

/** Ids and resources in the form of the interface. */
export const ref = (type: string, id: string) => ({ id, type })
export const many = (type: string, ids: readonly string[]) => ({ data: ids.map(id => ref(type, id)) })

/** What today's service adds to a set beyond the interface (docs/service.md 10.3). */
export const MORE = { permissions: { 'can-update': true } } as const

export const setBody = (attributes: Json, relationships: Json = {}) => ({
  data: { type: 'varsets', attributes, relationships },
})
export const variable = (attributes: Json) => ({ type: 'vars', attributes })
export const variableBody = (attributes: Json) => ({ data: variable(attributes) })

/** A member deep inside a parsed body: `at(answer.body, 'data', 0, 'attributes', 'name')`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
}

export const idOf = (answer: Answer) => String(at(answer.body, 'data', 'id'))
export const listOf = (answer: Answer) => at(answer.body, 'data') as readonly Json[]
export const namesOf = (answer: Answer) => listOf(answer).map(set => at(set, 'attributes', 'name'))

/** Creates a set and returns its id. */
export async function createSet(
  subject: Subject,
  attributes: Json,
  relationships: Json = {},
): Promise<string> {
  const answer = await subject.ask('POST', 'organizations/acme/varsets', {
    body: setBody(attributes, relationships),
  })
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return idOf(answer)
}

/** Adds a variable to a set and returns its id. */
export async function addVariable(subject: Subject, set: string, attributes: Json): Promise<string> {
  const answer = await subject.ask('POST', `varsets/${set}/relationships/vars`, {
    body: variableBody(attributes),
  })
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return idOf(answer)
}

export function workspaceId(subject: Subject, name: string): string {
  const workspace = subject.sandbox.snapshot().workspaces?.find(one => one.name === name)
  if (workspace?.id === undefined) throw new Error(`no workspace ${name}`)
  return workspace.id
}

export function projectId(subject: Subject, name: string): string {
  const project = subject.sandbox.snapshot().projects?.find(one => one.name === name)
  if (project?.id === undefined) throw new Error(`no project ${name}`)
  return project.id
}

function headersOf(sandbox: Sandbox, ask: AskOptions): Record<string, string> {
  return {
    authorization: `Bearer ${ask.token ?? sandbox.token}`,
    ...(ask.body === undefined ? {} : { 'content-type': MEDIA }),
    ...ask.headers,
  }
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}
