import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { pathOf, type WireValue } from '../../src/api/encode.ts'
import { ApiError, isStatus, mayHaveHappened } from '../../src/api/errors.ts'
import { observe } from '../../src/api/observe.ts'
import { createReader } from '../../src/api/reader.ts'
import { createWriter } from '../../src/api/writer.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import type { VariableKey } from '../../src/model/ids.ts'
import { Secret } from '../../src/model/secret.ts'
import type { SetContents, Variable } from '../../src/model/variable-set.ts'
import { type ApiRequest, type ApiResponse, TransportError } from '../../src/wire/transport.ts'
import { liveSandbox, printed } from './live.ts'

const aVariable = (key: VariableKey, value: WireValue, hcl = false): Variable<WireValue> => ({
  ...NO_FIELDS,
  key,
  value,
  description: `about ${key}`,
  hcl,
})

const WHOLE: SetContents<WireValue> = {
  name: 'a/b ü',
  description: 'd',
  global: false,
  priority: true,
  variables: [
    aVariable('env/A', { text: '1' }),
    aVariable('env/SECRET', { secret: new Secret('canary') }),
    aVariable('terraform/list', { text: '[1]' }, true),
  ],
  workspaces: ['ws-1111111111111111'],
  projects: ['prj-1111111111111111'],
}

const SEED = {
  organizations: [{ name: 'acme' }],
  projects: [{ id: 'prj-1111111111111111', name: 'p' }],
  workspaces: [
    { id: 'ws-1111111111111111', name: 'one' },
    { id: 'ws-2222222222222222', name: 'two' },
  ],
}

async function live() {
  const { transport, requests } = await liveSandbox(SEED)
  return { reader: createReader(transport), writer: createWriter(transport), transport, requests }
}

