import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pid } from 'node:process'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG_LIST } from '../cases.ts'
import { compile, scratch } from '../compile.mjs'
import { expectSection } from '../page.ts'
import type { Explored } from './explore.ts'
import { BIG, PAIRS } from './pairs.ts'
import type { Task } from './thread.ts'

const THREADS = 2
/** So many situations of a pair on a service are looked at; most pairs have fewer. */
const MOST = 300
const SERVICES = ['default', 'lenient', 'lag-reads-lenient', 'bare', 'upsert'] as const
/** Random orders of each longer pair on each service. */
const RANDOM = 200

interface Done {
  readonly task: Task
  readonly explored: Explored
}

/** Of this process alone: the tests may run twice at a time. */
const program = scratch(`races-${pid}`)
afterAll(() => rmSync(program, { recursive: true, force: true }))

/** Every task, by two threads of the compiled program. What comes of it does not depend on their number. */
async function explore(tasks: readonly Task[]): Promise<readonly Done[]> {
  const done: Done[] = []
  const queue = tasks.values()
  const work = (): Promise<void> => {
    const worker = new Worker(join(program, 'test/reliability/races/thread.js'))
    return new Promise((resolve, reject) => {
      let task: Task | undefined
      const next = (): void => {
        task = queue.next().value
        if (task === undefined) worker.terminate().then(() => resolve(), reject)
        else worker.postMessage(task)
      }
      worker.on('message', (explored: Explored) => {
        if (task !== undefined) done.push({ task, explored })
        next()
      })
      worker.on('error', reject)
      next()
    })
  }
  await Promise.all(Array.from({ length: THREADS }, work))
  return done
}

const broken = (done: readonly Done[]) =>
  done.flatMap(({ task, explored }) => explored.broken.slice(0, 3).map(one => ({ ...task, ...one })))
const sum = (done: readonly Done[], count: (explored: Explored) => number): number =>
  done.reduce((total, { explored }) => total + count(explored), 0)

let all: readonly Done[] = []
let random: readonly Done[] = []

beforeAll(async () => {
  compile(program)
  const every = PAIRS.flatMap(({ name }) =>
    SERVICES.map(profile => ({ pair: name, profile, most: MOST, concurrency: 1 })),
  )
  const chance = BIG.flatMap(({ name }, index) =>
    (name.endsWith(LONG_LIST) ? ['pages', 'pages-lenient'] : SERVICES).map(profile => ({
      pair: name,
      profile,
      count: RANDOM,
      seed: index + 1,
    })),
  )
  const done = await explore([...chance, ...every])
  all = done.filter(({ task }) => 'most' in task)
  random = done.filter(({ task }) => 'count' in task)
})

describe('two applies at once do no silent damage', () => {
  test('in any order of their requests, for short plans', () => {
    expect(broken(all)).toEqual([])
    expect(all.filter(({ explored }) => explored.complete).length).toBeGreaterThanOrEqual(20)
  })

  test('in random orders, for long plans with several requests at once', () => {
    expect(broken(random)).toEqual([])
    expect(sum(random, ({ races }) => races)).toBeGreaterThanOrEqual(10_000)
  })

  test('and the page says how many were looked at', () => {
    expectSection('interleavings', page())
  })
})

function page(): string {
  const rows = PAIRS.map(({ name }) => {
    const done = all.filter(({ task }) => task.pair === name)
    const complete = done.filter(({ explored }) => explored.complete).length
    const counts = [sum(done, one => one.states), sum(done, one => one.races)]
    const ends = (['both done', 'one done', 'none done'] as const).map(ending =>
      sum(done, ({ endings }) => endings[ending]),
    )
    return `| ${[name, ...counts, `${complete} of ${SERVICES.length}`, ...ends, sum(done, one => one.doubled), sum(done, one => one.broken.length)].join(' | ')} |`
  })
  return [
    `Two runs of the program begin from one state, and at each step it is chosen whose next request arrives. ${PAIRS.length} pairs of short plans on the services ${SERVICES.map(one => `\`${one}\``).join(', ')}: every order, where a situation that was met before (the same answers to both, the same state of the service) is not gone on from again. Where there are more than ${MOST} situations, the first ${MOST} are looked at, and the pair is not complete on that service.`,
    '',
    'Silent damage is: exit code 0 of a run whose files were not what the service held at any moment since its last write to a set; exit code 1 of a run that wrote; something changed that neither speaks of; after the race, a quiet run of each that does not end with 0 and with what its files say, or that leaves a variable twice. Where a service takes two sets of one name, a race can make two; then the quiet run says so and changes nothing (the column *doubled*).',
    '',
    '| two runs | situations | ends | complete on | both 0 | one 0 | none 0 | doubled | silent damage |',
    '|-|-:|-:|-:|-:|-:|-:|-:|-:|',
    ...rows,
    '',
    `Random orders, with one to four requests of each run under way, of two runs of each case of the schedules above: ${sum(random, one => one.races)} races on ${new Set(random.map(({ task }) => task.profile)).size} services, silent damage in ${sum(random, one => one.broken.length)}; both ended with 0 in ${sum(random, ({ endings }) => endings['both done'])}, one in ${sum(random, ({ endings }) => endings['one done'])}, none in ${sum(random, ({ endings }) => endings['none done'])}.`,
  ].join('\n')
}
