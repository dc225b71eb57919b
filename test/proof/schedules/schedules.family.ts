import { again, atLeast, type Family, type Promised, type Size } from '../family.ts'
import { type Aim, aims, always, hit, tour } from './aim.ts'
import { brokenBy, cellsOf, cellsTable, figuresOf } from './figures.ts'
import { CHECKS } from './judge.ts'
import { unitsOf } from './plan.ts'
import { parseSchedule, play } from './schedule.ts'
import { storyOf } from './story.ts'
import { addTally, emptyTally, record, sweep, type Tally, type Unit } from './unit.ts'

/** A unit, an operation to hit with every fault, every case on every service once, runs in which a fault meets every request, or one schedule. */
type Task =
  | { readonly sweep: Unit }
  | { readonly aim: Aim }
  | { readonly tour: number }
  | { readonly always: number; readonly whole: boolean }
  | { readonly play: string }

type Found = Tally & { readonly story?: string }

/** The minimum number of hits for each fault and operation. */
const EACH: Readonly<Record<Size, number>> = { whole: 100, part: 30, sample: 1 }

/** The whole proof plays all units, and aims only at faults and operations that they rarely combine. */
const AIMED: Readonly<Record<Size, number>> = { ...EACH, whole: 50 }

/**
 * The complete program without its sockets, against the sandbox, in virtual time. Each request may meet a fault; one seed
 * decides everything else.
 */
const schedules: Family<Task, Found> = {
  name: 'schedules',
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
    'I-03',
    'I-08',
    'I-10',
    'I-11',
    'I-13',
    'I-17',
    'I-23',
    '8.1',
    'exit-0',
    'exit-1',
  ],
  tasks(size, seed) {
    const aimed = aims(AIMED[size], seed).map(aim => ({ aim }))
    const throughout = { always: seed, whole: size !== 'sample' }
    if (size === 'whole') return [...unitsOf(seed).map(unit => ({ sweep: unit })), ...aimed, throughout]
    // A sample aims at a third of the operations, chosen by the seed.
    const some = aimed.filter((_, at) => size === 'part' || at % 3 === seed % 3)
    return [{ tour: seed }, throughout, ...some]
  },
  seconds(task) {
    if ('sweep' in task) return task.sweep.count / 300
    return 'aim' in task ? 1 + task.aim.each / 8 : 1
  },
  async run(task) {
    // There are hundreds of thousands of errors, and their stack traces are not used.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      if ('sweep' in task) return await sweep(task.sweep)
      if ('aim' in task) return await hit(task.aim)
      if ('always' in task) return await always(task.always, task.whole)
      return 'tour' in task ? await tour(task.tour) : await told(task.play)
    } finally {
      Error.stackTraceLimit = limit
    }
  },
  conclude(done, size, isAll) {
    const sum = emptyTally()
    for (const { found } of done) addTally(sum, found)
    const cells = cellsOf(sum)
    const fewest = Math.min(...cells.map(({ hits }) => hits))
    const rare = cells.filter(({ hits }) => hits < EACH[size])
    return {
      figures: [
        ['schedules of faults', sum.schedules],
        ['requests', sum.requests],
        ['kinds of fault at kinds of request', cells.length],
        ['fewest times one of these was met', fewest],
      ],
      promises: [
        ...Object.entries(CHECKS).map(([check, promise]) => kept(sum, check, promise)),
        kept(sum, 'unmet', 'every fault can be led to every request that it can meet'),
        {
          promise: `every fault hits every request that it can, ${EACH[size]} times or more`,
          broken: isAll && size !== 'sample' ? rare.map(({ cell, hits }) => `${cell}: ${hits}`) : [],
        },
        ...(size === 'whole' ? [atLeast('100,000 schedules are played', 100_000, sum.schedules, isAll)] : []),
      ],
      section: figuresOf(sum),
      details: cellsTable(sum),
    }
  },
  story: ({ story }) => story,
}

export default schedules

const kept = (sum: Tally, check: string, promise: string): Promised => ({
  promise: `${check}: ${promise}`,
  broken: brokenBy(sum, check)
    .map(({ schedule, violations }) =>
      [...violations, ...(schedule === 'none' ? [] : [again('schedules', { play: schedule })])].join('\n'),
    )
    .sort(),
})

async function told(text: string): Promise<Found> {
  const schedule = parseSchedule(text)
  const verdict = await play(schedule)
  const tally = emptyTally()
  record(tally, schedule, verdict)
  return { ...tally, story: storyOf(text, verdict) }
}
