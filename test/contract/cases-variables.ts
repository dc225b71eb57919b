import { beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  addVariable,
  at,
  createSet,
  eachTest,
  idOf,
  listOf,
  type Open,
  ref,
  setBody,
  traitsOf,
  variableBody,
  workspaceId,
} from './subject.ts'

/** docs/service.md 2.2 and 4.6 to 4.9. */
export function variableCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  let set: string
  beforeEach(async () => {
    set = await createSet(subject, { name: 'aws' })
  })
  const path = (id = '') => `varsets/${set}/relationships/vars${id === '' ? '' : `/${id}`}`
  const add = (attributes: Record<string, unknown>) => ask('POST', path(), { body: variableBody(attributes) })
  const patch = (id: string, attributes: Record<string, unknown>) =>
    ask('PATCH', path(id), { body: variableBody(attributes) })

  test('add returns the variable (4.6, 9.1)', async () => {
    const answer = await add({
      key: 'tags',
      value: '{ team = "core" }',
      description: 'Labels.',
      category: 'terraform',
      hcl: true,
      sensitive: false,
    })
    expect(answer.status).toBe(traitsOf(subject).created[1])
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'vars',
        attributes: {
          key: 'tags',
          value: '{ team = "core" }',
          description: 'Labels.',
          sensitive: false,
          category: 'terraform',
          hcl: true,
          'version-id': expect.stringMatching(/^[0-9a-f]{36}$/),
        },
        relationships: {
          varset: { data: ref('varsets', set), links: { related: expect.any(String) } },
        },
        links: { self: expect.any(String) },
      },
    })
  })

  test('add uses the defaults: value "", description "", not hcl, not sensitive (2.2)', async () => {
    const answer = await add({ key: 'A', category: 'env' })
    expect(at(answer.body, 'data', 'attributes')).toEqual({
      key: 'A',
      value: '',
      description: '',
      sensitive: false,
      category: 'env',
      hcl: false,
      'version-id': expect.any(String),
    })
  })

  test('a key can be in both categories, once in each', async () => {
    for (const category of ['env', 'terraform'])
      expect((await add({ key: 'A', category })).status).toBe(traitsOf(subject).created[1])
    const again = await add({ key: 'A', category: 'env' })
    expect([again.status, at(again.body, 'errors', 0, 'detail')]).toEqual([422, 'Key has already been taken'])
  })

  test('keys need not be identifiers, and values are returned byte for byte', async () => {
    const value = '  first\r\nsecond\t\u{1f600}\n'
    const id = idOf(await add({ key: '7f8e-no identifier/é', value, category: 'terraform' }))
    expect(at((await ask('GET', path(id))).body, 'data', 'attributes', 'value')).toBe(value)
  })

  test('a blank key is refused, and long texts and line breaks in env values as by the real service (11.2)', async () => {
    const isDone = async (attributes: Record<string, unknown>) => (await add(attributes)).status < 300
    expect(await isDone({ key: ' ', category: 'env' })).toBe(false)
    const isAny = traitsOf(subject).lengths === 'any'
    expect(await isDone({ key: 'k'.repeat(129), category: 'env' })).toBe(isAny)
    expect(await isDone({ key: 'A', category: 'env', description: 'd'.repeat(513) })).toBe(isAny)
    expect(await isDone({ key: 'B', category: 'terraform', value: 'é'.repeat(131_073) })).toBe(isAny)
    expect(await isDone({ key: 'C', category: 'env', value: 'a\nb' })).toBe(isAny)
    expect(await isDone({ key: 'C', category: 'terraform', value: 'a\nb' })).toBe(true)
  })

  test('list returns all variables with time, relationship and link, with links and without meta (2.2, 2.3, 4.9), or pages with meta (9.4)', async () => {
    for (let index = 0; index < 25; index += 1)
      await addVariable(subject, set, { key: `K${index}`, category: 'env' })
    const answer = await ask('GET', path())
    expect(answer.status).toBe(200)
    const second = await ask('GET', path(), { query: { 'page[number]': '2' } })
    const isWhole = traitsOf(subject).variableLists === 'whole'
    expect([answer, second].map(one => listOf(one).length)).toEqual([isWhole ? 25 : 20, 5])
    const shown = isWhole ? listOf(answer) : [...listOf(answer), ...listOf(second)]
    expect(shown.map(one => at(one, 'attributes', 'key'))).toEqual(
      Array.from({ length: 25 }, (_, index) => `K${index}`),
    )
    expect(listOf(answer)[0]).toEqual({
      id: expect.any(String),
      type: 'vars',
      attributes: {
        key: 'K0',
        value: '',
        sensitive: false,
        category: 'env',
        hcl: false,
        'created-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        description: '',
        'version-id': expect.any(String),
      },
      relationships: {
        varset: {
          data: ref('varsets', set),
          links: { related: expect.stringContaining(`/api/v2/varsets/${set}`) },
        },
      },
      links: { self: expect.stringContaining(`/api/v2/${path()}/var-`) },
    })
    const page = expect.stringContaining(`/api/v2/${path()}`)
    const next = isWhole ? null : expect.stringMatching(/page%5Bnumber%5D=2/)
    expect(answer.body.links).toEqual({ self: page, first: page, prev: null, next, last: page })
    expect(at(answer.body, 'meta', 'pagination', 'total-count')).toBe(isWhole ? undefined : 25)
    expect(at(second.body, 'meta', 'pagination', 'total-count')).toBe(isWhole ? undefined : 25)
  })

  test('the lists of variables of a set and of a workspace have pages of up to 100, linked by links.next', async () => {
    const variables = Array.from({ length: 101 }, (_, index) => ({ key: `K${index}`, category: 'env' }))
    subject.sandbox.ensure({
      workspaces: [{ id: 'ws-many', variables }],
      sets: [{ id: 'varset-many', name: 'many', variables }],
    })
    for (const list of ['varsets/varset-many/relationships/vars', 'workspaces/ws-many/vars']) {
      const pages = async (size: string) => {
        const lengths: number[] = []
        for (let number: string | null = '1'; number !== null; ) {
          const query = { 'page[size]': size, 'page[number]': number }
          const page: Answer = await ask('GET', list, { query })
          lengths.push(listOf(page).length)
          const next = at(page.body, 'links', 'next')
          number = typeof next === 'string' ? new URL(next).searchParams.get('page[number]') : null
        }
        return lengths
      }
      expect([await pages('100'), await pages('1000'), await pages('60')]).toEqual([
        [100, 1],
        [100, 1],
        [60, 41],
      ])
    }
  })

  test('update changes the attributes that it contains, and always the version (4.7)', async () => {
    const added = await add({ key: 'A', value: 'x', category: 'terraform', description: 'd', hcl: true })
    const id = idOf(added)
    const answer = await patch(id, { key: 'B', hcl: false })
    expect(answer.status).toBe(200)
    expect(at(answer.body, 'data', 'attributes')).toEqual({
      key: 'B',
      value: 'x',
      description: 'd',
      sensitive: false,
      category: 'terraform',
      hcl: false,
      'version-id': expect.any(String),
    })
    const same = await patch(id, {})
    const versions = [added, answer, same].map(one => at(one.body, 'data', 'attributes', 'version-id'))
    expect(new Set(versions).size).toBe(3)
    expect(at((await ask('GET', path(id))).body, 'data', 'attributes', 'version-id')).toBe(versions[2])
    expect(at((await patch(id, { value: '', category: 'env' })).body, 'data', 'attributes', 'value')).toBe('')
  })

  test('update does not change the creation time', async () => {
    let seconds = 0
    const own = await open({ now: () => new Date(1_000 * seconds++) })
    const other = await createSet(own, { name: 'timed' })
    const at0 = `varsets/${other}/relationships/vars`
    const id = idOf(await own.ask('POST', at0, { body: variableBody({ key: 'A', category: 'env' }) }))
    const created = async () => at((await own.ask('GET', at0)).body, 'data', 0, 'attributes', 'created-at')
    const before = await created()
    await own.ask('PATCH', `${at0}/${id}`, { body: variableBody({ value: 'new' }) })
    expect([typeof before, await created()]).toEqual(['string', before])
    await own.close()
  })

  test('update to an existing key returns 422, and update of a variable that does not exist 404 (4.7)', async () => {
    await add({ key: 'A', category: 'env' })
    const id = idOf(await add({ key: 'B', category: 'env' }))
    expect((await patch(id, { key: 'A' })).status).toBe(422)
    expect((await patch(id, { key: 'B' })).status).toBe(200)
    expect((await patch('var-none', { key: 'C' })).status).toBe(404)
  })

  test('a sensitive value is null in every response, and kept by an update without a value', async () => {
    const id = idOf(await add({ key: 'A', value: 'secret', category: 'env', sensitive: true }))
    const answers = [
      await ask('GET', path(id)),
      await ask('GET', path()),
      await ask('GET', `varsets/${set}`, { query: { include: 'vars' } }),
      await patch(id, { description: 'changed' }),
      await ask('PATCH', `varsets/${set}`, { body: setBody({}) }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('"value":null')
      expect(answer.text).not.toContain('secret')
    }
    const kept = subject.sandbox.snapshot({ sensitive: true }).sets?.[0]?.variables?.[0]
    expect(kept).toMatchObject({ value: 'secret', description: 'changed' })
  })

  test('a variable can become sensitive but not readable again, and then its key and hcl cannot change', async () => {
    const id = idOf(await add({ key: 'A', value: 'x', category: 'terraform' }))
    const hidden = await patch(id, { sensitive: true })
    expect([hidden.status, at(hidden.body, 'data', 'attributes', 'value')]).toEqual([200, null])
    expect((await patch(id, { key: 'A', hcl: false, sensitive: true, value: 'y' })).status).toBe(200)
    expect((await patch(id, { category: 'env' })).status).toBe(200)
    const details = async (attributes: Record<string, unknown>) => {
      const answer = await patch(id, attributes)
      return [answer.status, at(answer.body, 'errors', 0, 'detail')]
    }
    expect(await details({ sensitive: false })).toEqual([
      422,
      expect.stringContaining('Sensitive cannot be changed from true to false'),
    ])
    expect(await details({ key: 'B' })).toEqual([422, 'Key cannot be updated for a sensitive variable'])
    expect(await details({ hcl: true })).toEqual([422, 'Hcl cannot be updated for a sensitive variable'])
  })

  test('delete returns no content (4.8)', async () => {
    const id = idOf(await add({ key: 'A', category: 'env' }))
    const answer = await ask('DELETE', path(id))
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await ask('DELETE', path(id))).status).toBe(404)
    expect((await ask('GET', path())).body.data).toEqual([])
  })

  test('a variable under another set is not found', async () => {
    const id = idOf(await add({ key: 'A', category: 'env' }))
    const other = await createSet(subject, { name: 'other' })
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(method, `varsets/${other}/relationships/vars/${id}`)).status).toBe(404)
    }
    expect((await ask('GET', 'varsets/varset-none/relationships/vars')).status).toBe(404)
  })

  test('a write to a variable or an assignment changes `updated-at` of the set', async () => {
    let now = Date.UTC(2026, 0, 1)
    const timed = await open({ now: () => new Date(now) })
    const id = await createSet(timed, { name: 'aws' })
    const updatedAt = async () =>
      at((await timed.ask('GET', `varsets/${id}`)).body, 'data', 'attributes', 'updated-at')
    expect(await updatedAt()).toBe('2026-01-01T00:00:00.000Z')
    now += 1000
    const added = await addVariable(timed, id, { key: 'A', category: 'env' })
    expect(await updatedAt()).toBe('2026-01-01T00:00:01.000Z')
    now += 1000
    await timed.ask('DELETE', `varsets/${id}/relationships/vars/${added}`)
    expect(await updatedAt()).toBe('2026-01-01T00:00:02.000Z')
    now += 1000
    const body = { data: [ref('workspaces', workspaceId(timed, 'network-prod'))] }
    await timed.ask('POST', `varsets/${id}/relationships/workspaces`, { body })
    expect(await updatedAt()).toBe('2026-01-01T00:00:03.000Z')
    await timed.close()
  })
}
