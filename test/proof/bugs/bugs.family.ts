import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { threadId, Worker } from 'node:worker_threads'
import { again, atLeast, type Done, type Family } from '../family.ts'
import { code, table } from '../page.ts'
import { PROGRAM, ROOT } from '../place.ts'
import type { Bug } from './bug.ts'
import { BUGS, KINDS } from './bugs.ts'
import { plantBug } from './plant.ts'
import type { Check } from './thread.ts'

/** A check of the unchanged program, or the name of a bug whose check must find it. */
type Task = { readonly check: Check } | { readonly bug: string }

/** Everything that is broken. */
type Found = readonly string[]

/** Number of bugs of each kind, in a sample and in the part for CI. */
const SOME = { part: 6, sample: 1 } as const

/** The program with one deliberate defect at a time: a check must find it, and must find nothing without the defect. */
const bugs: Family<Task, Found> = {
  name: 'bugs',
  proves: ['F-13', 'F-16', 'F-42', 'F-43', 'I-19'],
  tasks(size, seed) {
    const chosen = size === 'whole' ? BUGS : KINDS.flatMap(kind => someOf(kind, SOME[size], seed))
    const schedules = [...new Set(chosen.flatMap(schedulesOf))]
    const probes = new Set(chosen.flatMap(({ caughtBy }) => ('probe' in caughtBy ? [caughtBy.probe] : [])))
    return [
      ...(schedules.length === 0 ? [] : [{ check: { schedules } }]),
      ...[...probes].map(probe => ({ check: { probe } })),
      ...chosen.map(({ name }) => ({ bug: name })),
    ]
  },
  seconds: () => 1.5,
  async run(task) {
    if ('check' in task) return await findings(PROGRAM, task.check)
    const bug = bugNamed(task.bug)
    const program = ownProgram()
    const { script, text } = plantBug(bug, ROOT, `${program}-planted`)
    const path = join(program, script)
    const right = readFileSync(path, 'utf8')
    writeFileSync(path, text)
    try {
      return await findings(program, bug.caughtBy)
    } finally {
      writeFileSync(path, right)
    }
  },
  conclude(done, size, isAll) {
    const planted = done.flatMap(({ task, found }) =>
      'bug' in task ? [{ bug: bugNamed(task.bug), found }] : [],
    )
    const missed = planted.filter(({ bug, found }) => found.length < Math.max(1, schedulesOf(bug).length))
    return {
      figures: [
        ['planted bugs', planted.length],
        ['found bugs', planted.length - missed.length],
        ['checks of the unchanged program', done.length - planted.length],
      ],
      promises: [
        { promise: 'the checks find nothing in the unchanged program', broken: falselyFound(done) },
        {
          promise: 'every planted bug is found',
          broken: missed.map(({ bug }) => `${bug.name}\n${again('bugs', { bug: bug.name })}`),
        },
        ...(size === 'whole' ? [atLeast('100 bugs are planted', 100, planted.length, isAll)] : []),
      ],
      section: SECTION,
    }
  },
  story: found => `${found.length === 0 ? 'nothing was found' : found.join('\n')}\n`,
}

export default bugs

/** Some members of a list, others for another seed. */
const someOf = <Item>(all: readonly Item[], count: number, seed: number): readonly Item[] =>
  Array.from(
    { length: Math.min(count, all.length) },
    (_, turn) => all.at((seed * count + turn) % all.length) as Item,
  )

const falselyFound = (done: readonly Done<Task, Found>[]): string[] =>
  done.flatMap(({ task, found }) =>
    'check' in task ? found.map(one => `${one}\n${again('bugs', task)}`) : [],
  )

function bugNamed(name: string): Bug {
  const bug = BUGS.find(one => one.name === name)
  if (bug === undefined) throw new RangeError(`there is no bug "${name}"`)
  return bug
}

/** A compiled program for this thread alone, whose files may be replaced. It is removed with the program of the proof. */
function ownProgram(): string {
  if (own === undefined) {
    own = resolve(PROGRAM, '..', `thread-${threadId}`)
    cpSync(PROGRAM, own, { recursive: true })
  }
  return own
}
let own: string | undefined

/** Everything that a compiled program breaks. A thread that crashes counts as a finding. */
async function findings(program: string, check: Check): Promise<Found> {
  const worker = new Worker(join(program, 'test/proof/bugs/thread.js'), { workerData: check })
  try {
    return await new Promise<Found>(resolve => {
      worker.once('message', resolve)
      worker.once('error', error => resolve([`the thread crashed: ${String(error)}`]))
    })
  } finally {
    await worker.terminate()
  }
}

const schedulesOf = ({ caughtBy }: Bug): readonly string[] =>
  'schedules' in caughtBy ? caughtBy.schedules : []
const checkOf = ({ caughtBy }: Bug): string =>
  'probe' in caughtBy ? `probe: ${caughtBy.probe}` : caughtBy.schedules.map(code).join(', ')

const SECTION = [
  `${BUGS.length} deliberate defects, each in one file of \`src\`. The table names the check that finds it: a schedule of faults that breaks a promise, or a probe of \`test/proof/bugs/probes\`. The same checks find nothing in the unchanged program.`,
  table(
    ['defect', 'in `src/`', 'caught by', 'schedules'],
    BUGS.map(bug => [bug.name, code(bug.file), checkOf(bug), schedulesOf(bug).length || '-']),
  ),
].join('\n\n')
