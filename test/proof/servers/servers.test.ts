import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox, type ServerName } from '../../../src/sandbox/index.ts'
import { aDirectory } from '../../support/program.ts'
import { run } from '../../support/run.ts'
import { firstRun } from './first.ts'
import { ownOrganization, play, Unfit } from './play.ts'
import { recordTo } from './record.ts'
import { SCENARIOS } from './scenarios.ts'
import { Lost, Server } from './server.ts'
import { playOn } from './servers.family.ts'
import { tableOf } from './table.ts'
import { TRAITS, type Trait } from './traits.ts'

interface Served {
  readonly sandbox: Sandbox
  readonly where: { readonly address: string; readonly token: string }
}

async function serve(options: Parameters<typeof createSandbox>[0]): Promise<Served> {
  const sandbox = await createSandbox(options)
  const { url } = await sandbox.listen()
  return { sandbox, where: { address: url, token: sandbox.token } }
}

/**
 * On two servers of the sandbox; the proof plays them on all. `npm run servers` plays them with the built program; here only what
 * is killed or runs twice at once is a process of its own.
 */
describe.each(['otf', 'terrence'] as const)('the scenarios on %s', server => {
  test.concurrent.each(SCENARIOS)('$name', async ({ name, needs }) => {
    const { rows, traits, broke, left } = await playOn({ server, scenario: name })
    const trait = needs && traits[needs]
    expect({ rows, broke, left }).toEqual({
      rows: [
        trait?.has === false
          ? { scenario: name, result: 'lacks', how: trait.shown }
          : { scenario: name, result: 'works', how: '' },
      ],
      broke: undefined,
      left: [],
    })
  })
})

/** What each server lacks, as the first table of `npm run servers` says. */
test.each<readonly [ServerName, readonly Trait[]]>([
  ['interface', []],
  ['hcp', []],
  [
    'otf',
    [
      ...([
        'pageData',
        'pageSize',
        'create',
        'update',
        'put',
        'priority',
        'projects',
        'owners',
        'dates',
      ] as const),
      ...(['secretKey', 'refusals', 'missing', 'ends', 'repeated'] as const),
    ],
  ],
  ['terrence', ['create', 'update', 'put', 'owners', 'dates', 'unique', 'ends']],
  ['loose', ['keys']],
  ['2021-11', ['names', 'pageSize', 'priority', 'projects', 'owners']],
])('the first table tells what the server %s lacks', async (server, lacks) => {
  const served = await serve({ profile: { server } })
  const { traits } = await play({ ...served.where, organization: 'own' }, { scenarios: [], rate: 10_000 })
  await served.sandbox.close()
  const lacking = Object.entries(traits).filter(([, { has }]) => !has)
  expect(lacking.map(([name]) => name).toSorted()).toEqual([...lacks].toSorted())
})

test('docs/service.md has each scenario and each trait, for both servers', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/service.md'), 'utf8')
  expect(page).toContain(`\n${SCENARIOS.length} scenarios were played`)
  const rowsOf = (title: string) => {
    const [, rows = ''] =
      new RegExp(`\\| ${title} \\| OTF v\\S+ \\| Terrence \\w+ \\|\\n\\|-\\|-\\|-\\|\\n((?:\\|.*\\n)+)`).exec(
        page,
      ) ?? []
    return rows
      .trim()
      .split('\n')
      .map(row => row.split(' | ')[0]?.slice(2))
  }
  expect(rowsOf('scenario')).toEqual(SCENARIOS.map(({ name }) => name))
  expect(rowsOf('the interface')).toEqual(Object.values(TRAITS))
})

test('the table has a row for each scenario, says how one differs, and what is left', () => {
  const rows = [
    { scenario: 'one', result: 'works', how: '' },
    { scenario: 'two', result: 'differs', how: 'a | b' },
    { scenario: 'three', result: 'lacks', how: '404' },
    { scenario: 'four', result: 'not played', how: '' },
  ] as const
  const put = { has: true, shown: 'x' }
  const table = tableOf({ traits: { put }, rows, broke: 'gone', left: ['the set "a" (varset-1)'] })
  expect(table).toContain(
    '| one | works |\n| two | differs: a \\| b |\n| three | lacks: 404 |\n| four | not played |\n',
  )
  expect(table).toContain('| `PUT` updates a set | yes |')
  expect(table).toContain('| projects | not asked |')
  expect(table).toContain(
    '1 work, 1 differ, 1 need what the server lacks, 1 were not played.\nBroken off: gone\n',
  )
  expect(table).toContain('Left on the server, to be deleted by hand: the set "a" (varset-1).\n')
})

test('an organization with sets is left as it is, and the own one is removed', async () => {
  const served = await serve({})
  const server = new Server({ ...served.where, organization: 'acme' })
  await server.createSet('precious')
  await expect(play(server.where)).rejects.toThrow(Unfit)
  await play({ ...served.where, organization: 'own' }, { scenarios: [], rate: 10_000 })
  const { organizations = [], sets = [] } = served.sandbox.snapshot()
  expect([organizations.map(({ name }) => name), sets.map(({ name }) => name)]).toEqual([
    ['acme'],
    ['precious'],
  ])
  await served.sandbox.close()
})

