import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AmbiguousResponseError, MalformedResponseError, mayHaveHappened } from '../../src/api/errors.ts'
import { createReader, type Reader } from '../../src/api/reader.ts'
import { createWriter, type Writer } from '../../src/api/writer.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { Secret } from '../../src/model/secret.ts'
import type { ApiResponse } from '../../src/wire/transport.ts'

const SET = {
  id: 'varset-1',
  type: 'varsets',
  attributes: {
    name: 'a',
    description: 'canary',
    global: false,
    priority: false,
    'var-count': 1,
    'workspace-count': 0,
  },
  relationships: {
    organization: { data: { id: 'acme', type: 'organizations' } },
    vars: {
      data: [{ id: 'var-1', type: 'vars', attributes: { key: 'K', value: 'canary', category: 'env' } }],
    },
    workspaces: { data: [] },
    projects: { data: [] },
  },
}
const VARIABLE = {
  id: 'var-1',
  type: 'vars',
  attributes: { key: 'K', value: 'canary', category: 'env', sensitive: true },
  relationships: { varset: { data: { id: 'varset-1', type: 'varsets' } } },
}
const PAGINATION = {
  'current-page': 1,
  'page-size': 20,
  'total-pages': 1,
  'total-count': 1,
  'prev-page': null,
}
const page = (...data: unknown[]) => ({ data, meta: { pagination: PAGINATION } })
const settings = { name: 'a', description: '', global: false, priority: false }
const variable = {
  key: 'env/K',
  value: { secret: new Secret('canary') },
  ...NO_FIELDS,
} as const

interface Endpoint {
  readonly name: string
  readonly good: unknown
  readonly call: (reader: Reader, writer: Writer) => Promise<unknown>
}

const READS: readonly Endpoint[] = [
  { name: 'listSetsPage', good: page(SET), call: r => r.listSetsPage('acme', { number: 1, size: 100 }) },
  { name: 'showSet', good: { data: SET }, call: r => r.showSet('varset-1') },
  { name: 'listVariables', good: { data: [VARIABLE] }, call: r => r.listVariables('varset-1') },
  {
    name: 'listTargetsPage of workspaces',
    good: page({ id: 'ws-1', type: 'workspaces', attributes: { name: 'canary' } }),
    call: r => r.listTargetsPage('workspaces', 'acme', { number: 1, size: 100 }),
  },
  {
    name: 'listTargetsPage of projects',
    good: page({ id: 'prj-1', type: 'projects', attributes: { name: 'canary' } }),
    call: r => r.listTargetsPage('projects', 'acme', { number: 1, size: 100 }),
  },
  {
    name: 'listSetsOfPage of a workspace',
    good: page(SET),
    call: r => r.listSetsOfPage('workspaces', 'acme', 'ws-1', { number: 1, size: 100 }),
  },
  {
    name: 'listSetsOfPage of a project',
    good: page(SET),
    call: r => r.listSetsOfPage('projects', 'acme', 'prj-1', { number: 1, size: 100 }),
  },
  { name: 'listOwnVariables', good: { data: [VARIABLE] }, call: r => r.listOwnVariables('ws-1') },
]

const WRITES: readonly Endpoint[] = [
  {
    name: 'createSet',
    good: { data: SET },
    call: (_, w) => w.createSet('acme', { ...settings, variables: [variable], workspaces: [], projects: [] }),
  },
  { name: 'updateSet', good: { data: SET }, call: (_, w) => w.updateSet('varset-1', settings) },
  {
    name: 'createVariable',
    good: { data: VARIABLE },
    call: (_, w) => w.createVariable('varset-1', variable),
  },
  {
    name: 'updateVariable',
    good: { data: VARIABLE },
    call: (_, w) => w.updateVariable('varset-1', 'var-1', variable),
  },
]

type Change = (document: unknown) => unknown
/** The document with one member changed, or removed by `undefined`. In a list, the path follows the first entry. */
const set =
  (path: string, value: unknown): Change =>
  document => {
    const copy = structuredClone(document)
    let at = copy as Record<string, unknown>
    const names = path.split('/')
    for (const name of names.slice(0, -1)) {
      const next = at[name]
      at = (Array.isArray(next) ? next[0] : next) as Record<string, unknown>
    }
    const last = names.at(-1) ?? ''
    const old = at[last]
    if (value !== undefined && Array.isArray(old) && !Array.isArray(value)) old[0] = value
    else if (value === undefined) delete at[last]
    else at[last] = value
    return copy
  }

const json = (body: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' },
  body: JSON.stringify(body),
})

