import { ok } from 'node:assert/strict'
import type { Profile } from '../../../src/sandbox/index.ts'
import { again, atLeast, type Family } from '../family.ts'
import { table } from '../page.ts'
import { FAULTS, LIES } from './faults.ts'
import { apply, isHonest, isRepaired, isStill, PLACES, snapshotOf, strike, withHostile } from './run.ts'
import { FILES } from './story.ts'

/** A fault once at a place of a run, or always; or a service that reports false success. */
type Task = (typeof ONCE)[number] | { readonly always: string } | { readonly lie: string }

type Found = readonly string[]

const SERVICES = {
  'names are unique': { profile: {}, places: Object.keys(PLACES) },
  'duplicates are possible': {
    profile: { duplicates: 'second' },
    places: ['the new set', 'the settings with two variables'],
  },
} as const satisfies Record<string, { profile: Partial<Profile>; places: readonly string[] }>

/** Maximum requests of a run in which nothing succeeds. */
const MOST_REQUESTS = 150

const PROMISES = {
  once: 'whatever happens to one request, an apply reports the truth, and the next one repairs',
  always: 'whatever always happens, an apply sends a bounded number of requests, and the next one repairs',
  lie: 'a false success of the service is detected or repaired',
} as const

/** Every fault at every place of a run. */
const ONCE = Object.entries(SERVICES).flatMap(([service, { places }]) =>
  Object.keys(FAULTS).flatMap(once =>
    places.map(place => ({ once, place, service: service as keyof typeof SERVICES })),
  ),
)

/** Responses that no real service sends, byte by byte over real sockets. */
const hostile: Family<Task, Found> = {
  name: 'hostile',
  proves: [
    'F-02',
    'F-10',
    'F-11',
    'F-12',
    'F-15',
    'F-16',
    'F-18',
    'F-20',
    'F-33',
    'F-82',
    'I-02',
    'I-03',
    'I-08',
    'I-10',
    'I-13',
    'I-17',
    'exit-0',
    'exit-1',
    'exit-4',
  ],
  tasks(size, seed) {
    const always = Object.keys(FAULTS).map(name => ({ always: name }))
    const lies = Object.keys(LIES).map(lie => ({ lie }))
    if (size !== 'sample') return [...ONCE, ...always, ...lies]
    // Each fault at one place, so each place several times. Another seed takes other places.
    const some = Object.keys(FAULTS).flatMap((name, turn) => {
      const all = ONCE.filter(({ once }) => once === name)
      return all.slice((turn + seed) % all.length).slice(0, 1)
    })
    return [...some, ...always.filter((_, turn) => turn % 8 === seed % 8), ...lies]
  },
  seconds: () => 0.15,
  async run(task) {
    try {
      if ('once' in task) await struckOnce(task)
      else if ('always' in task) await struckAlways(task.always)
      else await liedTo(task.lie)
      return []
    } catch (error) {
      return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
    }
  },
  conclude(done, size, isAll) {
    const of = (kind: keyof typeof PROMISES) => done.filter(({ task }) => kind in task)
    const kinds = Object.keys(PROMISES) as (keyof typeof PROMISES)[]
    return {
      figures: [
        ['faults at places of a run', of('once').length],
        ['services that always do one thing', of('always').length + of('lie').length],
      ],
      promises: [
        ...kinds.map(kind => ({
          promise: PROMISES[kind],
          broken: of(kind).flatMap(({ task, found }) =>
            found.map(one => `${one}\n${again('hostile', task)}`),
          ),
        })),
        ...(size === 'sample' ? [] : [atLeast('500 runs are disturbed', 500, done.length, isAll)]),
      ],
      section: table(
        ['promise', 'tried'],
        kinds.map(kind => [PROMISES[kind], of(kind).length]),
      ),
    }
  },
}

export default hostile

async function struckOnce({ once, place, service }: (typeof ONCE)[number]): Promise<void> {
  const { profile, places } = SERVICES[service]
  await withHostile(profile, FILES, async (hostile, cwd) => {
    const before = snapshotOf(hostile)
    const hasStruck = strike(hostile, named(FAULTS, once), named(PLACES, place), 'once')
    isHonest(hostile, before, await apply(hostile, cwd))
    ok(hasStruck(), `no request of the run was at ${place}`)
    // If somebody else created two sets with one name, Setpoint cannot choose one.
    if (once === 'acts twice' && places.length === 2) return
    await isRepaired(hostile, cwd)
  })
}

async function struckAlways(name: string): Promise<void> {
  await withHostile({}, FILES, async (hostile, cwd) => {
    const before = snapshotOf(hostile)
    strike(hostile, named(FAULTS, name), () => true, 'always')
    isHonest(hostile, before, await apply(hostile, cwd))
    ok(hostile.requests.length < MOST_REQUESTS, `${hostile.requests.length} requests`)
    await isRepaired(hostile, cwd)
    await isStill(hostile, cwd)
  })
}

async function liedTo(name: string): Promise<void> {
  await withHostile({}, FILES, async (hostile, cwd) => {
    const before = snapshotOf(hostile)
    strike(hostile, named(LIES, name), ({ method }) => method !== 'GET', 'always')
    isHonest(hostile, before, await apply(hostile, cwd))
    await isRepaired(hostile, cwd)
  })
}

function named<Item>(all: Readonly<Record<string, Item>>, name: string): Item {
  const item = all[name]
  if (item === undefined) throw new RangeError(`there is no "${name}"`)
  return item
}
