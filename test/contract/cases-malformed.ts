import { beforeEach, expect, test } from 'vitest'
import { at, createSet, eachTest, MEDIA, type Open, setBody, traitsOf, variableBody } from './subject.ts'

/** docs/service.md 6: an invalid request returns 422 with a JSON:API error object. */
export function malformedCases(open: Open): void {
  const { subject } = eachTest(open)
  let set: string
  beforeEach(async () => {
    set = await createSet(subject, { name: 'aws' })
  })
  const create = (body: unknown) => subject.ask('POST', 'organizations/acme/varsets', { body })
  const pointers = async (body: unknown) => {
    const answer = await create(body)
    const errors = (answer.body.errors ?? []) as readonly unknown[]
    expect(answer.status).toBe(422)
    for (const error of errors) {
      expect(error).toMatchObject({ status: '422', title: expect.any(String), detail: expect.any(String) })
    }
    return errors.map(error => at(error, 'source', 'pointer'))
  }

  test('a body that is not a JSON:API document', async () => {
    for (const body of [
      '{',
      '[]',
      '"x"',
      'null',
      '7',
      '{}',
      '{"data":null}',
      '{"data":[]}',
      '{"data":"x"}',
    ]) {
      expect((await create(body)).status).toBe(422)
    }
    expect((await subject.ask('POST', 'organizations/acme/varsets')).status).toBe(422)
  })

  test('a missing or wrong type (4.1)', async () => {
    expect(await pointers({ data: { attributes: { name: 'a' } } })).toEqual(['/data/type'])
    expect(await pointers({ data: { type: 'vars', attributes: { name: 'a' } } })).toEqual(['/data/type'])
    const answer = await subject.ask('PATCH', `varsets/${set}`, { body: { data: { attributes: {} } } })
    expect(answer.status).toBe(422)
    const variable = await subject.ask('POST', `varsets/${set}/relationships/vars`, {
      body: { data: { attributes: { key: 'A', category: 'env' } } },
    })
    expect(variable.status).toBe(422)
  })

  test('missing, blank or wrongly typed attributes, all of them at once (2.1)', async () => {
    expect(await pointers(setBody({}))).toEqual(['/data/attributes/name'])
    expect(await pointers(setBody({ name: ' ' }))).toEqual(['/data/attributes/name'])
    expect(await pointers(setBody({ name: null }))).toEqual(['/data/attributes/name'])
    expect(await pointers(setBody({ name: 7, description: [], global: 'true', priority: null }))).toEqual([
      '/data/attributes/name',
      '/data/attributes/priority',
      '/data/attributes/description',
      '/data/attributes/global',
    ])
    expect(await pointers({ data: { type: 'varsets', attributes: [] } })).toEqual(['/data/attributes'])
  })

  test('malformed relationships (4.1)', async () => {
    const at0 = '/data/relationships'
    expect(
      await pointers({ data: { type: 'varsets', attributes: { name: 'a' }, relationships: 1 } }),
    ).toEqual([at0])
    expect(
      await pointers(setBody({ name: 'a' }, { vars: {}, workspaces: { data: {} }, projects: [] })),
    ).toEqual([`${at0}/workspaces/data`, `${at0}/projects/data`, `${at0}/vars/data`])
    const vars = { data: [{ type: 'vars', attributes: { key: 'A', category: 'env' } }, { type: 'x' }, 7] }
    expect(await pointers(setBody({ name: 'a' }, { vars }))).toEqual([
      `${at0}/vars/data/1/type`,
      `${at0}/vars/data/2`,
    ])
  })

  test('a variable without key or category, or with a category that is not allowed (2.2)', async () => {
    const add = async (attributes: Record<string, unknown>) => {
      const answer = await subject.ask('POST', `varsets/${set}/relationships/vars`, {
        body: variableBody(attributes),
      })
      return [answer.status, at(answer.body, 'errors', 0, 'source', 'pointer')]
    }
    expect(await add({ category: 'env' })).toEqual([422, '/data/attributes/key'])
    expect(await add({ key: 'A' })).toEqual([422, '/data/attributes/category'])
    expect(await add({ key: 'A', category: 'ENV' })).toEqual([422, '/data/attributes/category'])
    expect(await add({ key: 'A', category: 'env', value: 7 })).toEqual([422, '/data/attributes/value'])
    expect(await add({ key: 'A', category: 'env', hcl: 'yes' })).toEqual([422, '/data/attributes/hcl'])
    expect(await add({ key: 'A', category: 'env', sensitive: null })).toEqual([
      422,
      '/data/attributes/sensitive',
    ])
    const vars = { data: [{ type: 'vars', attributes: { key: 'A', category: 'policy-set' } }] }
    expect(await pointers(setBody({ name: 'a' }, { vars }))).toEqual([
      '/data/relationships/vars/data/0/attributes/category',
    ])
  })

  test('invalid page numbers and sizes', async () => {
    for (const [parameter, value] of [
      ['page[number]', '0'],
      ['page[size]', '-1'],
      ['page[size]', 'ten'],
    ] as const) {
      const answer = await subject.ask('GET', 'organizations/acme/varsets', { query: { [parameter]: value } })
      expect([answer.status, at(answer.body, 'errors', 0, 'source', 'parameter')]).toEqual([422, parameter])
    }
  })

  test('an id in the body that differs from the id in the path', async () => {
    const body = { data: { id: 'varset-other', type: 'varsets', attributes: {} } }
    expect((await subject.ask('PATCH', `varsets/${set}`, { body })).status).toBe(422)
    body.data.id = set
    expect((await subject.ask('PATCH', `varsets/${set}`, { body })).status).toBe(200)
  })

  test('a body of another media type returns 415, and parameters of the media type are accepted (3)', async () => {
    const send = (type: string) =>
      subject.ask('POST', 'organizations/acme/varsets', {
        body: setBody({ name: type }),
        headers: { 'content-type': type },
      })
    expect((await send('application/json')).status).toBe(415)
    expect((await send('text/plain')).status).toBe(415)
    expect((await send(`${MEDIA}; charset=utf-8`)).status).toBe(traitsOf(subject).created[0])
  })

  test('unknown members are ignored', async () => {
    const answer = await create({
      data: {
        type: 'varsets',
        attributes: { name: 'b', __proto__: { global: true }, colour: 'blue' },
        relationships: { friends: { data: 7 } },
        meta: {},
      },
      jsonapi: {},
    })
    expect([answer.status, at(answer.body, 'data', 'attributes', 'global')]).toEqual([
      traitsOf(subject).created[0],
      false,
    ])
  })
}