describe('the write endpoints', () => {
  test.each([{}, { created: [201, 201], deleted: [200, 200] }] as const)(
    'send one request each, which the service carries out, with %j',
    async traits => {
      const { transport, requests } = await liveSandbox(SEED, { traits })
      const reader = createReader(transport)
      const writer = createWriter(transport)
      const { set } = await writer.createSet('acme', WHOLE)
      const secret = set.variables.find(({ key }) => key === 'env/SECRET')
      expect(secret?.value).toEqual({ hidden: true })
      await writer.updateSet(set.id, { name: 'b', description: '', global: false, priority: false })
      await writer.createVariable(set.id, aVariable('env/B', { text: '2' }))
      const created = await writer.createVariable(set.id, aVariable('terraform/x', { text: '' }))
      const updated = await writer.updateVariable(set.id, created.id, aVariable('terraform/x', { text: 'y' }))
      expect(updated.id).toBe(created.id)
      expect(updated.versionId).not.toBe(created.versionId)
      if (secret !== undefined) await writer.deleteVariable(set.id, secret.id)
      await writer.assign(set.id, { kind: 'workspaces', ids: ['ws-2222222222222222'] })
      await writer.unassign(set.id, { kind: 'workspaces', ids: ['ws-1111111111111111'] })
      await writer.unassign(set.id, { kind: 'projects', ids: ['prj-1111111111111111'] })
      const [observed] = (await observe(reader, 'acme')).sets
      expect(observed).toMatchObject({
        name: 'b',
        description: '',
        global: false,
        priority: false,
        variables: [
          { key: 'env/A', value: { text: '1' } },
          { key: 'env/B', value: { text: '2' } },
          { key: 'terraform/list', value: { text: '[1]' }, hcl: true },
          { key: 'terraform/x', value: { text: 'y' } },
        ],
        workspaces: ['ws-2222222222222222'],
        projects: [],
      })
      await writer.deleteSet(set.id)
      expect((await observe(reader, 'acme')).sets).toEqual([])
      const id = set.id
      expect(printed(requests).filter(line => !line.startsWith('GET'))).toEqual([
        'POST organizations/acme/varsets',
        `PATCH varsets/${id}`,
        `POST varsets/${id}/relationships/vars`,
        `POST varsets/${id}/relationships/vars`,
        `PATCH varsets/${id}/relationships/vars/${created.id}`,
        `DELETE varsets/${id}/relationships/vars/${secret?.id}`,
        `POST varsets/${id}/relationships/workspaces`,
        `DELETE varsets/${id}/relationships/workspaces`,
        `DELETE varsets/${id}/relationships/projects`,
        `DELETE varsets/${id}`,
      ])
    },
  )

  test.each([
    ['terraform', {}],
    ['opentofu', { tool: 'opentofu' }],
  ])('send the category by its name in the service: %s', async (tool, options) => {
    const bodies: string[] = []
    const writer = createWriter(request => {
      bodies.push(request.body ?? '')
      return Promise.reject(new TransportError('x', { sent: 'no', code: 'X' }))
    }, options)
    const one = aVariable('terraform/a', { text: '' })
    await Promise.allSettled([
      writer.createSet('acme', { ...WHOLE, variables: [one] }),
      writer.createVariable('varset-1', one),
      writer.updateVariable('varset-1', 'var-1', one),
    ])
    expect(bodies.map(body => /"category":"(.*?)"/.exec(body)?.[1])).toEqual([tool, tool, tool])
  })

  test('send no empty list: it is the default, and a service may lack the kind', async () => {
    const bodies: string[] = []
    const writer = createWriter(request => {
      bodies.push(request.body ?? '')
      return Promise.reject(new TransportError('x', { sent: 'no', code: 'X' }))
    })
    const empty = { ...WHOLE, variables: [], workspaces: [], projects: [] }
    await Promise.allSettled(
      [empty, { ...empty, projects: WHOLE.projects }].map(one => writer.createSet('acme', one)),
    )
    expect(bodies.map(body => JSON.parse(body).data.relationships)).toEqual([
      {},
      { projects: { data: [{ id: 'prj-1111111111111111', type: 'projects' }] } },
    ])
  })

  test.each([
    ['a secret', { secret: new Secret('canary') }, 2],
    ['a sensitive value that is kept', { keep: true, sensitive: true }, 2],
    ['a readable value', { text: '1' }, 1],
    ['a readable value that is kept', { keep: true, sensitive: false }, 1],
  ] as const)('try once more without the key that is refused only for %s', async (_, value, attempts) => {
    const keys: unknown[] = []
    const errors = [{ detail: 'Key cannot be updated for a sensitive variable' }]
    const writer = createWriter(async ({ body }) => {
      keys.push(JSON.parse(body ?? '').data.attributes.key)
      return { status: 422, headers: {}, body: JSON.stringify({ errors }) }
    })
    const updating = writer.updateVariable('varset-1', 'var-1', aVariable('env/A', value))
    await expect(updating).rejects.toThrow('422')
    expect(keys).toEqual(['A', undefined].slice(0, attempts))
  })

  test('mark the requests that may be retried', { tags: ['8.1'] }, async () => {
    const requests: ApiRequest[] = []
    const writer = createWriter(request => {
      requests.push(request)
      return Promise.reject(new TransportError('x', { sent: 'no', code: 'X' }))
    })
    const settings = { name: 'a', description: '', global: false, priority: false }
    const one = aVariable('env/A', { text: '' })
    const targets = { kind: 'workspaces', ids: ['ws-1'] } as const
    await Promise.allSettled([
      writer.createSet('acme', WHOLE),
      writer.updateSet('varset-1', settings),
      writer.deleteSet('varset-1'),
      writer.createVariable('varset-1', one),
      writer.updateVariable('varset-1', 'var-1', one),
      writer.deleteVariable('varset-1', 'var-1'),
      writer.assign('varset-1', targets),
      writer.unassign('varset-1', targets),
    ])
    expect(requests.map(({ repeatable }) => repeatable)).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(new Set(requests.map(({ headers }) => JSON.stringify(headers)))).toEqual(
      new Set([
        JSON.stringify({
          accept: 'application/vnd.api+json',
          'content-type': 'application/vnd.api+json',
          'cache-control': 'no-cache',
          'user-agent': 'setpoint',
        }),
      ]),
    )
  })

  test('omit the value of a variable that keeps its value', { tags: ['F-43', 'I-19'] }, async () => {
    const { writer, reader, requests } = await live()
    const { set } = await writer.createSet('acme', WHOLE)
    const [a, secret] = set.variables
    if (a === undefined || secret === undefined) throw new RangeError('no variables')
    await writer.updateVariable(set.id, a.id, aVariable('env/A', { keep: true, sensitive: false }))
    await writer.updateVariable(set.id, secret.id, aVariable('env/SECRET', { keep: true, sensitive: true }))
    expect(requests.slice(-2).map(({ body }) => JSON.parse(body ?? ''))).toEqual(
      [
        { key: 'A', description: 'about env/A', category: 'env', hcl: false, sensitive: false },
        { key: 'SECRET', description: 'about env/SECRET', category: 'env', hcl: false, sensitive: true },
      ].map(attributes => ({ data: { type: 'vars', attributes } })),
    )
    const shown = await reader.listVariables(set.id)
    expect(shown.variables.map(({ value }) => value)).toEqual([
      { text: '1' },
      { hidden: true },
      { text: '[1]' },
    ])
  })
})

