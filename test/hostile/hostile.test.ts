import { describe, expect, test, vi } from 'vitest'
import type { ApiRequest } from '../../src/wire/transport.ts'
import { writeFiles } from '../cli/place.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { FAULTS, LIES } from './faults.ts'
import { type Fault, type Hostile, hostileService } from './service.ts'
import { FILES, foreignIn, ownIn, SECRETS, TOKEN, WANTED } from './story.ts'

/** Where in a run a fault strikes: the first request that fits. */
const PLACES: Readonly<Record<string, (request: ApiRequest) => boolean>> = {
  'the first read': ({ method }) => method === 'GET',
  'the new set': ({ method, path }) => method === 'POST' && path.endsWith('/varsets'),
  'the settings with two variables': ({ method, path }) => method === 'PATCH' && !path.includes('/vars/'),
  'the changed variable': ({ method, path }) => method === 'PATCH' && path.includes('/vars/'),
  'the deleted variable': ({ method, path }) => method === 'DELETE' && path.includes('/vars/'),
  'the deleted set': ({ method, path }) => method === 'DELETE' && !path.includes('/relationships/'),
  'the assignment': ({ method, path }) => method === 'POST' && path.endsWith('/workspaces'),
  'what is unassigned': ({ method, path }) => method === 'DELETE' && path.endsWith('/workspaces'),
  'the closing read': request => request.method === 'GET' && request.headers['x-after-writes'] === 'yes',
}

/** `fault` for the first request that fits, or for every one. */
function strike(
  hostile: Hostile,
  fault: Fault,
  fits: (request: ApiRequest) => boolean,
  often: 'once' | 'always',
) {
  let wrote = false
  let struck = false
  hostile.choose = request => {
    const seen = wrote ? { ...request, headers: { ...request.headers, 'x-after-writes': 'yes' } } : request
    if (request.method !== 'GET') wrote = true
    if ((struck && often === 'once') || !fits(seen)) return undefined
    struck = true
    return fault
  }
}

const snapshotOf = ({ sandbox }: Hostile) => sandbox.snapshot({ sensitive: true })

/** Waits take no time: the clock of the run jumps. */
async function apply(hostile: Hostile, cwd: string, consent = ['--auto-approve']): Promise<Ran> {
  const env = {
    SETPOINT_ADDRESS: hostile.url,
    SETPOINT_TOKEN: TOKEN,
    ...Object.fromEntries(Object.entries(SECRETS).map(([name, text]) => [`SETPOINT_SECRET_${name}`, text])),
  }
  const now = performance.now.bind(performance)
  let slept = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + slept)
  const sleep = (ms: number): Promise<void> => {
    slept += ms
    return new Promise(resolve => setImmediate(resolve))
  }
  try {
    return await run(['apply', ...consent, '--rate', '10000'], { cwd, env, io: { sleep } })
  } finally {
    clock.mockRestore()
  }
}

/** What must hold after any run, whatever was done to it. */
function expectHonest(
  hostile: Hostile,
  before: ReturnType<typeof snapshotOf>,
  { code, stdout, stderr }: Ran,
) {
  const now = snapshotOf(hostile)
  expect([0, 1, 3, 4], stdout + stderr).toContain(code)
  expect(foreignIn(now)).toEqual(foreignIn(before))
  if (code === 0) expect(ownIn(now)).toEqual(WANTED)
  if (code === 1 || code === 4) expect(ownIn(now), stdout + stderr).toEqual(ownIn(before))
  const text = stdout + stderr
  for (const hidden of [
    TOKEN,
    ...Object.values(SECRETS),
    '\u001b',
    '\n    at ',
    'internal error',
    'undefined',
  ])
    expect(text).not.toContain(hidden)
  expect(text).not.toMatch(/^\s*::/m)
}

async function expectRepaired(hostile: Hostile, cwd: string) {
  hostile.choose = () => undefined
  const { code, stdout, stderr } = await apply(hostile, cwd)
  expect({ code, text: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, text: '' })
  expect(ownIn(snapshotOf(hostile))).toEqual(WANTED)
}

const PROFILES = {
  'names are unique': { profile: {}, places: Object.keys(PLACES) },
  'anything may be there twice': {
    profile: { setNames: 'any', setUpdateKnownVariable: 'second', duplicateVariable: 'second' },
    places: ['the new set', 'the settings with two variables'],
  },
} as const

