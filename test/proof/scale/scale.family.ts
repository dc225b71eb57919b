import { observe } from '../../../src/api/observe.ts'
import type { Execute } from '../../../src/apply/outcome.ts'
import { applySteps } from '../../../src/apply/schedule.ts'
import type { DesiredState, Directory } from '../../../src/model/variable-set.ts'
import type { OperationId } from '../../../src/plan/operation.ts'
import { resolveNames } from '../../../src/plan/resolve-names.ts'
import { carryOut } from '../../../src/run/apply.ts'
import { planOf } from '../../support/plans.ts'
import { planFrom, plannedFor } from '../../support/prepare.ts'
import { NEVER, UNDISTURBED } from '../../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'
import { workOf } from '../../support/work.ts'
import { aWorld, seedFrom, type World } from '../../support/world.ts'
import { again, counted, type Family, sum } from '../family.ts'
import { table } from '../page.ts'
import { desiredFor, idOf, nameOf, range } from './places.ts'
import { everyKind, movedToOne, numbered, times, variables } from './shapes.ts'

/** What is scaled, and its size. */
interface Task {
  readonly what: keyof typeof PROMISES
  readonly size: number
}

interface Found {
  readonly counted: number
  readonly broken: readonly string[]
}

const SIZES = {
  whole: {
    operations: 100,
    written: 1_000,
    workspaces: 5_000,
    'of every kind': 20,
    'into one set': 100,
    'of workspaces': 5_000,
  },
  part: {
    operations: 20,
    written: 200,
    workspaces: 1_000,
    'of every kind': 20,
    'into one set': 100,
    'of workspaces': 5_000,
  },
  sample: {
    operations: 10,
    written: 50,
    workspaces: 500,
    'of every kind': 10,
    'into one set': 50,
    'of workspaces': 1_000,
  },
} as const

const PROMISES = {
  operations: 'operations of every kind are planned, and each is executed once, after its dependencies',
  written: 'each changed variable is written once, and the service then equals the files',
  workspaces: 'workspaces of one set are looked up in hundreds, with one request for each kind and direction',
  'of every kind':
    'the cost of one more operation does not grow with the number of operations, whatever its kind',
  'into one set':
    'the cost of one more operation does not grow with the number of operations, if all variables move into one set',
  'of workspaces': 'the cost of one more workspace does not grow with the number of workspaces',
} as const

/** Each thing is done once, and the cost of one more does not grow. Counted, not timed. */
const scale: Family<Task, Found> = {
  name: 'scale',
  proves: [],
  // A sample takes two of the six, chosen by the seed. Each has a thread that loads the program.
  tasks: (size, seed) =>
    Object.entries(SIZES[size])
      .filter((_, at) => size !== 'sample' || at % 3 === seed % 3)
      .map(([what, many]) => ({ what: what as Task['what'], size: many })),
  seconds: () => 6,
  // Counting slows its thread down permanently.
  isAlone: () => true,
  async run({ what, size }) {
    switch (what) {
      case 'operations':
        return await planned(size)
      case 'written':
        return await written(size)
      case 'workspaces':
        return await placed(size)
      case 'of every kind':
        return await costing(size, many => planLarge(everyKind(many)))
      case 'into one set':
        return await costing(size, many => planLarge(movedToOne(many)))
      case 'of workspaces':
        return await costing(size, resolveAndPlan)
    }
  },
  conclude(done) {
    const countOf = (what: Task['what']): number =>
      sum(done, ({ task, found }) => (task.what === what ? found.counted : 0))
    return {
      figures: [
        ['operations of one plan', countOf('operations')],
        ['variables written by one apply', countOf('written')],
        ['workspaces of one set', countOf('workspaces')],
      ],
      promises: Object.entries(PROMISES).map(([what, promise]) => ({
        promise,
        broken: done.flatMap(({ task, found }) =>
          task.what === what ? found.broken.map(text => `${text}\n${again('scale', task)}`) : [],
        ),
      })),
      section: table(
        ['promise', 'with'],
        Object.entries(PROMISES).map(([what, promise]) => [promise, counted(countOf(what as Task['what']))]),
      ),
    }
  },
}

export default scale

function differing(what: string, wanted: unknown, got: unknown): string[] {
  const [a, b] = [JSON.stringify(wanted), JSON.stringify(got)]
  return a === b ? [] : [`${what}: wanted ${a}, got ${b.slice(0, 1_000)}`]
}

/** A thousand times `size` operations. */
async function planned(size: number): Promise<Found> {
  const { desired, observed } = everyKind(size)
  const { steps, summary } = planOf(desired, anObservedState(...observed))
  const done = new Set<OperationId>()
  const wrong: OperationId[] = []
  const execute: Execute = async ({ id, after }) => {
    if (done.has(id) || after.some(({ step }) => !done.has(step))) wrong.push(id)
    await undefined
    done.add(id)
    return { outcome: { status: 'succeeded' } }
  }
  const options = { concurrency: 8, stop: NEVER, failFast: false }
  const { results } = await applySteps(steps, execute, options)
  const all = 1_000 * size
  const kinds = { create: 200, update: 420, delete: 200, assign: 90, unassign: 90, changes: 1_000 }
  const wanted = Object.fromEntries(Object.entries(kinds).map(([kind, count]) => [kind, count * size]))
  const edges = steps.reduce((total, { after }) => total + after.length, 0)
  return {
    counted: steps.length,
    broken: [
      ...differing('operations', [all, wanted], [steps.length, summary]),
      // A move or a replacement has one operation that waits, and a chain one less than its length.
      ...differing('operations that wait', 120 * size - 1, edges),
      ...differing('carried out', [all, all, []], [results.length, done.size, wrong]),
    ],
  }
}

