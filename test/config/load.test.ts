import { describe, expect, test } from 'vitest'
import { loaded, loadText } from './load-text.ts'

test('everything in the files is loaded, with its place', async () => {
  const state = await loaded(
    {
      'sets/network.yaml': `variableSets:
  network:
    description: Addresses.
    priority: true
    workspaces: [network-prod, ws-SihZTyXKfNXUWuUa, { name: ws-SihZTyXKfNXUWuUb }, ws-short]
    projects: [platform, prj-jT92VLSFpv8FwKtc]
    previousNames: [net]
    id: varset-kjkN545LH2Sfercv
    env:
      REGION: eu
      KEY: { secret: { name: KEY, version: 3, allowEmpty: true }, description: Rotated. }
    terraform:
      ca: { file: ../ca.pem }
      old: { external: true, description: Elsewhere. }
      code: { hcl: 3 }
      long: { value: 0123, description: 7 }
`,
      'sets/deep/er/global.yaml':
        'variableSets:\n  label: { name: "all: of it", global: true, workspaces: [] }\n',
      'ca.pem': '-----BEGIN-----\r\nabc\r\n',
    },
    {
      setpoint:
        'organization: acme\nowner: network\nowns: ["*"]\nguards: { deletions: 12.5%, updates: 50%, protect: ["net*"], gaps: forbid }\nprune: false\n',
    },
  )
  const at = (line: number, column: number, path = 'sets/network.yaml') => ({ path, line, column })
  expect(state).toEqual({
    organization: 'acme',
    owner: 'network',
    owns: ['*'],
    prune: false,
    guards: { deletions: 12.5, updates: 50, protect: ['net*'], gaps: 'forbid' },
    sets: [
      {
        name: 'all: of it',
        description: '',
        global: true,
        priority: false,
        variables: [],
        workspaces: [],
        previousNames: [],
        source: at(2, 3, 'sets/deep/er/global.yaml'),
      },
      {
        name: 'network',
        description: 'Addresses.',
        global: false,
        priority: true,
        workspaces: [
          { name: 'network-prod', source: at(5, 18) },
          { id: 'ws-SihZTyXKfNXUWuUa', source: at(5, 32) },
          { name: 'ws-SihZTyXKfNXUWuUb', source: at(5, 53) },
          { name: 'ws-short', source: at(5, 84) },
        ],
        projects: [
          { name: 'platform', source: at(6, 16) },
          { id: 'prj-jT92VLSFpv8FwKtc', source: at(6, 26) },
        ],
        previousNames: ['net'],
        id: 'varset-kjkN545LH2Sfercv',
        variables: [
          {
            key: 'env/KEY',
            value: { secret: { name: 'KEY', version: '3', allowEmpty: true } },
            description: 'Rotated.',
            hcl: false,
            source: at(11, 7),
          },
          { key: 'env/REGION', value: { text: 'eu' }, description: '', hcl: false, source: at(10, 7) },
          {
            key: 'terraform/ca',
            value: { text: '-----BEGIN-----\r\nabc\r\n' },
            description: '',
            hcl: false,
            source: at(13, 7),
            file: 'ca.pem',
          },
          { key: 'terraform/code', value: { text: '3' }, description: '', hcl: true, source: at(15, 7) },
          { key: 'terraform/long', value: { text: '0123' }, description: '7', hcl: false, source: at(16, 7) },
          {
            key: 'terraform/old',
            value: { external: true },
            description: 'Elsewhere.',
            hcl: false,
            source: at(14, 7),
          },
        ],
        source: at(2, 3),
      },
    ],
    removed: [],
    files: 3,
  })
})

test('defaults are added, and assignments that are left out are not managed', async () => {
  const state = await loaded(
    'variableSets:\n  one: {}\nremoved: [a, varset-kjkN545LH2Sfercv, { name: varset-kjkN545LH2Sfercv }]\n',
  )
  const source = (column: number) => ({ path: 'sets/a.yaml', line: 3, column })
  expect(state).toEqual({
    organization: 'acme',
    owns: [],
    prune: false,
    guards: { deletions: 30, protect: [] },
    sets: [
      {
        name: 'one',
        description: '',
        global: false,
        priority: false,
        variables: [],
        previousNames: [],
        source: { path: 'sets/a.yaml', line: 2, column: 3 },
      },
    ],
    removed: [
      { name: 'a', source: source(11) },
      { id: 'varset-kjkN545LH2Sfercv', source: source(14) },
      { name: 'varset-kjkN545LH2Sfercv', source: source(39) },
    ],
    files: 2,
  })
})