const EVERYWHERE: readonly [string, (good: unknown) => ApiResponse][] = [
  [
    'an HTML page',
    () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>canary</h1>' }),
  ],
  ['an empty body', () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '' })],
  ['no content type', good => ({ ...json(good), headers: {} })],
  ['another content type', good => ({ ...json(good), headers: { 'content-type': 'text/plain' } })],
  [
    'a content type that only looks like JSON',
    good => ({ ...json(good), headers: { 'content-type': 'application/jsonp' } }),
  ],
  ['a truncated document', good => ({ ...json(good), body: JSON.stringify(good).slice(0, -20) })],
  [
    'a document without its last character',
    good => ({ ...json(good), body: JSON.stringify(good).slice(0, -1) }),
  ],
  ['two documents', good => ({ ...json(good), body: `${JSON.stringify(good)}{"canary":1}` })],
  ['JSON nested 65 levels deep', good => ({ ...json(good), body: `${'['.repeat(65)}${']'.repeat(65)}` })],
  ['a list', good => json([good])],
  ['null', () => json(null)],
  ['a string', () => json('canary')],
  ['an empty document', () => json({})],
  ['no data', good => json(set('data', undefined)(good))],
  ['null as data', good => json({ ...(good as object), data: null })],
  ['a string as data', good => json({ ...(good as object), data: 'canary' })],
  ['errors with a status of success', () => json({ errors: [{ title: 'canary' }] })],
  ['another resource type', good => json(set('data/type', 'canary')(good))],
  ['no type', good => json(set('data/type', undefined)(good))],
  ['no id', good => json(set('data/id', undefined)(good))],
  ['a number as id', good => json(set('data/id', 7)(good))],
  ['an id that contains a path', good => json(set('data/id', '../../elsewhere')(good))],
  ['an id of another resource type', good => json(set('data/id', 'org-1')(good))],
  ['an id that is too long', good => json(set('data/id', `varset-${'a'.repeat(256)}`)(good))],
  ['a list as attributes', good => json(set('data/attributes', ['canary'])(good))],
  ['no attributes', good => json(set('data/attributes', undefined)(good))],
  ['a string as relationships', good => json(set('data/relationships', 'canary')(good))],
  ['status 202', good => ({ ...json(good), status: 202 })],
  ['status 204', good => ({ ...json(good), status: 204, body: '' })],
  ['status 206', good => ({ ...json(good), status: 206 })],
  ['status 299', good => ({ ...json(good), status: 299 })],
]

const OF_SETS: readonly [string, unknown][] = [
  ['data/attributes/name', 7],
  ['data/attributes/name', undefined],
  ['data/attributes/description', ['canary']],
  ['data/attributes/global', 'canary'],
  ['data/attributes/global', undefined],
  ['data/attributes/priority', 1],
  ['data/attributes/var-count', '1'],
  ['data/attributes/var-count', -1],
  ['data/attributes/workspace-count', 0.5],
  ['data/relationships/vars', 'canary'],
  ['data/relationships/vars/data', 'canary'],
  ['data/relationships/vars/data/type', 'canary'],
  ['data/relationships/vars/data/id', '/elsewhere'],
  ['data/relationships/vars/data/attributes/key', 7],
  ['data/relationships/vars/data/attributes/category', undefined],
  ['data/relationships/vars/data/attributes/value', { canary: 1 }],
  ['data/relationships/vars/data/attributes/sensitive', 'canary'],
  ['data/relationships/vars/data/attributes/hcl', 'canary'],
  ['data/relationships/workspaces/data', [{ id: 'prj-1', type: 'workspaces' }]],
  ['data/relationships/workspaces/data', [{ id: 'ws-1', type: 'projects' }]],
  ['data/relationships/projects', { data: { id: 'prj-1', type: 'projects' } }],
  ['data/relationships/parent', { data: { id: '../elsewhere', type: 'projects' } }],
]

const OF_VARIABLES: readonly [string, unknown][] = [
  ['data/attributes/key', undefined],
  ['data/attributes/key', 7],
  ['data/attributes/category', null],
  ['data/attributes/sensitive', 1],
  ['data/attributes/hcl', 'canary'],
  ['data/attributes/description', 7],
]

const OF_LISTS: readonly [string, unknown][] = [
  ['meta', 'canary'],
  ['meta/pagination', 'canary'],
  ['meta/pagination', {}],
  ['meta/pagination', { 'current-page': 1, 'page-size': 20 }],
  ['meta/pagination/current-page', undefined],
  ['meta/pagination/current-page', 2],
  ['meta/pagination/page-size', 0],
  ['meta/pagination/page-size', '20'],
  ['meta/pagination/total-count', -1],
  ['meta/pagination/total-count', undefined],
  ['meta/pagination/total-pages', 1.5],
  ['meta/pagination/total-pages', undefined],
]

async function failureOf(endpoint: Endpoint, answer: ApiResponse) {
  let requests = 0
  const transport = async (): Promise<ApiResponse> => {
    requests++
    return answer
  }
  const error = await endpoint.call(createReader(transport), createWriter(transport)).then(
    value => value,
    (reason: unknown) => reason,
  )
  return { error, requests }
}

const isSet = ({ name }: Endpoint) => name.includes('Set')
const isVariable = ({ name }: Endpoint) => name.includes('Variable')
const isList = ({ name }: Endpoint) => name.endsWith('Page')
const changed = (table: readonly [string, unknown][]) => (): [string, (good: unknown) => ApiResponse][] =>
  table.map(([path, value]) => [`${path} = ${JSON.stringify(value)}`, good => json(set(path, value)(good))])

