import { expect } from 'vitest'
import { addVariable, at, createSet, listOf, projectId, ref, setBody } from '../contract/subject.ts'
import { type Check, type Checks, statusOf } from './profile-writes.ts'

const LIST = 'organizations/acme/varsets'

const hidden =
  (expected: Record<string, unknown>): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    await addVariable(subject, set, { key: 'A', category: 'env', value: 'secret', sensitive: true })
    const [shown] = listOf(await subject.ask('GET', `varsets/${set}/relationships/vars`))
    const { value, ...rest } = at(shown, 'attributes') as Record<string, unknown>
    expect(['value' in (at(shown, 'attributes') as object) ? { value } : {}, rest.key]).toEqual([
      expected,
      'A',
    ])
  }

const created =
  (status: number): Check =>
  async subject => {
    const body = { data: { type: 'vars', attributes: { key: 'A', category: 'env' } } }
    expect(await statusOf(subject, 'POST', LIST, setBody({ name: 'b' }))).toBe(status)
    const set = await createSet(subject, { name: 'a' })
    expect(await statusOf(subject, 'POST', `varsets/${set}/relationships/vars`, body)).toBe(status)
  }

const deleted =
  (status: number): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const id = await addVariable(subject, set, { key: 'A', category: 'env' })
    const one = await subject.ask('DELETE', `varsets/${set}/relationships/vars/${id}`)
    const other = await subject.ask('DELETE', `varsets/${set}`)
    expect([one.status, one.text, other.status, other.text]).toEqual([status, '', status, ''])
  }

const denied =
  (status: number): Check =>
  async subject => {
    const answer = await subject.ask('GET', LIST, { token: 'token-none' })
    expect(answer.status).toBe(status)
  }

const error =
  (type: string | undefined, body: string): Check =>
  async subject => {
    const answer = await subject.ask('GET', 'varsets/varset-none')
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      404,
      type,
      expect.stringContaining(body),
    ])
    if (body === '') expect(answer.text).toBe('')
  }

/** Objects for what the service knows, text for the rest. */
const partlyText: Check = async subject => {
  const known = await subject.ask('GET', 'varsets/varset-none')
  const unknown = await subject.ask('GET', 'nothing')
  const nobody = await subject.ask('GET', LIST, { token: 'unknown' })
  const type = 'content-type'
  expect([known, unknown, nobody].map(answer => [answer.status, answer.headers[type], answer.text])).toEqual([
    [404, 'application/vnd.api+json', expect.stringContaining('"status":"404"')],
    [404, 'text/plain; charset=utf-8', '404 page not found\n'],
    [401, 'text/plain; charset=utf-8', 'invalid JWT\n'],
  ])
}

const described =
  (expected: Record<string, unknown>): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const id = await addVariable(subject, set, { key: 'A', category: 'env' })
    for (const path of [`varsets/${set}`, `varsets/${set}/relationships/vars/${id}`]) {
      const attributes = at((await subject.ask('GET', path)).body, 'data', 'attributes') as Record<
        string,
        unknown
      >
      expect('description' in attributes ? { description: attributes.description } : {}).toEqual(expected)
    }
  }

const includes =
  (included: unknown, key: unknown): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    await addVariable(subject, set, { key: 'A', category: 'env' })
    for (const path of [LIST, `varsets/${set}`]) {
      const answer = await subject.ask('GET', path, { query: { include: 'vars' } })
      const data = Array.isArray(answer.body.data) ? answer.body.data[0] : answer.body.data
      expect([
        at(answer.body, 'included', 'length'),
        at(data, 'relationships', 'vars', 'data', 0, 'attributes', 'key'),
      ]).toEqual([included, key])
    }
  }

const withStacks =
  (expected: Record<string, unknown>): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' }, { stacks: { data: [] } })
    const path = `varsets/${set}`
    const shown = await subject.ask('GET', path)
    expect({
      count: at(shown.body, 'data', 'attributes', 'stack-count'),
      include: (await subject.ask('GET', path, { query: { include: 'stacks' } })).status,
      assign: await statusOf(subject, 'POST', `${path}/relationships/stacks`, { data: [] }),
      list: await statusOf(subject, 'GET', 'organizations/acme/stacks'),
      name: shown.headers['tfp-appname'],
    }).toEqual(expected)
    const relation = at(shown.body, 'data', 'relationships', 'stacks', 'data')
    expect(relation).toEqual(expected.count === 0 ? [] : undefined)
  }

/** What is known about today's service beyond the interface, and an unknown `parent`. */
const withMore =
  (known: boolean): Check =>
  async subject => {
    const project = { data: ref('projects', projectId(subject, 'data')) }
    const set = await createSet(subject, { name: 'a' }, { parent: project })
    await addVariable(subject, set, { key: 'A', category: 'env' })
    const shown = (await subject.ask('GET', `varsets/${set}`)).body.data
    const [variable] = listOf(await subject.ask('GET', `varsets/${set}/relationships/vars`))
    expect([
      at(shown, 'attributes', 'permissions'),
      at(shown, 'attributes', 'stack-count'),
      at(shown, 'relationships', 'parent'),
      at(shown, 'relationships', 'stacks'),
      typeof at(variable, 'attributes', 'version-id'),
      subject.sandbox.snapshot().sets?.[0]?.parent,
    ]).toEqual(
      known
        ? [{ 'can-update': true }, 0, project, { data: [] }, 'string', project.data.id]
        : [undefined, undefined, undefined, undefined, 'undefined', undefined],
    )
  }

/** Switches that affect responses about one record. */
export const answerChecks: Checks<
  | 'sensitiveValue'
  | 'createStatus'
  | 'deleteStatus'
  | 'missingPermission'
  | 'errorBody'
  | 'emptyDescription'
  | 'includeVars'
  | 'stacks'
  | 'beyond'
> = {
  stacks: {
    answered: withStacks({ count: 0, include: 200, assign: 204, list: 200, name: 'HCP Terraform' }),
    refused: withStacks({ count: undefined, include: 400, assign: 404, list: 404, name: 'HCP Terraform' }),
    enterprise: withStacks({
      count: undefined,
      include: 200,
      assign: 404,
      list: 404,
      name: 'Terraform Enterprise',
    }),
  },
  beyond: { known: withMore(true), none: withMore(false) },
  sensitiveValue: {
    null: hidden({ value: null }),
    empty: hidden({ value: '' }),
    missing: hidden({}),
    mask: hidden({ value: '(sensitive value)' }),
  },
  createStatus: { 200: created(200), 201: created(201) },
  deleteStatus: { 204: deleted(204), 200: deleted(200) },
  missingPermission: { 'not-found': denied(404), forbidden: denied(403), unauthorized: denied(401) },
  errorBody: {
    'json-api': error('application/vnd.api+json', '{"errors":[{"status":"404","title":"not found"}]}'),
    'number-status': error('application/vnd.api+json', '{"errors":[{"status":404,"title":"not found"}]}'),
    'other-json': error('application/json', '{"error":'),
    empty: error(undefined, ''),
    html: error('text/html', '<!DOCTYPE html>'),
    'partly-text': partlyText,
  },
  emptyDescription: {
    empty: described({ description: '' }),
    null: described({ description: null }),
    missing: described({}),
  },
  includeVars: {
    included: includes(1, undefined),
    ignored: includes(0, undefined),
    embedded: includes(0, 'A'),
  },
}
