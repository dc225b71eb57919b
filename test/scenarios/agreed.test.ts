import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Plan } from '../../src/plan/plan-data.ts'
import type { SandboxSeed, SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place, SEED } from '../support/place.ts'
import { shellWords } from '../support/shell.ts'

/** What an apply would do beyond what was agreed to is refused, however it was agreed to. */

const OLD = { key: 'OLD', value: 'x', category: 'env' } as const
const NEW = { SETPOINT_SECRET_NEW: 'hunter2' }
const WORKSPACES = [{ name: 'w', project: 'p' }, { name: 'x' }]

interface Case {
  readonly configuration?: string
  /** The set of the service before the review. */
  readonly set: Omit<SetSeed, 'name'>
  readonly file: string
  /** What somebody does between review and apply. */
  readonly meanwhile: SandboxSeed
}

/** Between review and apply, a workspace comes to the set without a line of a file. */
const REACH: Readonly<Record<string, Case>> = {
  'a workspace is attached by hand': {
    set: { workspaces: ['w'], variables: [OLD] },
    file: 'env: { OLD: x, NEW: { secret: NEW } }',
    meanwhile: { sets: [{ name: 'a', workspaces: ['w', 'x'], variables: [OLD] }] },
  },
  'a workspace moves into the project': {
    set: { projects: ['p'], variables: [OLD] },
    file: 'env: { OLD: x, NEW: { secret: NEW } }',
    meanwhile: {
      workspaces: WORKSPACES.map(one => ({ ...one, project: 'p' })),
      sets: [{ name: 'a', projects: ['p'], variables: [OLD] }],
    },
  },
  'a workspace moves into a project that is newly assigned': {
    set: { variables: [{ ...OLD, sensitive: true }] },
    file: 'projects: [p]\n    env: { OLD: { external: true } }',
    meanwhile: {
      workspaces: WORKSPACES.map(one => ({ ...one, project: 'p' })),
      sets: [{ name: 'a', variables: [{ ...OLD, sensitive: true }] }],
    },
  },
}

/** Between review and apply, a guard begins to block. */
const GUARDS: Readonly<Record<string, Case>> = {
  'gaps: forbid, and a workspace is attached': {
    configuration: 'guards: { gaps: forbid }\n',
    set: { variables: [{ ...OLD, sensitive: true }] },
    file: 'env: { OLD: y }',
    meanwhile: { sets: [{ name: 'a', workspaces: ['w'], variables: [{ ...OLD, sensitive: true }] }] },
  },
}

const restore = ({ sandbox }: Place, seed: SandboxSeed): Promise<void> | void =>
  sandbox.restore({ ...SEED, workspaces: WORKSPACES, ...seed })

async function reviewed({ configuration = '', set, file }: Case) {
  const place = await aPlace({
    'setpoint.yaml': `organization: acme\n${configuration}`,
    'sets/a.yaml': `variableSets:\n  a:\n    ${file}\n`,
  })
  await restore(place, { sets: [{ name: 'a', ...set }] })
  const ran = await place.setpoint(['plan', '--out', 'plan.json'])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  const plan = JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8')) as Plan
  return { place, plan }
}

/** Ways to agree. Each gets the digest, and what happens before the apply. */
const WAYS = {
  'a plan file': (place: Place) => place.setpoint(['apply', 'plan.json'], { env: NEW }),
  'a plan file and its digest': (place: Place, digest: string) =>
    place.setpoint(['apply', 'plan.json', '--approve', digest], { env: NEW }),
  'a digest': (place: Place, digest: string) => place.setpoint(['apply', '--approve', digest], { env: NEW }),
} as const

describe.each(Object.entries(REACH))('%s between review and apply', (_, one) => {
  test.each(Object.entries(WAYS))('is refused after %s', async (_, apply) => {
    const { place, plan } = await reviewed(one)
    await restore(place, one.meanwhile)
    const before = place.live()
    const ran = await apply(place, plan.digest)
    expect([ran.code, place.live()]).toEqual([4, before])
  })

  test('is refused after a "yes"', async () => {
    const { place } = await reviewed(one)
    const ask = async (): Promise<string> => {
      await restore(place, one.meanwhile)
      return 'yes'
    }
    const ran = await place.setpoint(['apply'], { env: NEW, io: { input: () => ({ ask }) } })
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('x newly receives')])
  })

  test('is refused with who it is, and applied as it was reviewed', async () => {
    const { place } = await reviewed(one)
    const before = place.sandbox.snapshot({ sensitive: true })
    await restore(place, one.meanwhile)
    const refused = await WAYS['a plan file'](place)
    expect(refused.stderr).toMatch(
      /secrets a\n +reviewed: x does not newly receive (NEW|OLD)\n +now: +x newly receives/,
    )
    place.sandbox.restore(before)
    expect((await WAYS['a plan file'](place)).code).toBe(0)
  })
})