describe('whatever happens, there is a table, and nothing is left or it is named', () => {
  const named = (...names: readonly string[]) =>
    SCENARIOS.filter(({ name }) => names.some(one => name.startsWith(one)))
  const SOME = named('a rename keeps', '`removed` deletes')

  test('a scenario that fails by itself', async () => {
    const served = await serve({})
    const failing = { name: 'fails', play: () => Promise.reject(new Error('never')) }
    const options = { scenarios: [failing, ...SOME], rate: 10_000, program: run }
    const { rows, left } = await play({ ...served.where, organization: 'own' }, options)
    expect(rows.map(({ result, how }) => [result, how])).toEqual([
      ['differs', 'error: never'],
      ['works', ''],
      ['works', ''],
    ])
    expect([left, served.sandbox.snapshot().organizations?.length]).toEqual([[], 1])
    await served.sandbox.close()
  })

  test('a server that refuses every second request with 429, and loses answers before and after it acts', async () => {
    const sandbox = await createSandbox({ profile: { server: 'terrence' } })
    const { url } = await sandbox.listen({
      faults: {
        probability: 0.4,
        faults: [
          { kind: 'too-many', hint: 'seconds', wait: 0.01 },
          { kind: 'too-many', hint: 'reset', wait: 0.01 },
          { kind: 'close', commit: 'before' },
          { kind: 'close', commit: 'after' },
        ],
      },
    })
    const where = { address: url, token: sandbox.token, organization: 'own' }
    const { rows, broke, left } = await play(where, { scenarios: [], rate: 10_000, wait: async () => {} })
    expect([rows, broke, left]).toEqual([[], undefined, []])
    expect(sandbox.snapshot().organizations?.map(({ name }) => name)).toEqual(['acme'])
    await sandbox.close()
  })

  test('a server that is cut off in the middle', async () => {
    const sandbox = await createSandbox()
    const listening = await sandbox.listen()
    const where = { address: listening.url, token: sandbox.token, organization: 'own' }
    const [first, second] = SOME
    if (first === undefined || second === undefined) throw new Error('renamed')
    const cut = { ...first, play: async () => await listening.close() }
    const options = { scenarios: [second, cut, first], rate: 10_000, wait: async () => {}, program: run }
    const { rows, broke, left, traits } = await play(where, options)
    expect(rows.map(({ result }) => result)).toEqual(['works', 'not played', 'not played'])
    expect(broke).toMatch(/^GET organizations\/own\/varsets.*: no answer \(.*ECONNREFUSED/)
    expect(Object.keys(traits)).toHaveLength(Object.keys(TRAITS).length)
    expect(left).toEqual(
      [
        'the workspace "setpoint-three" (workspaces/ws-…)',
        'the workspace "setpoint-two" (workspaces/ws-…)',
        'the workspace "setpoint-one" (workspaces/ws-…)',
        'the organization "own" (organizations/own)',
      ].map(text =>
        expect.stringMatching(new RegExp(`^${text.replace(/[()]/g, '\\$&').replace('…', '\\w+')}$`)),
      ),
    )
    await sandbox.close()
  })

  test('somebody stops it', async () => {
    const served = await serve({})
    const stop = new AbortController()
    const [first, ...others] = SOME
    if (first === undefined) throw new Error('renamed')
    const stopping = { ...first, play: async () => stop.abort() }
    const scenarios = [stopping, ...others]
    const { rows, broke, left } = await play(
      { ...served.where, organization: 'own' },
      { scenarios, rate: 10_000, stop: stop.signal },
    )
    expect([rows.map(({ result }) => result), broke, left]).toEqual([
      ['not played', 'not played'],
      'stopped',
      [],
    ])
    expect(served.sandbox.snapshot().organizations?.map(({ name }) => name)).toEqual(['acme'])
    await served.sandbox.close()
  })

  test('an organization that cannot be deleted, and sets that cannot', async () => {
    const sandbox = await createSandbox()
    let isEnd = false
    const refusing = await sandbox.listen({
      faults: {
        matches: ({ method, path }) => isEnd && method === 'DELETE' && /organizations|varsets/.test(path),
        probability: 1,
        faults: [{ kind: 'error', status: 500, commit: 'before' }],
      },
    })
    const server = new Server(
      { address: refusing.url, token: sandbox.token, organization: 'own' },
      { rate: 10_000 },
    )
    await ownOrganization(server)
    const id = await server.createSet('kept')
    isEnd = true
    expect(await server.cleanUp()).toEqual([
      `the set "kept" (${id})`,
      'the organization "own" (organizations/own)',
    ])
    await sandbox.close()
  })
})

test('requests are paced', async () => {
  const served = await serve({})
  let waited = 0
  const wait = async (milliseconds: number) => {
    waited += milliseconds
  }
  const server = new Server({ ...served.where, organization: 'acme' }, { rate: 10, wait })
  for (let count = 0; count < 5; count += 1) await server.ask('GET', 'organizations/acme')
  // Five requests at ten a second begin within 400 ms; each wait counts from the request, not from the one before.
  expect(waited).toBeGreaterThan(500)
  await served.sandbox.close()
})

describe('a transcript', () => {
  const lines = (file: string) =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))

  test('has every request and answer without the token and without values, and overwrites nothing', async () => {
    const served = await serve({ profile: { server: 'terrence' } })
    const file = join(aDirectory(), 'transcript.jsonl')
    const { address, token } = served.where
    const recording = await recordTo(file, address, token)
    const scenarios = SCENARIOS.filter(({ name }) => name.startsWith('a secret is written'))
    const where = { address: recording.address, token, organization: 'own' }
    const { rows } = await play(where, { scenarios, rate: 10_000, program: run })
    await recording.close()
    expect(rows.map(({ result }) => result)).toEqual(['works'])
    const text = readFileSync(file, 'utf8')
    expect(text).not.toMatch(new RegExp(`${token}|"value":"[^…"]`))
    expect(text.match(/"value":"…"/g)?.length).toBeGreaterThan(5)
    const statuses = new Set(lines(file).map(({ method, status }) => `${method} ${status}`))
    expect([...statuses]).toEqual(expect.arrayContaining(['GET 200', 'POST 201', 'DELETE 204', 'PATCH 200']))
    expect(lines(file)[0].headers).toMatchObject({ 'tfp-api-version': '2.6' })
    await expect(recordTo(file, address, token)).rejects.toThrow('EEXIST')
    await served.sandbox.close()
  })

  test('has a lost answer, and of an organization that is only read no name', async () => {
    const file = join(aDirectory(), 'transcript.jsonl')
    const served = await serve({})
    const recording = await recordTo(file, served.where.address, served.where.token)
    recording.shapesOnly = true
    const server = new Server({ ...served.where, address: recording.address, organization: 'acme' })
    await server.ask('GET', 'organizations/acme/workspaces?q=network')
    await served.sandbox.close()
    const lost = new Server({ ...server.where }, { wait: async () => {} })
    await expect(lost.ask('GET', 'organizations/acme')).rejects.toThrow(Lost)
    await recording.close()
    expect(readFileSync(file, 'utf8')).not.toMatch(/acme|network|ws-[A-Za-z0-9]/)
    const [first, ...others] = lines(file)
    expect(first).toMatchObject({
      path: '/api/v2/organizations/…/workspaces?q=…',
      response: { data: { length: 12, first: [{ id: 'text', type: 'workspaces' }, {}] } },
    })
    expect(others.every(({ lost: reason }) => typeof reason === 'string')).toBe(true)
  })
})

