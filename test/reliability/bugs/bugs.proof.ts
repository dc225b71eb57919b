import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pid } from 'node:process'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { compile, scratch } from '../compile.mjs'
import { expectSection } from '../page.ts'
import type { Bug } from './bug.ts'
import { BUGS } from './bugs.ts'
import { outdated, type Planted, plantBugs } from './plant.ts'
import { PROBES } from './probes.ts'
import type { Task } from './thread.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const THREADS = 2

/** What a compiled program is found to break. A thread that dies has found something as well. */
function findings(program: string, task: Task): Promise<readonly string[]> {
  const worker = new Worker(join(program, 'test/reliability/bugs/thread.js'), { workerData: task })
  return new Promise(resolve => {
    worker.once('message', (found: readonly string[]) => resolve(found))
    worker.once('error', error => resolve([`the thread died: ${String(error)}`]))
  }).then(async found => {
    await worker.terminate()
    return found as readonly string[]
  })
}

/** Each of the two threads has a program of its own, whose one file is exchanged for each bug. */
async function findBugs(
  base: string,
  planted: readonly Planted[],
): Promise<ReadonlyMap<Bug, readonly string[]>> {
  const found = new Map<Bug, readonly string[]>()
  const queue = BUGS.entries()
  const work = async (program: string): Promise<void> => {
    cpSync(base, program, { recursive: true })
    for (const [index, bug] of queue) {
      const { script, text } = planted[index] ?? { script: '', text: '' }
      const path = join(program, script)
      const right = readFileSync(path, 'utf8')
      writeFileSync(path, text)
      found.set(bug, await findings(program, bug.caughtBy))
      writeFileSync(path, right)
    }
  }
  const places = Array.from({ length: THREADS }, (_, i) => join(place, `thread-${i}`))
  await Promise.all(places.map(work))
  return found
}

const schedulesOf = ({ caughtBy }: Bug): readonly string[] =>
  'schedules' in caughtBy ? caughtBy.schedules : []
const checkOf = ({ caughtBy }: Bug): string =>
  'probe' in caughtBy ? `probe: ${caughtBy.probe}` : caughtBy.schedules.map(text => `\`${text}\``).join(', ')

const table = (): string =>
  [
    `${BUGS.length} deliberate defects, each in one file of \`src\`, each caught by the check that is named: one schedule of faults that breaks a promise, or a probe of \`test/reliability/bugs/probes\`. The same checks find nothing in the program as it is.`,
    '',
    '| defect | in `src/` | caught by | schedules |',
    '|-|-|-|-|',
    ...BUGS.map(
      bug => `| ${bug.name} | \`${bug.file}\` | ${checkOf(bug)} | ${schedulesOf(bug).length || '-'} |`,
    ),
  ].join('\n')

/** Of this process alone: the tests may run twice at a time. */
const place = scratch(`bugs-${pid}`)
const base = join(place, 'base')
afterAll(() => rmSync(place, { recursive: true, force: true }))

test('the checks find nothing in the program as it is, and every planted bug', async () => {
  expect(outdated(BUGS, ROOT)).toEqual([])
  compile(base)
  const planted = plantBugs(BUGS, ROOT, join(place, 'planted'))
  const schedules = [...new Set(BUGS.flatMap(schedulesOf))]
  const clean = [
    ...(await findings(base, { schedules })),
    ...(await Promise.all(Object.keys(PROBES).map(probe => findings(base, { probe } as Task)))).flat(),
  ]
  expect(clean).toEqual([])
  const found = await findBugs(base, planted)
  const missed = BUGS.filter(bug => (found.get(bug)?.length ?? 0) < Math.max(1, schedulesOf(bug).length))
  expect(missed.map(({ name }) => name)).toEqual([])
})

test('the page says which they are', () => {
  expectSection('planted-bugs', table())
})