describe('an error response', () => {
  const refusing = (status: number, body: unknown = '', headers: Record<string, string> = {}) => {
    const answer: ApiResponse = {
      status,
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }
    return { reader: createReader(async () => answer), writer: createWriter(async () => answer) }
  }
  const errorOf = async (calling: Promise<unknown>): Promise<ApiError> => {
    const error = await calling.catch((reason: unknown) => reason)
    if (!(error instanceof ApiError)) throw new TypeError(`no ApiError: ${inspect(error)}`)
    return error
  }

  test('contains the reasons that the service gives', async () => {
    const { writer } = await live()
    await writer.createSet('acme', WHOLE)
    const error = await errorOf(writer.createSet('acme', WHOLE))
    expect(error.message).toBe(
      'POST /api/v2/organizations/acme/varsets: the service responded with 422; invalid attribute: Name has already been taken (/data/attributes/name)',
    )
    expect(error).toMatchObject({
      status: 422,
      method: 'POST',
      path: '/api/v2/organizations/acme/varsets',
      mayHaveHappened: false,
      details: [
        {
          title: 'invalid attribute',
          detail: 'Name has already been taken',
          pointer: '/data/attributes/name',
        },
      ],
    })
    expect(isStatus(error, 404, 422)).toBe(true)
    expect(isStatus(error, 404)).toBe(false)
  })

  test.each([
    ['an error without strings', { errors: [{ title: 7, detail: null, source: 'x' }] }],
    ['errors that are not objects', { errors: ['x', null] }],
    ['another document', { message: 'canary' }],
    ['an HTML page', '<h1>canary</h1>'],
    ['empty', ''],
  ])('names only the status if the body is %s', async (_, body) => {
    const error = await errorOf(refusing(422, body).reader.showSet('varset-1'))
    expect(error.message).toBe('GET /api/v2/varsets/varset-1: the service responded with 422')
  })

  test('limits the number and the length of details', async () => {
    const errors = Array.from({ length: 500 }, () => ({ detail: 'x'.repeat(3_000) }))
    const error = await errorOf(refusing(422, { errors }).reader.showSet('varset-1'))
    expect(error.details).toHaveLength(20)
    expect(error.message.length).toBeLessThan(21_000)
  })

  test.each([
    [401, 'the token is not valid (401)'],
    [403, 'the token lacks the permission (403)'],
    [404, 'not found, or the token lacks the permission to see or change it (404)'],
    [429, 'too many requests (429)'],
    [418, 'the service responded with 418'],
  ])('explains status %i', async (status, sentence) => {
    const error = await errorOf(refusing(status).writer.deleteSet('varset-1'))
    expect(error.message).toBe(`DELETE /api/v2/varsets/varset-1: ${sentence}`)
  })

  test.each([
    [401, { title: 'unauthorized' }, 'the token is not valid (401)'],
    [403, { title: 'Forbidden' }, 'the token lacks the permission (403)'],
    [
      404,
      { title: 'Not found', detail: 'gone' },
      'not found, or the token lacks the permission to see or change it (404); gone',
    ],
    [429, { title: 'Too many requests', detail: 'Wait.' }, 'too many requests (429); Wait.'],
    [422, { title: 'not found' }, 'the service responded with 422; not found'],
  ])('with %i omits a title that only repeats the status: %j', async (status, detail, expected) => {
    const error = await errorOf(refusing(status, { errors: [detail] }).writer.deleteSet('varset-1'))
    expect(error.message).toBe(`DELETE /api/v2/varsets/varset-1: ${expected}`)
  })

  test('with 404 for an organization names it and both possible causes', async () => {
    const error = await errorOf(refusing(404).reader.listSetsPage('acme & co', { number: 1, size: 1 }))
    expect(error.message).toContain('the organization "acme & co" was not found (404)')
    expect((await errorOf(refusing(404).writer.createSet('acme', WHOLE))).message).toContain(
      'the organization "acme" or what the request names in it was not found, or the token lacks the permission (404)',
    )
  })

  test.each([
    ['https://user:canary@elsewhere.example:8443/canary?canary=1', 'elsewhere.example:8443'],
    ['//elsewhere.example/canary', 'elsewhere.example'],
    ['/canary', 'another path of the same host'],
    ['http://[canary', 'an unknown address'],
    [undefined, 'an unknown address'],
  ])('that redirects to %s names only the host', { tags: ['F-08'] }, async (location, place) => {
    const { writer } = refusing(307, '', location === undefined ? {} : { location })
    const error = await errorOf(writer.deleteSet('varset-1'))
    expect(error.message).toBe(
      `DELETE /api/v2/varsets/varset-1: redirected to ${place} (307); redirects are not followed, so use the address of the service itself`,
    )
    expect(inspect(error)).not.toContain('canary')
  })

  test.each([
    [302, true],
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [422, false],
    [429, false],
    [500, true],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
    [505, false],
  ])('with %i means that a write may have happened: %s', { tags: ['F-11'] }, async (status, open) => {
    expect(mayHaveHappened(await errorOf(refusing(status).writer.deleteSet('varset-1')))).toBe(open)
    expect(mayHaveHappened(await errorOf(refusing(status).reader.showSet('varset-1')))).toBe(false)
  })

  test('to a retried write means that the earlier attempt may have happened', async () => {
    const writer = createWriter(async () => ({ status: 404, headers: {}, body: '', earlierAttempt: 'maybe' }))
    expect(mayHaveHappened(await errorOf(writer.deleteSet('varset-1')))).toBe(true)
  })

  const SECRET = 'canary-secret-value'
  test.each([
    ['whole', `Value ${SECRET} is too long`],
    ['truncated', `Value "canary-s..." is too long`],
    ['in an unknown encoding', 'Value Y-a-n-a-c is too long'],
  ])('is hidden if it quotes a secret (%s)', { tags: ['F-17'] }, async (_, detail) => {
    const errors = [{ title: 'invalid attribute', detail, source: { pointer: '/data/attributes/value' } }]
    const { writer } = refusing(422, { errors })
    const variable = aVariable('env/A', { secret: new Secret(SECRET) })
    for (const calling of [
      writer.createVariable('varset-1', variable),
      writer.updateVariable('varset-1', 'var-1', variable),
      writer.createSet('acme', { ...WHOLE, variables: [variable] }),
    ]) {
      const error = await errorOf(calling)
      expect(error.details).toEqual([
        {
          title: 'invalid attribute',
          detail: '(the reason is hidden, because the request contained a secret)',
          pointer: '/data/attributes/value',
        },
      ])
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
    }
  })

  test('shows a known reason even if the request contained a secret', async () => {
    const errors = [{ title: 'invalid attribute', detail: 'Key has already been taken' }]
    const variable = aVariable('env/A', { secret: new Secret(SECRET) })
    const { details } = await errorOf(refusing(422, { errors }).writer.createVariable('varset-1', variable))
    expect(details).toEqual(errors)
  })
})

test('a response that is malformed is read again, unless the run has ended', async () => {
  const user = new AbortController()
  let sent = 0
  const reader = createReader(
    async () => {
      sent++
      return { status: 200, headers: {}, body: '' }
    },
    {},
    user.signal,
  )
  await expect(reader.showSet('varset-1')).rejects.toThrow('the content type is not JSON')
  expect(sent).toBe(3)
  user.abort()
  await expect(reader.showSet('varset-1')).rejects.toThrow('the content type is not JSON')
  expect(sent).toBe(4)
})

describe('a path', () => {
  test('encodes every segment', () => {
    expect(pathOf('organizations', 'a/b ?#%..ü', 'varsets')).toBe(
      '/api/v2/organizations/a%2Fb%20%3F%23%25..%C3%BC/varsets',
    )
  })

  test.each(['', '.', '..'])('rejects the segment "%s"', segment => {
    expect(() => pathOf('organizations', segment)).toThrow(RangeError)
  })
})
