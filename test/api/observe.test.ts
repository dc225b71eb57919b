import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError, IncompleteListingError } from '../../src/api/errors.ts'
import { findSets, observe, observeSets, ownVariables, proveStable } from '../../src/api/observe.ts'
import { readVariables } from '../../src/api/pages.ts'
import { createReader } from '../../src/api/reader.ts'
import {
  createSandbox,
  type Profile,
  type SandboxOptions,
  type SandboxSeed,
  type SetSeed,
  type Traits,
} from '../../src/sandbox/index.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type ReadTransport,
  TransportError,
} from '../../src/wire/transport.ts'
import { observedState } from '../support/arbitrary.ts'
import { aPlace } from '../support/place.ts'
import { aWorld, seedFrom } from '../support/world.ts'
import { liveSandbox, printed, settled } from './live.ts'

const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  projects: [{ id: 'prj-1111111111111111', name: 'platform' }],
  workspaces: [
    { id: 'ws-2222222222222222', name: 'two' },
    { id: 'ws-1111111111111111', name: 'one' },
    { id: 'ws-3333333333333333', name: 'three' },
  ],
  sets: [
    {
      id: 'varset-2222222222222222',
      name: 'network',
      description: 'shared',
      priority: true,
      workspaces: ['two', 'one', 'three'],
      projects: ['platform'],
      updatedAt: '2026-01-01T00:00:00.000Z',
      variables: [
        {
          id: 'var-4444444444444444',
          key: 'replicas',
          value: '3',
          category: 'terraform',
          hcl: true,
          versionId: 'c',
        },
        {
          id: 'var-2222222222222222',
          key: 'SECRET',
          value: 'canary',
          category: 'env',
          sensitive: true,
          versionId: 'b',
        },
        {
          id: 'var-1111111111111111',
          key: 'REGION',
          value: 'eu',
          category: 'env',
          description: 'd',
          versionId: 'a',
        },
        { id: 'var-3333333333333333', key: 'odd', value: 'x', category: 'policy-set', versionId: 'd' },
      ],
    },
    {
      id: 'varset-1111111111111111',
      name: 'everywhere',
      global: true,
      updatedAt: '2026-01-01T00:00:00.000Z',
    },
  ],
}

const OBSERVED = [
  {
    id: 'varset-1111111111111111',
    name: 'everywhere',
    description: '',
    global: true,
    priority: false,
    variables: [],
    foreignVariables: [],
    workspaces: [],
    projects: [],
    stacks: [],
    updatedAt: '2026-01-01T00:00:00.000Z',
  },
  {
    id: 'varset-2222222222222222',
    name: 'network',
    description: 'shared',
    global: false,
    priority: true,
    variables: [
      {
        id: 'var-1111111111111111',
        key: 'env/REGION',
        value: { text: 'eu' },
        description: 'd',
        hcl: false,
        versionId: 'a',
      },
      {
        id: 'var-2222222222222222',
        key: 'env/SECRET',
        value: { hidden: true },
        description: '',
        hcl: false,
        versionId: 'b',
      },
      {
        id: 'var-4444444444444444',
        key: 'terraform/replicas',
        value: { text: '3' },
        description: '',
        hcl: true,
        versionId: 'c',
      },
    ],
    foreignVariables: [{ id: 'var-3333333333333333', key: 'odd', category: 'policy-set' }],
    workspaces: ['ws-1111111111111111', 'ws-2222222222222222', 'ws-3333333333333333'],
    projects: ['prj-1111111111111111'],
    stacks: [],
    updatedAt: '2026-01-01T00:00:00.000Z',
  },
]

const sets = (count: number): SetSeed[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `set-${index}`,
    variables: [{ key: 'K', value: `${index}`, category: 'env' }],
  }))

type Server = Pick<SandboxOptions, 'profile' | 'traits'>

async function observedUnder(server: Server, seed = SEED) {
  const { transport, requests } = await liveSandbox(seed, server)
  const observed = await observe(createReader(transport), 'acme')
  return { observed, requests: printed(requests) }
}