const casesFor = (endpoint: Endpoint) => [
  ...EVERYWHERE,
  ...(isSet(endpoint) ? changed(OF_SETS)() : []),
  ...(isVariable(endpoint) ? changed(OF_VARIABLES)() : []),
  ...(isList(endpoint) ? changed(OF_LISTS)() : []),
]

describe.each(READS)('$name', endpoint => {
  test('accepts a valid response', async () => {
    const { error, requests } = await failureOf(endpoint, json(endpoint.good))
    expect(error).not.toBeInstanceOf(Error)
    expect(requests).toBe(1)
  })

  test.each(casesFor(endpoint))(
    'rejects %s, retries, and quotes nothing of the response but an id',
    { tags: ['F-03'] },
    async (_, answer) => {
      const { error, requests } = await failureOf(endpoint, answer(endpoint.good))
      expect(error).toBeInstanceOf(MalformedResponseError)
      expect(requests).toBe(3)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
    },
  )
})

describe.each(WRITES)('$name', endpoint => {
  test('accepts a valid response', async () => {
    const { error } = await failureOf(endpoint, json(endpoint.good))
    expect(error).not.toBeInstanceOf(Error)
  })

  test.each(casesFor(endpoint))(
    'reports an unknown outcome for %s, does not retry, and quotes nothing of the response',
    { tags: ['F-12', 'F-13'] },
    async (_, answer) => {
      const { error, requests } = await failureOf(endpoint, answer(endpoint.good))
      expect(error).toBeInstanceOf(AmbiguousResponseError)
      expect(mayHaveHappened(error)).toBe(true)
      expect(requests).toBe(1)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary|elsewhere/)
    },
  )
})

test.each([
  ['../../elsewhere', '"../../elsewhere"'],
  ['varset.1', '"varset.1"'],
  ['varset-a b', '"varset-a b"'],
  ['varset-', '"varset-"'],
  [`varset-${'a'.repeat(300)}`, `"varset-${'a'.repeat(73)}"`],
])('an id of another form is refused with its text: %s', async (id, shown) => {
  const [list] = READS
  if (list === undefined) throw new RangeError('no such endpoint')
  const { error } = await failureOf(list, json(set('data/id', id)(list.good)))
  expect(error).toMatchObject({
    message: `GET /api/v2/organizations/acme/varsets: unexpected response: data[0].id is ${shown} and not an id of this type: its prefix, "-", and letters, digits, "_" or "-"`,
  })
})

describe('a response about another object', () => {
  const [list, show, variables] = READS
  const [create, update, createVariable, updateVariable] = WRITES
  test.each([
    [list, 'data/relationships/organization/data/id', 'other'],
    [show, 'data/id', 'varset-2'],
    [variables, 'data/relationships/varset/data/id', 'varset-2'],
    [create, 'data/attributes/name', 'b'],
    [update, 'data/id', 'varset-2'],
    [update, 'data/attributes/name', 'b'],
    [createVariable, 'data/attributes/key', 'L'],
    [updateVariable, 'data/attributes/key', 'L'],
    [createVariable, 'data/attributes/category', 'terraform'],
    [createVariable, 'data/attributes/category', 'policy-set'],
    [updateVariable, 'data/id', 'var-2'],
  ])('is rejected (%#)', async (endpoint, path, value) => {
    if (endpoint === undefined) throw new RangeError('no such endpoint')
    const { error } = await failureOf(endpoint, json(set(path, value)(endpoint.good)))
    expect([MalformedResponseError, AmbiguousResponseError]).toContain((error as Error).constructor)
  })

  test.each([
    [create, 'data/attributes/name', (text: string) => text.toUpperCase()],
    [update, 'data/attributes/name', (text: string) => text.toUpperCase()],
    [createVariable, 'data/attributes/key', (text: string) => text.toLowerCase()],
    [updateVariable, 'data/attributes/key', (text: string) => text.toLowerCase()],
  ])('is not one if a name or a key is in another form (%#)', async (endpoint, path, value) => {
    if (endpoint === undefined) throw new RangeError('no such endpoint')
    const name = path.endsWith('name') ? 'a' : 'K'
    const { error, requests } = await failureOf(endpoint, json(set(path, value(name))(endpoint.good)))
    expect(error).not.toBeInstanceOf(Error)
    expect(requests).toBe(1)
  })

  test('is rejected: a list with the same variable twice', async () => {
    const { error } = await failureOf(READS[2] as Endpoint, json({ data: [VARIABLE, VARIABLE] }))
    expect(error).toBeInstanceOf(MalformedResponseError)
  })
})

describe('a list without page data', () => {
  test('is rejected if its links announce another page', async () => {
    const document = { data: [SET], links: { next: 'https://canary.invalid/?page[number]=2' } }
    const { error, requests } = await failureOf(READS[0] as Endpoint, json(document))
    expect(error).toBeInstanceOf(MalformedResponseError)
    expect(requests).toBe(3)
  })
})

describe('a read that is valid on the second attempt', () => {
  test('is accepted', async () => {
    const answers = [EVERYWHERE[0]?.[1](undefined), json({ data: SET })]
    const reader = createReader(async () => answers.shift() as ApiResponse)
    expect((await reader.showSet('varset-1')).set.name).toBe('a')
  })
})