describe('a first run', () => {
  const answers = async (server: ServerName, read?: string) => {
    const served = await serve({ profile: { server } })
    served.sandbox.ensure({
      sets: [
        { organization: 'acme', name: 'theirs', variables: [{ key: 'a', category: 'env', value: 'x' }] },
      ],
    })
    const before = served.sandbox.snapshot({ sensitive: true })
    const found = await firstRun(
      new Server({ ...served.where, organization: 'own' }, { rate: 10_000 }),
      read,
      () => {},
    )
    expect(served.sandbox.snapshot({ sensitive: true })).toEqual(before)
    await served.sandbox.close()
    return { ...found, told: Object.fromEntries(found.told) }
  }

  test('answers what is unknown of a service, and leaves everything as it was', async () => {
    const { told, broke, left } = await answers('hcp', 'acme')
    expect([broke, left]).toEqual([undefined, []])
    expect(Object.values(told).filter(answer => answer.startsWith('not told'))).toEqual([])
    expect(told).toMatchObject({
      ping: '204, HCP Terraform, API 2.6',
      'the largest page of sets, of 1000': '100',
      'list of the variables of the largest set':
        '1 entries, links, next null, meta with page-size 20 and total-count 1',
      '`include=vars` on the list of workspaces': '200, 0 variables included, 0 referred to',
      'a set is created with two variables and a workspace': '201, 2 variables, 1 workspaces',
      '`priority` after an update without it': '200, true',
      'a new value of the sensitive variable, with its key': '200, another version-id',
      'assigning an unknown workspace': '422',
      'deleting the set': '204',
      'showing the deleted set': '404',
    })
  })

  test('also of one that lacks much', async () => {
    const { told, broke, left } = await answers('otf')
    expect([broke, left]).toEqual([undefined, []])
    expect(told).toMatchObject({
      'a set is created with two variables and a workspace': '201, 0 variables, 0 workspaces',
      '`priority` after an update without it': '200, false',
    })
  })
})