describe.each(Object.entries(GUARDS))('%s between review and apply', (_, one) => {
  test.each(Object.entries(WAYS))('is refused after %s', async (_, apply) => {
    const { place, plan } = await reviewed(one)
    expect(plan.blocks).toEqual([])
    await restore(place, one.meanwhile)
    const before = place.live()
    const ran = await apply(place, plan.digest)
    expect([ran.code, place.live()]).toEqual([4, before])
  })
})

test('a digest alone does not agree to members of projects: the plan file does', async () => {
  const { place, plan } = await reviewed(REACH['a workspace moves into the project'] as Case)
  const ran = await place.setpoint(['apply', '--approve', plan.digest], { env: NEW })
  expect([ran.code, ran.stderr]).toEqual([
    4,
    expect.stringContaining('1 workspace of the project p newly receives NEW of "a"'),
  ])
  await runPrinted(place, ran.stderr)
  expect(place.live()[0]).toContain('NEW')
})

test('what it prints instead has the flags that were typed, and works in the printed order', async () => {
  const NAMES = { sets: [{ name: "it's", projects: ['p'], workspaces: ['x'], variables: [OLD] }] }
  const place = await aPlace({
    'infra/other.yaml': 'organization: acme\nowner: me\n',
    // Blocked as well: the workspace is taken away, and the set is in no inventory.
    'infra/sets/a.yaml': `variableSets:\n  "it's": { workspaces: [], env: { NEW: { secret: NEW } } }\n  b: {}\n`,
    'infra/secrets.json': '{ "NEW": "hunter2" }',
  })
  await restore(place, NAMES)
  const flags = ['-C', 'infra', '--config', 'other.yaml', '--secrets', 'secrets.json', '--only', "it's"]
  const json = await place.setpoint(['plan', ...flags, '--format', 'json'])
  const { digest, blocked } = JSON.parse(json.stdout) as Plan
  expect(blocked).toBe(true)
  const before = place.live()
  const ran = await place.setpoint(['apply', '--approve', digest, ...flags])
  expect([ran.code, place.live()]).toEqual([4, before])
  await runPrinted(place, ran.stderr)
  expect(place.live().filter(line => !line.startsWith('setpoint-inventory'))).toEqual([
    "it's  env/NEW=(hunter2)  -> project p",
  ])
})

/** Each command of a refusal, alone in its line, as a shell reads it: they are run in their order, and each ends with 0. */
async function runPrinted(place: Place, printed: string): Promise<void> {
  const commands = [...printed.matchAll(/^ *(setpoint (?:plan|apply) .*)$/gm)].map(([, line = '']) =>
    shellWords(line),
  )
  expect(commands.map(([verb]) => verb)).toEqual(['plan', 'apply'])
  for (const command of commands) {
    const { code, stderr } = await place.setpoint(command, { env: NEW })
    expect([command, code, stderr]).toEqual([command, 0, ''])
  }
}

