import { describe, expect, test } from 'vitest'
import { observe, ownVariables } from '../../src/api/observe.ts'
import { readVariables } from '../../src/api/pages.ts'
import { createReader } from '../../src/api/reader.ts'
import { createSandbox, type Profile } from '../../src/sandbox/index.ts'
import type { ApiRequest, ReadTransport } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'

const FORMS = ['pages', 'pages-meta', 'pages-bare', 'whole-bare', 'refuse'] as const
const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    key: `K${String(i).padStart(3, '0')}`,
    value: '',
    category: 'env',
  }))
const keys = (count: number) => variables(count).map(({ key }) => `env/${key}`)
const W = 'ws-AAAAAAAAAAAAAAAA'

/** Both lists as the client reads them, with the number of requests. `size`: the largest page of the service. */
async function bothLists(count: number, profile: Partial<Profile>) {
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      workspaces: [{ name: 'w', id: W, variables: variables(count) }],
      sets: [{ name: 's', variables: variables(count) }],
    },
    profile: { includeVars: 'ignored', ...profile },
  })
  const asked: string[] = []
  const transport: ReadTransport = request => {
    if (request.path.endsWith('/vars')) asked.push(JSON.stringify(request.query ?? {}))
    return sandbox.transport({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${sandbox.token}` },
    })
  }
  const reader = createReader(transport)
  const ofSet = (await observe(reader, 'acme')).sets[0]?.variables.map(({ key }) => key)
  const setRequests = asked.length
  const ofWorkspace = await ownVariables(reader, W)
  return {
    ofSet,
    ofWorkspace: ofWorkspace === undefined ? undefined : [...ofWorkspace.keys()].toSorted(),
    requests: [setRequests, asked.length - setRequests],
  }
}

describe('both lists of variables are read to their end', () => {
  const sizes = ['clamp-20', 'refuse-20', 'clamp-100'] as const
  test.each(FORMS.flatMap(form => sizes.map(size => ({ form, size }))))(
    'if the service has listVariables=$form and pageSize=$size',
    async ({ form, size }) => {
      for (const count of [0, 19, 20, 21, 45, 100, 101, 120, 130]) {
        const { ofSet, ofWorkspace } = await bothLists(count, { listVariables: form, pageSize: size })
        expect({ count, ofSet, ofWorkspace }).toEqual({ count, ofSet: keys(count), ofWorkspace: keys(count) })
      }
    },
  )

  test('with links to another host', async () => {
    expect((await bothLists(45, { links: 'foreign', pageSize: 'clamp-20' })).ofWorkspace).toEqual(keys(45))
  })

  test('in one request up to 100 variables, and in one per page beyond', async () => {
    const requests = async (count: number, form: Profile['listVariables'], pageSize?: Profile['pageSize']) =>
      (await bothLists(count, { listVariables: form, ...(pageSize === undefined ? {} : { pageSize }) }))
        .requests
    expect(await requests(100, 'pages')).toEqual([1, 1])
    expect(await requests(101, 'pages')).toEqual([2, 2])
    expect(await requests(101, 'pages-meta')).toEqual([2, 2])
    expect(await requests(101, 'refuse')).toEqual([2, 2])
    expect(await requests(45, 'pages', 'clamp-20')).toEqual([3, 3])
    expect(await requests(19, 'pages-bare')).toEqual([1, 1])
    // The service does not count the variables of a workspace.
    expect(await requests(20, 'pages-bare')).toEqual([1, 2])
    expect(await requests(101, 'whole-bare')).toEqual([1, 2])
  })
})

describe('a list that contradicts itself', () => {
  const page = (from: number, count: number, rest: object = {}) => ({
    data: variables(from + count)
      .slice(from)
      .map(({ key, ...attributes }) => ({
        id: `var-${key}`,
        type: 'vars',
        attributes: { key, ...attributes },
      })),
    ...rest,
  })
  /** The result of one pass over these responses, one for each page; the last one is for all further pages. */
  async function reading(answers: readonly object[], count?: number): Promise<number | string> {
    const transport = async ({ query = {} }: ApiRequest) => ({
      status: 200,
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify(answers[Math.min(answers.length, Number(query['page[number]'] ?? 1)) - 1]),
    })
    const reader = createReader(transport)
    try {
      return (await readVariables(query => reader.listOwnVariables(W, query), count)).variables.length
    } catch (error) {
      return error instanceof Error ? error.message : 'thrown'
    }
  }
  const next = { links: { next: '/x?page%5Bnumber%5D=2' } }
  const total = (n: number, more: object = {}) => ({ meta: { pagination: { 'total-count': n, ...more } } })

  test('is rejected by its own total, which takes precedence over the count of the set', async () => {
    expect(await reading([page(0, 3, total(3))], 7)).toBe(3)
    expect(await reading([page(0, 3, total(4))])).toBe('the service lists 3 variables and counts 4')
    expect(await reading([page(0, 3, total(4)), page(3, 1, total(4))])).toBe(4)
  })

  test('is rejected by the count of the set if it has no total', async () => {
    expect(await reading([page(0, 3)], 3)).toBe(3)
    expect(await reading([page(0, 3), page(3, 1)], 4)).toBe(4)
    expect(await reading([page(0, 3)], 4)).toBe('the service lists 3 variables and counts 4')
    expect(await reading([page(0, 3)], 2)).toBe('the service lists 3 variables and counts 2')
  })

  test('is rejected if pages share a variable or never end', async () => {
    expect(await reading([page(0, 20, next), page(19, 2)])).toBe('a variable is on two pages')
    expect(await reading([page(0, 20, next)])).toBe('a variable is on two pages')
    expect(await reading([page(0, 20, total(40, { 'next-page': 2 }))])).toBe('a variable is on two pages')
  })

  test('is accepted if page 2 repeats the whole list', async () => {
    expect(await reading([page(0, 30)])).toBe(30)
  })
})

test('explain names the winning variable even if it is the 21st of the workspace', async () => {
  const place = await aPlace(
    { 'sets/a.yaml': 'variableSets: { a: { global: true, env: { Z: shared } } }\n' },
    { profile: { pageSize: 'clamp-20' } },
  )
  place.sandbox.restore({
    organizations: [{ name: 'acme' }],
    workspaces: [
      { name: 'w', variables: [...variables(20), { key: 'Z', value: 'its own', category: 'env' }] },
    ],
  })
  await place.setpoint(['apply', '--auto-approve'])
  const { stdout } = await place.setpoint(['explain', 'w', '--format', 'json'])
  expect(stdout).toContain('its own')
})