describe('observing an organization', () => {
  test('takes one request for one page, including variables and assignments', async () => {
    const { observed, requests } = await observedUnder({})
    expect(observed).toEqual({ organization: 'acme', sets: OBSERVED, inventories: [], pages: 1 })
    expect(requests).toEqual(['GET organizations/acme/varsets?page[size]=100&include=vars'])
  })

  test('without sets takes one request as well', async () => {
    const { observed, requests } = await observedUnder({}, { organizations: [{ name: 'acme' }] })
    expect(observed).toEqual({ organization: 'acme', sets: [], inventories: [], pages: 1 })
    expect(requests).toHaveLength(1)
  })

  test.each<readonly [Server, number]>([
    [{ profile: { server: 'hcp' } }, 1],
    [{ profile: { server: 'loose' } }, 1],
    [{ profile: { server: 'terse' } }, 3],
    [{ profile: { largestPage: 20 } }, 1],
    [{ traits: { references: 'two' } }, 2],
    [{ traits: { sensitiveValue: 'empty' } }, 1],
  ])('gives the same state on %j', { tags: ['F-37'] }, async (server, requests) => {
    const seen = await observedUnder(server)
    expect(seen.observed.sets).toEqual(OBSERVED)
    expect(seen.requests).toHaveLength(requests)
  })

  test.each(['"description":null', '"x":1'])('reads %s as an empty description', async other => {
    const { transport } = await liveSandbox(SEED)
    const shown: typeof transport = async request => {
      const response = await transport(request)
      return { ...response, body: response.body.replaceAll('"description":""', other) }
    }
    expect((await observe(createReader(shown), 'acme')).sets).toEqual(OBSERVED)
  })

  test('reads every page of variables if the service pages them', async () => {
    const many = Array.from({ length: 45 }, (_, index) => ({
      key: `K${String(index).padStart(2, '0')}`,
      value: '',
      category: 'env',
    }))
    const { observed } = await observedUnder(
      { traits: { include: 'ignored', variableLists: 'linked' } },
      { organizations: [{ name: 'acme' }], sets: [{ name: 'big', variables: many }] },
    )
    expect(observed.sets[0]?.variables.map(({ key }) => key)).toEqual(many.map(({ key }) => `env/${key}`))
  })

  test('uses defaults for projects and priority on an older service', async () => {
    const { observed } = await observedUnder({ profile: { server: '2021-11' } })
    expect(observed.sets).toEqual(
      OBSERVED.map(({ stacks: _, ...set }) => ({
        ...set,
        variables: set.variables.map(({ versionId: __, ...variable }) => variable),
        projects: [],
        ownerNotShown: true,
        projectsNotShown: true,
        priority: false,
      })),
    )
  })

  test('takes one request per page, with the page size that the service returned', {
    tags: ['F-32'],
  }, async () => {
    const seed = { organizations: [{ name: 'acme' }], sets: sets(45) }
    const { observed, requests } = await observedUnder({ profile: { largestPage: 20 } }, seed)
    expect(observed.sets.map(({ name }) => name)).toEqual(
      sets(45)
        .map(({ name }) => name)
        .sort(),
    )
    expect(observed.pages).toBe(3)
    expect(requests).toEqual([
      'GET organizations/acme/varsets?page[size]=100&include=vars',
      'GET organizations/acme/varsets?page[number]=2&page[size]=20&include=vars',
      'GET organizations/acme/varsets?page[number]=3&page[size]=20&include=vars',
    ])
  })

  test('stops after five passes if none is consistent', async () => {
    const { transport, requests } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: sets(45) },
      { profile: { largestPage: 20 } },
    )
    // Its second page is the first one again.
    const contradicting: typeof transport = async (request, signal) => {
      const { body, ...answer } = await transport(request, signal)
      if (request.query?.['page[number]'] !== '2') return { ...answer, body }
      const { body: first } = await transport({ ...request, query: { 'page[size]': '20' } }, signal)
      requests.pop()
      return { ...answer, body: JSON.stringify({ ...JSON.parse(body), data: JSON.parse(first).data }) }
    }
    await expect(observe(createReader(contradicting), 'acme')).rejects.toThrow(IncompleteListingError)
    expect(requests).toHaveLength(15)
  })

  test('is an error, never "no sets", if the organization does not exist or is hidden', {
    tags: ['F-15'],
  }, async () => {
    const { transport } = await liveSandbox(SEED)
    const failure = await observe(createReader(transport), 'other').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ status: 404, mayHaveHappened: false })
    expect(String(failure)).toContain('the organization "other" was not found (404)')
  })

  test('returns the parent of a project-owned set', async () => {
    const { observed } = await observedUnder(
      {},
      {
        organizations: [{ name: 'acme' }],
        projects: [{ id: 'prj-1111111111111111', name: 'platform' }],
        sets: [{ name: 'theirs', parent: 'platform' }],
      },
    )
    expect(observed.sets[0]?.parent).toBe('prj-1111111111111111')
  })

  test('keeps nothing of a sensitive value, whatever the service returns', async () => {
    const { observed } = await observedUnder({ traits: { sensitiveValue: 'mask' } })
    expect(JSON.stringify(observed)).not.toMatch(/canary|\*\*/)
  })
})

