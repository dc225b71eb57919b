import { describe, expect, test } from 'vitest'
import { ApiError, IncompleteListingError } from '../../src/api/errors.ts'
import { findSets, observe, observeSets, proveStable } from '../../src/api/observe.ts'
import { createReader } from '../../src/api/reader.ts'
import type { Profile, SandboxSeed, SetSeed } from '../../src/sandbox/index.ts'
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

async function observedUnder(profile: Partial<Profile>, seed = SEED) {
  const { transport, requests } = await liveSandbox(seed, profile)
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

  const one = (axis: keyof Profile, value: string): Partial<Profile> => ({ [axis]: value })
  test.each([
    ['includeVars', 'embedded', 1],
    ['includeVars', 'ignored', 2],
    ['sensitiveValue', 'empty', 1],
    ['sensitiveValue', 'missing', 1],
    ['sensitiveValue', 'mask', 1],
    ['links', 'foreign', 1],
    ['extras', 'random', 1],
    ['listOrder', 'random', 1],
    ['relationshipLists', 'truncated', 2],
    ['pageSize', 'clamp-20', 1],
    ['pageSize', 'refuse-20', 2],
  ] as const)(
    'gives the same state if the service has %s: %s',
    { tags: ['F-37'] },
    async (axis, value, requests) => {
      const seen = await observedUnder(one(axis, value))
      expect(seen.observed.sets).toEqual(OBSERVED)
      expect(seen.requests).toHaveLength(requests)
    },
  )

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
      { includeVars: 'ignored', listVariables: 'pages' },
      { organizations: [{ name: 'acme' }], sets: [{ name: 'big', variables: many }] },
    )
    expect(observed.sets[0]?.variables.map(({ key }) => key)).toEqual(many.map(({ key }) => `env/${key}`))
  })

  test('uses defaults for projects and priority on an older service', async () => {
    const { observed } = await observedUnder({ server: '2021-11' })
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
    const { observed, requests } = await observedUnder({ pageSize: 'clamp-20' }, seed)
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
      { pageSize: 'clamp-20', listOrder: 'random' },
    )
    await expect(observe(createReader(transport), 'acme')).rejects.toThrow(IncompleteListingError)
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
    const { observed } = await observedUnder({ sensitiveValue: 'mask' })
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
      { pageSize: 'clamp-20' },
    )
    const observed = await settled(createReader(transport))
    expect(observed.sets).toHaveLength(25)
    expect(requests).toHaveLength(4)
  })

  test('takes passes until two in a row are equal', async () => {
    const { transport, sandbox, requests } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: sets(25) },
      { pageSize: 'clamp-20' },
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
      { pageSize: 'clamp-20' },
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
        { server },
      )
      const found = await findSets(createReader(transport), 'acme', 'net')
      expect(found.map(({ name }) => name)).toEqual(['net'])
    },
  )

  test('by name finds every set with that name', async () => {
    const { transport } = await liveSandbox(
      { organizations: [{ name: 'acme' }], sets: [{ name: 'net' }, { name: 'net' }] },
      { setNames: 'any' },
    )
    expect(await findSets(createReader(transport), 'acme', 'net')).toHaveLength(2)
  })
})
