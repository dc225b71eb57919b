import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox, type ServerName } from '../../../src/sandbox/index.ts'
import { run } from '../../support/run.ts'
import { play, Unfit } from './play.ts'
import { SCENARIOS } from './scenarios.ts'
import { Server } from './server.ts'
import { tableOf } from './table.ts'
import { TRAITS } from './traits.ts'

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
 * Each scenario on a sandbox of its own, so that they run at the same time. `npm run servers` plays them with the built program;
 * here only what is killed or runs twice at once is a process of its own.
 */
async function inItsOwn(server: ServerName, index: number) {
  const scenario = SCENARIOS[index]
  const served = await serve({ profile: { server } })
  const scenarios = scenario === undefined ? [] : [scenario]
  const played = await play(
    { ...served.where, organization: 'servers' },
    { scenarios, rate: 10_000, program: run },
  )
  await served.sandbox.close()
  return played
}

const numbered = SCENARIOS.map(({ name }, index) => ({ name, index }))
/** A third of them on the default server, which all other tests use as well: others in each run. */
const third = numbered.filter(({ index }) => index % 3 === Number(process.env.SETPOINT_SEED ?? 0) % 3)

describe('the scenarios for any server', () => {
  test.concurrent.each(third)('$name', async ({ index, name }) => {
    const { rows, traits } = await inItsOwn('interface', index)
    expect(rows).toEqual([{ scenario: name, result: 'works', how: '' }])
    expect(Object.values(traits).every(({ has }) => has)).toBe(true)
  })
})

describe('the scenarios on the server OTF', () => {
  test.concurrent.each(numbered)('$name', async ({ index, name }) => {
    const { rows, traits } = await inItsOwn('otf', index)
    const needs = SCENARIOS[index]?.needs
    expect(rows).toEqual([
      {
        scenario: name,
        result: needs === undefined ? 'works' : 'lacks',
        how: needs ? traits[needs].shown : '',
      },
    ])
    expect(Object.values(traits).filter(({ has }) => has)).toEqual([])
  })
})

test('docs/service.md has the number of scenarios, and names those that OTF lacks', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/service.md'), 'utf8')
  expect(page).toContain(`\n${SCENARIOS.length} scenarios were played`)
  const lacks = SCENARIOS.filter(({ needs }) => needs !== undefined).map(({ name }) =>
    name.replaceAll('`', ''),
  )
  const [, listed = ''] = /On OTF, all work but (.*)\. The sandbox's server/.exec(page) ?? []
  expect([...listed.matchAll(/`([^`]+)` \(/g)].map(([, name]) => name)).toEqual(lacks)
})

test('the table has a row for each scenario, and says how one differs', async () => {
  const served = await serve({})
  const failing = { name: 'a | b', play: () => Promise.reject(new Error('never')) }
  await expect(play({ ...served.where, organization: 'own' }, { scenarios: [failing] })).rejects.toThrow(
    'never',
  )
  const traits = Object.fromEntries(
    Object.keys(TRAITS).map(name => [name, { has: name === 'put', shown: 'x' }]),
  )
  const rows = [
    { scenario: 'one', result: 'works', how: '' },
    { scenario: 'two', result: 'differs', how: 'a | b' },
    { scenario: 'three', result: 'lacks', how: '404' },
  ] as const
  const table = tableOf({ traits: traits as never, rows })
  expect(table).toContain('| one | works |\n| two | differs: a \\| b |\n| three | lacks: 404 |\n')
  expect(table).toContain('| `PUT` updates a set | yes |')
  expect(table).toContain('1 work, 1 differ, 1 need what the server lacks.')
  await served.sandbox.close()
})

test('an organization with sets is left as it is, and the own one is removed', async () => {
  const served = await serve({})
  const server = new Server({ ...served.where, organization: 'acme' })
  await server.createSet('precious')
  await expect(play(server.where)).rejects.toThrow(Unfit)
  await play({ ...served.where, organization: 'own' }, { scenarios: [] })
  const { organizations = [], sets = [] } = served.sandbox.snapshot()
  expect([organizations.map(({ name }) => name), sets.map(({ name }) => name)]).toEqual([
    ['acme'],
    ['precious'],
  ])
  await served.sandbox.close()
})