describe('a reading and a writing token that are told different members of a project', () => {
  type Told = 'all' | 'only w' | 'nothing'

  /** The service as tokens see it that may read other workspaces. */
  async function aPlaceSeenBy() {
    const place = await aPlace({
      'sets/a.yaml': 'variableSets:\n  a: { projects: [p], env: { NEW: { secret: NEW } } }\n',
    })
    await restore(place, {
      workspaces: WORKSPACES.map(one => ({ ...one, project: 'p' })),
      sets: [{ name: 'a', projects: ['p'] }],
    })
    let told: Told = 'all'
    const front = createServer((request, response) => {
      void (async () => {
        const { url = '', method = 'GET' } = request
        const body = method === 'GET' ? undefined : await new Response(Readable.toWeb(request)).text()
        const headers = { authorization: `Bearer ${place.sandbox.token}`, 'content-type': TYPE }
        const answer = await fetch(`${place.url}${url}`, { method, headers, body })
        const isList = /\/workspaces(\?|$)/.test(url)
        const text = await answer.text()
        response.writeHead(isList && told === 'nothing' ? 404 : answer.status, { 'content-type': TYPE })
        response.end(isList && told === 'only w' ? withoutX(text) : text)
      })()
    })
    await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void front.close())
    const { port } = front.address() as AddressInfo
    const env = { ...NEW, SETPOINT_ADDRESS: `http://127.0.0.1:${port}` }
    const setpoint = (who: Told, ...argv: readonly string[]) => {
      told = who
      return place.setpoint(argv, { env })
    }
    return { ...place, setpoint }
  }

  const withoutX = (text: string): string => {
    const { data, meta, ...rest } = JSON.parse(text)
    const shown = data.filter((one: { attributes: { name: string } }) => one.attributes.name !== 'x')
    const pagination = { ...meta.pagination, 'total-count': shown.length }
    return JSON.stringify({ ...rest, data: shown, meta: { ...meta, pagination } })
  }

  const DONE = [0, expect.not.stringContaining('refused'), true]
  const REFUSED = [4, expect.stringContaining('x newly receives NEW'), false]
  const BY_DIGEST = [4, expect.stringMatching(/2 workspaces of the project p newly receive NEW/), false]

  test.each<readonly [Told, Told, unknown, unknown]>([
    ['all', 'all', DONE, BY_DIGEST],
    // Who is told less agreed to more.
    [
      'all',
      'only w',
      DONE,
      [4, expect.stringMatching(/1 workspace of the project p newly receives NEW/), false],
    ],
    ['all', 'nothing', DONE, DONE],
    // Nobody can tell a token that is told less from a workspace that came since.
    ['only w', 'all', REFUSED, BY_DIGEST],
    // The project was agreed to, and nobody claimed to know its members.
    ['nothing', 'all', DONE, BY_DIGEST],
    ['nothing', 'nothing', DONE, DONE],
  ])(
    'reviewed by one that is told %s, applied by one that is told %s',
    async (reads, writes, file, digest) => {
      for (const [way, result] of [
        ['file', file],
        ['digest', digest],
      ] as const) {
        const { setpoint, cwd, live } = await aPlaceSeenBy()
        const planned = await setpoint(reads, 'plan', '--out', 'plan.json')
        expect([planned.code, planned.stderr]).toEqual([0, ''])
        const plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')) as Plan
        const words = way === 'file' ? ['plan.json'] : ['--approve', plan.digest]
        const { code, stderr } = await setpoint(writes, 'apply', ...words)
        expect([code, stderr, live().join().includes('NEW')]).toEqual(result)
      }
    },
  )

  test('whatever the reading token is told, the digest is the same', async () => {
    const { setpoint } = await aPlaceSeenBy()
    const digests = new Set<string>()
    for (const told of ['all', 'only w', 'nothing'] as const)
      digests.add(JSON.parse((await setpoint(told, 'plan', '--format', 'json')).stdout).digest)
    expect(digests.size).toBe(1)
  })
})

const TYPE = 'application/vnd.api+json'

describe('a set that is taken from another owner', () => {
  const FILES = 'variableSets:\n  a: { env: { A: 1 } }\n  b: { env: { A: 1 } }\n'
  const owned = (owner: string) => `organization: acme\nowner: ${owner}\n`

  /** The sets are in the inventory of `platform`, and the files of `crm` declare them as well. */
  async function moving(): Promise<Place> {
    const place = await aPlace({ 'setpoint.yaml': owned('platform'), 'sets/a.yaml': FILES })
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    place.write({ 'setpoint.yaml': owned('crm') })
    return place
  }

  test('is seen before everything else, also where nothing differs, and is a change', async () => {
    const { setpoint } = await moving()
    const plan = await setpoint(['plan', '--adopt', '*', '--detailed-exitcode'])
    expect([plan.code, plan.stdout]).toEqual([
      2,
      expect.stringMatching(
        /2 sets are taken from another owner(.|\n)* {2}adopted +a, b +taken from owner platform/,
      ),
    ])
  })

  test('is part of the digest, and of what a plan file agrees to', async () => {
    const { setpoint, write, live } = await moving()
    const digestOf = async (...argv: readonly string[]): Promise<string> =>
      (JSON.parse((await setpoint(['plan', '--format', 'json', ...argv])).stdout) as Plan).digest
    const both = await digestOf('--adopt', '*')
    expect(await digestOf('--adopt', 'a', '--only', '*')).not.toBe(both)
    await setpoint(['plan', '--adopt', '*', '--out', 'plan.json'])
    // Another owner takes it first.
    write({ 'setpoint.yaml': owned('sales') })
    expect((await setpoint(['apply', '--adopt', 'a', '--only', 'a', '--auto-approve'])).code).toBe(0)
    write({ 'setpoint.yaml': owned('crm') })
    const before = live()
    const ran = await setpoint(['apply', 'plan.json', '--adopt', '*'])
    expect([ran.code, ran.stderr, live()]).toEqual([
      4,
      expect.stringMatching(/adopt a\n +reviewed: taken from "platform"\n +now: +taken from "sales"/),
      before,
    ])
  })
})