/** This many sets with a hundred variables each. */
async function written(sets: number): Promise<Found> {
  const names = times(sets, at => `set-${at}`)
  const world = await aWorld(
    names.map((name, at) => {
      const observed = anObserved('', name, { variables: variables(0, 100, 'old') })
      const withIds = observed.variables.map((variable, i) => ({
        ...variable,
        id: `var-${numbered(at * 100 + i)}` as const,
      }))
      return seedFrom({ ...observed, id: `varset-${numbered(at)}`, variables: withIds })
    }),
  )
  const desired = aDesiredState(...names.map(name => aSet(name, { variables: variables(0, 100, 'new') })))
  const observed = await observe(world.reader, 'acme')
  const { value: prepared } = planFrom(desired, observed, { address: 'sandbox', only: [], reads: 10 })
  if (prepared === undefined) throw new Error('no plan')
  const { result } = await carryOut({ made: prepared, ...UNDISTURBED, service: world })
  const writes = world.log
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
  const wanted = 100 * sets
  const pages = Math.ceil(sets / 100)
  await world.sandbox.close()
  return {
    counted: writes.length,
    broken: [
      ...differing('exit code', 0, result?.exitCode),
      ...differing('writes', [wanted, wanted], [writes.length, new Set(writes).size]),
      // The list before the plan, and the list at the end.
      ...differing('requests', { reads: 2 * pages, writes: wanted }, world.requests()),
    ],
  }
}

async function applyTo(world: World, desired: DesiredState) {
  const before = world.requests()
  const { value: prepared, diagnostics } = await plannedFor(desired, world, [])
  if (prepared === undefined) throw new Error(JSON.stringify(diagnostics))
  const reads = world.requests().reads - before.reads
  const { result } = await carryOut({ made: prepared, ...UNDISTURBED, service: world })
  const after = world.requests()
  return {
    exitCode: result?.exitCode,
    steps: prepared.plan.steps.map(({ id }) => id),
    planned: reads,
    applied: { reads: after.reads - before.reads - reads, writes: after.writes - before.writes },
  }
}

/** Assigns this many workspaces to one set, then exchanges half of them. */
async function placed(count: number): Promise<Found> {
  const [half, all] = [count / 2, count * 1.5]
  const world = await aWorld([], {
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ id: 'prj-AAAAAAAAAAAAAAA1', name: 'project-1' }],
      workspaces: range(0, all).map(at => ({ id: idOf(at), name: nameOf(at), project: 'project-1' })),
      sets: [],
    },
  })
  // The list of sets, the first page of workspaces before their ids in hundreds, and one page of projects.
  const reads = 3 + Math.ceil(all / 100)
  const first = await applyTo(world, desiredFor(range(0, count)))
  const second = await applyTo(world, desiredFor(range(half, all)))
  const third = await applyTo(world, desiredFor(range(half, all)))
  await world.sandbox.close()
  const moved = ['assign a workspaces', 'unassign a workspaces']
  const none = { reads: 0, writes: 0 }
  return {
    counted: count,
    broken: [
      ...differing(
        'the set with its workspaces',
        { exitCode: 0, steps: ['create-set a'], planned: reads, applied: { reads: 1, writes: 1 } },
        first,
      ),
      ...differing(
        'half of the workspaces exchanged',
        { exitCode: 0, steps: moved, planned: reads, applied: { reads: 1, writes: 2 } },
        second,
      ),
      ...differing(
        'the same workspaces again',
        { exitCode: 0, steps: [], planned: reads - 1, applied: none },
        third,
      ),
    ],
  }
}

/** Compares the cost of one more between a tenth and a fifth of `many` with the cost between a fifth and `many`. */
async function costing(many: number, make: (size: number) => unknown): Promise<Found> {
  const sizes = [many / 10, many / 5, many] as const
  const [few, some, all] = [
    await leastWork(() => make(sizes[0])),
    await leastWork(() => make(sizes[1])),
    await leastWork(() => make(sizes[2])),
  ]
  const ratio = (all - some) / (sizes[2] - sizes[1]) / ((some - few) / (sizes[1] - sizes[0]))
  return { counted: many, broken: ratio < 1.2 ? [] : [`one more costs ${ratio.toFixed(2)} times as much`] }
}

/** Of five runs: the engine may count some of the work twice, and never less. */
async function leastWork(run: () => unknown): Promise<number> {
  const counts: number[] = []
  for (let again = 0; again < 5; again++) counts.push(await workOf(run))
  return Math.min(...counts)
}

const planLarge = ({ desired, observed }: ReturnType<typeof everyKind>): unknown =>
  planOf(desired, anObservedState(...observed))

async function resolveAndPlan(count: number): Promise<void> {
  const half = count / 2
  const workspaces = range(0, half + count).map(at => ({ name: nameOf(at), id: idOf(at) }))
  const told: Directory = { workspaces, projects: [], whole: ['workspaces'] }
  const { value } = resolveNames(desiredFor(range(half, half + count)), told)
  if (value === undefined) throw new Error('not resolved')
  const observed = anObserved('1', 'a', {
    variables: { 'env/V0': 'old' },
    workspaces: range(0, count).map(idOf),
  })
  planOf(value, anObservedState(observed))
}