describe('proving that a listing is stable', () => {
  test('takes no further request for one page', async () => {
    const { transport, requests } = await liveSandbox(SEED)
    const reader = createReader(transport)
    const observed = await settled(reader)
    expect(observed.pages).toBe(1)
    expect(requests).toHaveLength(1)
  })

  test('takes a second equal pass for several pages', async () => {
    const { transport, requests } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: sets(25) },
      { profile: { largestPage: 20 } },
    )
    const observed = await settled(createReader(transport))
    expect(observed.sets).toHaveLength(25)
    expect(requests).toHaveLength(4)
  })

  test('takes passes until two in a row are equal', async () => {
    const { transport, sandbox, requests } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: sets(25) },
      { profile: { largestPage: 20 } },
    )
    const reader = createReader(transport)
    const observed = await observe(reader, 'acme')
    sandbox.ensure({ sets: [{ name: 'new', organization: 'acme' }] })
    const proven = await proveStable(reader, observed)
    expect(proven.sets.map(({ name }) => name)).toContain('new')
    expect(requests).toHaveLength(6)
  })

  test('fails if every pass differs', async () => {
    const { transport, sandbox } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: sets(25) },
      { profile: { largestPage: 20 } },
    )
    let calls = 0
    const churning = createReader((request, signal) => {
      if (calls++ % 2 === 0) sandbox.ensure({ sets: [{ name: `new-${calls}`, organization: 'acme' }] })
      return transport(request, signal)
    })
    await expect(settled(churning)).rejects.toThrow(IncompleteListingError)
    expect(calls).toBe(10)
  })
})

describe('reading single sets', () => {
  test('takes one request each and reports which do not exist', async () => {
    const { transport, requests } = await liveSandbox(SEED)
    const observed = await observeSets(createReader(transport), [
      'varset-2222222222222222',
      'varset-9999999999999999',
      'varset-1111111111111111',
    ])
    expect(observed).toEqual({ sets: OBSERVED, absent: ['varset-9999999999999999'] })
    expect(requests).toHaveLength(3)
  })

  test.each(['hcp', '2021-11', 'otf'] as const)(
    'by name finds exactly that name, on the server %s',
    async server => {
      const { transport } = await liveSandbox(
        {
          organizations: [{ name: 'acme' }],
          sets: [{ name: 'net' }, { name: 'network' }, { name: 'net & co' }],
        },
        { profile: { server } },
      )
      const found = await findSets(createReader(transport), 'acme', 'net')
      expect(found.map(({ name }) => name)).toEqual(['net'])
    },
  )

  test('by name finds every set with that name', async () => {
    const { transport } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: [{ name: 'net' }, { name: 'net' }] },
      { profile: { duplicates: 'second' } },
    )
    expect(await findSets(createReader(transport), 'acme', 'net')).toHaveLength(2)
  })
})

const KINDS = ['lost', '404', '403', '500', '204', 'empty', 'page', 'cut', 'another', 'no list'] as const

/** A response instead of the real one. `last`: the previous response, to another request. */
function spoilt(
  kind: (typeof KINDS)[number],
  right: ApiResponse,
  last: ApiResponse | undefined,
): ApiResponse {
  const { headers } = right
  switch (kind) {
    case 'lost':
      throw new TransportError('lost', { sent: 'maybe', code: 'ECONNRESET' })
    case '404':
    case '403':
    case '500':
    case '204':
      return { status: Number(kind), headers, body: '' }
    case 'empty':
      return { status: 200, headers, body: '' }
    case 'page':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html>' }
    case 'cut':
      return { ...right, body: right.body.slice(0, right.body.length / 2) }
    case 'another':
      return last ?? { status: 200, headers, body: '{}' }
    case 'no list':
      return { status: 200, headers, body: '{"data":[]}' }
  }
}

const PROFILES: readonly Partial<Profile>[] = (
  ['interface', 'hcp', 'otf', 'terrence', 'loose', 'terse'] as const
).map(server => ({ server }))

