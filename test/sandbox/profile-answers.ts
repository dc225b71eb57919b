import { expect } from 'vitest'
import { addVariable, at, createSet, listOf, setBody } from '../contract/subject.ts'
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

const statuses =
  (created: number, deleted: number): Check =>
  async subject => {
    const body = { data: { type: 'vars', attributes: { key: 'B', category: 'env' } } }
    expect(await statusOf(subject, 'POST', LIST, setBody({ name: 'b' }))).toBe(created)
    const set = await createSet(subject, { name: 'a' })
    expect(await statusOf(subject, 'POST', `varsets/${set}/relationships/vars`, body)).toBe(created)
    const id = await addVariable(subject, set, { key: 'A', category: 'env' })
    const one = await subject.ask('DELETE', `varsets/${set}/relationships/vars/${id}`)
    const other = await subject.ask('DELETE', `varsets/${set}`)
    expect([one.status, one.text, other.status, other.text]).toEqual([deleted, '', deleted, ''])
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

/** Switches that affect responses about one record. */
export const answerChecks: Checks<
  'sensitiveValue' | 'successStatus' | 'missingPermission' | 'errorBody' | 'includeVars'
> = {
  sensitiveValue: {
    null: hidden({ value: null }),
    empty: hidden({ value: '' }),
    missing: hidden({}),
    mask: hidden({ value: '(sensitive value)' }),
  },
  successStatus: { published: statuses(200, 204), other: statuses(201, 200) },
  missingPermission: { 'not-found': denied(404), forbidden: denied(403), unauthorized: denied(401) },
  errorBody: {
    'json-api': error('application/vnd.api+json', '{"errors":[{"status":"404","title":"not found"}]}'),
    'other-json': error('application/json', '{"error":'),
    empty: error(undefined, ''),
    html: error('text/html', '<!DOCTYPE html>'),
  },
  includeVars: {
    included: includes(1, undefined),
    ignored: includes(0, undefined),
    embedded: includes(0, 'A'),
  },
}
