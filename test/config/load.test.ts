import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { inDirectory, loaded, loadText, variable } from './load-text.ts'

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
        'organization: acme\nowner: network\nowns: ["*"]\nguards: { deletions: 12.5%, losses: 0%, updates: 100%, protect: ["net*"], gaps: forbid }\nprune: false\n',
    },
  )
  const at = (line: number, column: number, path = 'sets/network.yaml') => ({ path, line, column })
  expect(state).toEqual({
    organization: 'acme',
    owner: 'network',
    owns: ['*'],
    prune: false,
    guards: { deletions: 12.5, losses: 0, updates: 100, protect: ['net*'], gaps: 'forbid' },
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
          { id: 'ws-short', mayBeName: true, source: at(5, 84) },
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
    guards: { deletions: 30, losses: 30, protect: [] },
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
  ['unknown-key', '{ value: x, oops: 1 }'],
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

test('the event loop gets a turn between large files', async () => {
  const large = `variableSets:\n  SET:\n    env:\n${Array.from({ length: 20_000 }, (_, index) => `      K${index}: value\n`).join('')}`
  const files = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`sets/${index}.yaml`, large.replace('SET', `s${index}`)]),
  )
  await inDirectory({ 'setpoint.yaml': 'organization: acme\n', ...files }, async directory => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const { value } = await loadDesired({ directory })
    isDone = true
    expect(value?.sets.length).toBe(5)
    expect(turns).toBeGreaterThan(3)
  })
})

describe('a plain scalar is read as it is written', () => {
  test.each([
    '1.10',
    '0123',
    '0x1F',
    '0o17',
    '1_000',
    '1234e56',
    '12345678901234567890',
    '+1',
    '-0',
    '.5',
    '5.',
    '1e3',
    '.inf',
    '-.INF',
    '.nan',
    'no',
    'NO',
    'yes',
    'on',
    'off',
    'y',
    'true',
    'True',
    'FALSE',
    '2026-11-21',
    '2026-11-21T10:00:00Z',
    '1:20',
    '190:20:30',
    '=',
    'nULL',
    'nulls',
    'a b  c',
    'a#b',
    'http://x:80/?a=b&c',
    '1.2.3',
    '-a',
    '?a',
    ':a',
    'é',
    '日本',
    '😀',
    'a"b',
    "a'b",
    '\\n',
    '<tag>',
    '...x',
  ])('%s', async text => {
    expect(await variable(`V: ${text}`)).toEqual({
      key: 'terraform/V',
      value: { text },
      description: '',
      hcl: false,
    })
  })
})

describe('a quoted scalar or a block scalar is decoded', () => {
  test.each([
    [`'it''s'`, "it's"],
    ['"tab\\tnew\\nline"', 'tab\tnew\nline'],
    ['"\\e[0m\\x41\\u00e9\\U0001F600"', '\u001b[0mAé😀'],
    ['"null"', 'null'],
    ["'~'", '~'],
    ['""', ''],
    ['"1.10"', '1.10'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['|-\n  a\n\n  b\n', 'a\n\nb'],
    ['|+\n  a\n', 'a\n\n'],
    ['|2\n    indented\n', '  indented\n'],
    ['>\n  a\n  b\n\n  c\n', 'a b\nc\n'],
    ['"a\n  b"', 'a b'],
    ['a\n  b', 'a b'],
  ])('%j', { tags: ['F-66'] }, async (written, text) => {
    expect((await variable(`V: ${written}`))?.value).toEqual({ text })
  })

  test('a file with CRLF and a byte order mark gives the same text', { tags: ['F-69'] }, async () => {
    const crlf =
      '\ufeffvariableSets:\r\n  one:\r\n    terraform:\r\n      V: |\r\n        a\r\n        b\r\n      W: x\r\n...\r\n'
    const { value, diagnostics } = await loadText(crlf)
    expect(diagnostics).toEqual([])
    expect(value?.sets[0]?.variables.map(({ key, value, source }) => [key, value, source.line])).toEqual([
      ['terraform/V', { text: 'a\nb\n' }, 4],
      ['terraform/W', { text: 'x' }, 7],
    ])
  })

  test('a file with a YAML version directive is refused', { tags: ['F-65'] }, async () => {
    const { value, diagnostics } = await loadText(
      '%YAML 1.1\n---\nvariableSets: { one: { env: { A: no } } }\n',
    )
    expect([value, diagnostics.map(({ code }) => code)]).toEqual([undefined, ['yaml-feature']])
  })
})

describe('a key is read as it is written', () => {
  test.each([
    '1',
    '01',
    '1.10',
    'no',
    'true',
    'null',
    '~',
    'A B',
    'a.b',
    'é',
    '__proto__',
    'constructor',
    'toString',
  ])('%s', async key => {
    expect((await variable(`${key}: x`))?.key).toBe(`terraform/${key}`)
  })
})

describe('names with a meaning in JavaScript', () => {
  test('are ordinary names at every level, and no prototype is changed', { tags: ['F-68'] }, async () => {
    const { value, diagnostics } = await loadText(
      `variableSets:
  __proto__:
    env: { __proto__: a, constructor: b, hasOwnProperty: c }
    terraform: { x: { data: { __proto__: { polluted: true }, constructor: 1 } } }
  prototype: { from: __proto__ }
bases:
  __proto__: { env: { __proto__: base } }
`,
    )
    expect(diagnostics).toEqual([])
    expect(
      value?.sets.map(({ name, variables }) => [name, variables.map(({ key, value }) => [key, value])]),
    ).toEqual([
      [
        '__proto__',
        [
          ['env/__proto__', { text: 'a' }],
          ['env/constructor', { text: 'b' }],
          ['env/hasOwnProperty', { text: 'c' }],
          ['terraform/x', { text: '{"__proto__":{"polluted":true},"constructor":1}' }],
        ],
      ],
      ['prototype', [['env/__proto__', { text: 'base' }]]],
    ])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('are unknown keys where only known keys are allowed', async () => {
    const { diagnostics } = await loadText(
      'variableSets: { one: { __proto__: {}, constructor: 1 } }\ntoString: 1\n',
    )
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'unknown-key "__proto__" is not a known key here.',
      'unknown-key "constructor" is not a known key here.',
      'unknown-key "toString" is not a known key here.',
    ])
  })
})

test('a list of 6,000 quoted strings', async () => {
  const items = Array.from({ length: 6_000 }, (_, at) => `"${at}"`)
  const text = `variableSets:\n  a:\n    terraform:\n      list: { data: [${items.join(', ')}] }\n`
  const { sets } = await loaded(text)
  expect(sets[0]?.variables[0]?.value).toEqual({ text: `[${items.join(',')}]` })
})