describe.each(Object.entries(PROFILES))(
  'where %s, an apply is honest and the next one repairs',
  (_, { profile, places }) => {
    const cases = Object.entries(FAULTS).flatMap(([name, fault]) =>
      places.map(place => ({ name, fault, place })),
    )

    test.each(cases)(
      'after the service $name at $place',
      {
        tags: [
          'F-02',
          'F-10',
          'F-11',
          'F-12',
          'F-15',
          'F-16',
          'F-20',
          'I-03',
          'I-08',
          'I-10',
          'I-17',
          'exit-0',
          'exit-1',
          'exit-4',
        ],
      },
      async ({ name, fault, place }) => {
        const fits = PLACES[place]
        if (fits === undefined) throw new Error(`no such place: ${place}`)
        const hostile = await hostileService(profile)
        const cwd = aDirectory(FILES)
        const before = snapshotOf(hostile)
        strike(hostile, fault, fits, 'once')
        expectHonest(hostile, before, await apply(hostile, cwd))
        // Two sets of one name, made by somebody else: which one is meant is not ours to say.
        if (name === 'acts twice' && places.length === 2) return
        await expectRepaired(hostile, cwd)
      },
    )
  },
)

describe('a service that always', () => {
  test.each(Object.entries(LIES))(
    '%s is found out, or got round',
    { tags: ['F-18', 'F-33'] },
    async (_, lie) => {
      const hostile = await hostileService()
      const cwd = aDirectory(FILES)
      const before = snapshotOf(hostile)
      strike(hostile, lie, ({ method }) => method !== 'GET', 'always')
      expectHonest(hostile, before, await apply(hostile, cwd))
      await expectRepaired(hostile, cwd)
    },
  )

  test.each(Object.entries(FAULTS))(
    '%s costs a bounded number of requests',
    { tags: ['F-82', 'I-02', 'I-13'] },
    async (_, fault) => {
      const hostile = await hostileService()
      const cwd = aDirectory(FILES)
      const before = snapshotOf(hostile)
      strike(hostile, fault, () => true, 'always')
      expectHonest(hostile, before, await apply(hostile, cwd))
      expect(hostile.requests.length).toBeLessThan(150)
      await expectRepaired(hostile, cwd)
      const sent = hostile.requests.length
      expect((await apply(hostile, cwd)).code).toBe(0)
      expect(hostile.requests.slice(sent).filter(text => !text.startsWith('GET '))).toEqual([])
    },
  )

  test.each(['organization: acme\n', 'organization: acme\nowner: team\n'])(
    'makes a set twice is told so, and nothing is chosen or deleted: %j',
    { tags: ['F-20', 'F-35'] },
    async configuration => {
      const hostile = await hostileService({ setNames: 'any' })
      const files = { ...FILES, 'setpoint.yaml': configuration }
      const cwd = aDirectory(files)
      const twice = FAULTS['acts twice']
      const isCreate = PLACES['the new set']
      if (twice === undefined || isCreate === undefined) throw new Error('renamed')
      strike(
        hostile,
        twice,
        request => isCreate(request) && request.body?.includes('fresh') === true,
        'always',
      )
      const adopting = ['--auto-approve', ...(configuration.includes('owner') ? ['--adopt', '*'] : [])]
      const first = await apply(hostile, cwd, adopting)
      expect(first.code).toBe(3)
      const [mine = 'nobody'] = /varset-\w+(?= is ours)/.exec(first.stdout) ?? []
      const made = (snapshotOf(hostile).sets ?? []).filter(({ name }) => name === 'fresh').map(({ id }) => id)
      expect(made).toHaveLength(2)
      expect(made).toContain(mine)
      const sent = hostile.requests.length
      const { code, stderr } = await apply(hostile, cwd)
      expect(code).toBe(1)
      expect(stderr).toContain('The service has 2 sets named "fresh": varset-')
      expect(hostile.requests.slice(sent).filter(text => !text.startsWith('GET '))).toEqual([])
      const others = made.filter(id => id !== mine)
      if (configuration.includes('owner')) {
        expect(stderr).toContain(`${mine} is ours.`)
        expect(stderr).toContain(
          `Add "id: ${mine}" to the set. To delete what is not needed any more, add "removed: [${others}]" to the file as well.`,
        )
      } else expect(stderr).toContain('The report of the apply that made one of them names it.')
      const followed = FILES['sets/a.yaml']
        .replace('  fresh:\n', `  fresh:\n    id: ${mine}\n`)
        .replace('removed: [old]', `removed: [${others}]`)
      writeFiles(cwd, { 'sets/a.yaml': followed })
      const [approval = ''] = /--approve [0-9a-f]{64}/.exec((await apply(hostile, cwd)).stderr) ?? []
      const repaired = await apply(hostile, cwd, approval.split(' '))
      expect({ code: repaired.code, stderr: repaired.stderr }).toEqual({ code: 0, stderr: '' })
      expect(ownIn(snapshotOf(hostile)).filter(({ name }) => name === 'fresh')).toHaveLength(1)
    },
  )
})