describe('a base', () => {
  test('can be in any file; a variable of the set replaces its variable completely, and both lines are kept', async () => {
    const state = await loaded({
      'sets/z-base.yaml': `bases:
  aws:
    env:
      REGION: { value: eu, description: Where. }
      ROLE: { required: true }
    terraform:
      tags: { data: [a] }
      ROLE: terraform is another category
`,
      'sets/a.yaml':
        'variableSets:\n  one:\n    from: aws\n    env:\n      ROLE: deploy\n  two:\n    from: aws\n    env: { ROLE: x, REGION: us }\n',
    })
    const line = (line: number, column: number) => ({ path: 'sets/a.yaml', line, column })
    const base = (line: number) => ({ path: 'sets/z-base.yaml', line, column: 7 })
    const shared = (from: ReturnType<typeof line>) => [
      {
        key: 'terraform/ROLE',
        value: { text: 'terraform is another category' },
        description: '',
        hcl: false,
        source: from,
        base: base(8),
      },
      {
        key: 'terraform/tags',
        value: { text: '["a"]' },
        description: '',
        hcl: true,
        source: from,
        base: base(7),
      },
    ]
    expect(state.sets.map(({ variables }) => variables)).toEqual([
      [
        {
          key: 'env/REGION',
          value: { text: 'eu' },
          description: 'Where.',
          hcl: false,
          source: line(3, 11),
          base: base(4),
        },
        { key: 'env/ROLE', value: { text: 'deploy' }, description: '', hcl: false, source: line(5, 7) },
        ...shared(line(3, 11)),
      ],
      [
        { key: 'env/REGION', value: { text: 'us' }, description: '', hcl: false, source: line(8, 21) },
        { key: 'env/ROLE', value: { text: 'x' }, description: '', hcl: false, source: line(8, 12) },
        ...shared(line(7, 11)),
      ],
    ])
    expect(state.sets[0]).not.toHaveProperty('from')
  })

  test('can cause a conflict of two global sets', async () => {
    const { diagnostics } = await loadText(
      'bases:\n  b: { env: { A: 1 } }\nvariableSets:\n  one: { global: true, from: b }\n  two: { global: true, from: b }\n',
    )
    expect(diagnostics.map(({ code, source }) => [code, source?.line, source?.column])).toEqual([
      ['global-conflict', 5, 30],
    ])
  })
})

describe('the organization', () => {
  test('must be the one that the environment expects', async () => {
    const { value, diagnostics } = await loadText('variableSets: {}\n', { organization: 'umbrella' })
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'organization-mismatch',
        message: 'The file is for the organization "acme", but SETPOINT_ORGANIZATION is "umbrella".',
        hint: 'Correct SETPOINT_ORGANIZATION, or unset it.',
        source: { path: 'setpoint.yaml', line: 1, column: 1 },
      },
    ])
  })

  test('is accepted if it is the expected one', async () => {
    expect((await loaded('variableSets: {}\n', { organization: 'acme' })).organization).toBe('acme')
  })
})

test('mistakes in the configuration and in several files are reported together, in the order of the files', async () => {
  const { diagnostics } = await loadText(
    { 'sets/b.yaml': 'variableSets: { one: { x: 1 } }\n', 'sets/a.yaml': 'removed: {}\n' },
    { setpoint: 'organization: acme\nonwer: x\n' },
  )
  expect(diagnostics.map(({ source, code }) => `${source?.path} ${code}`)).toEqual([
    'setpoint.yaml unknown-key',
    'sets/a.yaml wrong-type',
    'sets/b.yaml unknown-key',
  ])
})

test.each([
  ['unknown-key', '{ oops: 1 }'],
  ['yaml-feature', '&a x'],
])('the first 100 mistakes of a kind are reported, and the others are counted: %s', async (code, value) => {
  const lines = Array.from({ length: 500 }, (_, index) => `      A${index}: ${value}\n`)
  const { diagnostics } = await loadText(`variableSets:\n  one:\n    env:\n${lines.join('')}`)
  expect(diagnostics.filter(one => one.code === code).length).toBe(101)
  expect(diagnostics.at(-1)).toEqual({
    severity: 'error',
    code,
    message: 'There are 400 more of this kind.',
    hint: 'Correct these, then run the command again.',
  })
})

test('the state is the same however sets are split into files, except for places', {
  tags: ['I-26'],
}, async () => {
  const sets = ['a', 'b', 'c', 'd'].map(
    (name, index) => `  ${name}: { from: base, workspaces: [w${index}], env: { KEY: "${name}" } }\n`,
  )
  const bases = 'bases: { base: { env: { SHARED: "1" } } }\n'
  const removed = 'removed: [x, y]\n'
  const inOne = { 'sets/one.yaml': `variableSets:\n${sets.join('')}${bases}${removed}` }
  const inMany = Object.fromEntries([
    ...sets.map((set, index) => [`sets/${9 - index}/file.yaml`, `variableSets:\n${set}`] as const),
    ['sets/0.yaml', removed],
    ['sets/z.yaml', bases],
  ])
  const inTwo = {
    'sets/b.yaml': `variableSets:\n${sets.slice(2).join('')}${bases}`,
    'sets/a.yaml': `variableSets:\n${sets.slice(0, 2).reverse().join('')}${removed}`,
  }
  const states = await Promise.all([inOne, inMany, inTwo].map(async files => placeless(await loaded(files))))
  expect(states[0]).toContain('env/SHARED')
  expect(states.slice(1)).toEqual([states[0], states[0]])
})

/** As text, without places. */
function placeless({ organization, sets, removed }: Awaited<ReturnType<typeof loaded>>): string {
  const isPlace = (value: unknown): boolean => typeof value === 'object' && value !== null && 'line' in value
  return JSON.stringify({ organization, sets, removed }, (_, value) => (isPlace(value) ? undefined : value))
}