test('a read that fails in any way gives the complete state or none, never a smaller one', {
  tags: ['I-23'],
}, async () => {
  let none = 0
  await fc.assert(
    fc.asyncProperty(
      observedState,
      fc.constantFrom(...PROFILES),
      fc.constantFrom(...KINDS),
      fc.nat({ max: 3 }),
      async ({ sets }, profile, kind, at) => {
        let read = 0
        let last: ApiResponse | undefined
        let isSpoilt = false
        const world = await aWorld(sets.map(seedFrom), {
          profile,
          between: next => async (request, signal) => {
            const right = await next(request, signal)
            const answer = isSpoilt && read++ === at ? spoilt(kind, right, last) : right
            last = right
            return answer
          },
        })
        const whole = await observe(world.reader, 'acme')
        isSpoilt = true
        const seen = await observe(world.reader, 'acme').catch(() => undefined)
        if (seen === undefined) none++
        else expect(seen).toEqual(whole)
      },
    ),
    { numRuns: 1_500, seed: 41 },
  )
  expect(none).toBeGreaterThan(100)
})

const FORMS = ['whole', 'counted', 'linked', 'bare'] as const
const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    key: `K${String(i).padStart(3, '0')}`,
    value: '',
    category: 'env',
  }))
const keys = (count: number) => variables(count).map(({ key }) => `env/${key}`)
const W = 'ws-AAAAAAAAAAAAAAAA'

/** Both lists as the client reads them, with the number of requests. */
async function bothLists(count: number, traits: Partial<Traits>, largestPage: Profile['largestPage'] = 100) {
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      workspaces: [{ name: 'w', id: W, variables: variables(count) }],
      sets: [{ name: 's', variables: variables(count) }],
    },
    profile: { largestPage },
    traits: { include: 'ignored', ...traits },
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
  const sizes = [20, 100] as const
  test.each(FORMS.flatMap(variableLists => sizes.map(size => ({ variableLists, size }))))(
    'if they are $variableLists and a page has at most $size',
    async ({ variableLists, size }) => {
      for (const count of [0, 19, 20, 21, 45, 100, 101, 120, 130]) {
        const { ofSet, ofWorkspace } = await bothLists(count, { variableLists }, size)
        expect({ count, ofSet, ofWorkspace }).toEqual({ count, ofSet: keys(count), ofWorkspace: keys(count) })
      }
    },
  )

  test('with links to another host', async () => {
    expect((await bothLists(45, { links: 'foreign', variableLists: 'linked' }, 20)).ofWorkspace).toEqual(
      keys(45),
    )
  })

  test('in one request up to 100 variables, and in one per page beyond', async () => {
    const requests = async (
      count: number,
      variableLists: Traits['variableLists'],
      size?: Profile['largestPage'],
    ) => (await bothLists(count, { variableLists }, size)).requests
    expect(await requests(100, 'linked')).toEqual([1, 1])
    expect(await requests(101, 'linked')).toEqual([2, 2])
    expect(await requests(101, 'whole')).toEqual([2, 2])
    expect(await requests(101, 'counted')).toEqual([2, 2])
    expect(await requests(45, 'linked', 20)).toEqual([3, 3])
    expect(await requests(19, 'bare')).toEqual([1, 1])
    // The service does not count the variables of a workspace.
    expect(await requests(20, 'bare')).toEqual([1, 2])
    expect(await requests(101, 'bare')).toEqual([1, 2])
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

  test('is rejected by its own total, and by the count of the set', async () => {
    expect(await reading([page(0, 3, total(3))], 7)).toBe('the service lists 3 variables and counts 7')
    expect(await reading([page(0, 3, total(3))], 3)).toBe(3)
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
    { profile: { server: 'hcp', largestPage: 20 } },
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

test('of two variables of a workspace with one key, the first by id counts', async () => {
  const variable = (id: string, value: string) => ({
    ...{ id, type: 'vars' },
    attributes: { key: 'K', category: 'env', value },
  })
  const reader = createReader(async () => ({
    status: 200,
    headers: { 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: [variable('var-2', 'second'), variable('var-1', 'first')] }),
  }))
  const own = await ownVariables(reader, 'ws-1')
  expect([...(own ?? [])].map(([key, { value }]) => [key, value])).toEqual([['env/K', { text: 'first' }]])
})
