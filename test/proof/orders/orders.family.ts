import fc from 'fast-check'
import { createPlan } from '../../../src/plan/create.ts'
import { pairOfStates } from '../../support/arbitrary.ts'
import { OPTIONS } from '../../support/plans.ts'
import { DIRECTORY, PROJECTS, WORKSPACES } from '../../support/world.ts'
import { again, atLeast, counted, type Family, type Size } from '../family.ts'
import { allGaps, gapsOnTheWay, namedGaps, type Places } from './oracle.ts'
import { hasOrderWithoutGaps } from './orders.ts'

/** This many pairs of states, from this seed on. */
interface Task {
  readonly from: number
  readonly pairs: number
}

interface Found {
  readonly pairs: number
  /** Plans that were checked at every permitted moment. */
  readonly whole: number
  /** Longer plans, of which some orders were checked. */
  readonly walked: number
  readonly withGaps: number
  /** Plans of up to eight steps with a gap, for which every order was tried. */
  readonly tried: number
  /** Those of them for which another order has no gap. */
  readonly better: number
  readonly gaps: number
  readonly broken: readonly string[]
}

const NOTHING: Found = {
  pairs: 0,
  whole: 0,
  walked: 0,
  withGaps: 0,
  tried: 0,
  better: 0,
  gaps: 0,
  broken: [],
}

const PAIRS = { whole: 100_000, part: 4_000, sample: 100 } as const satisfies Record<Size, number>
/** Number of pairs in a task. */
const EACH = 50
const SPREAD = 1_000_000

/** Plans of up to this many steps are checked at every possible moment. */
const MOST_WHOLE = 8
/** Longer plans are checked along this many orders. */
const WALKS = 2
/** All orders of up to this many steps are tried. */
const MOST_TRIED = 8

const PROJECT_OF: Places = WORKSPACES.map((id, i) => [id, PROJECTS[i % 2]])

/** Whether a plan names exactly the gaps of its order. How many plans have a gap that another order avoids is a figure, not a promise. */
const orders: Family<Task, Found> = {
  name: 'orders',
  proves: [],
  tasks: (size, seed) =>
    Array.from({ length: PAIRS[size] / EACH }, (_, turn) => ({
      from: SPREAD * seed + turn * EACH,
      pairs: EACH,
    })),
  seconds: ({ pairs }) => pairs / 100,
  async run({ from, pairs }) {
    let found = NOTHING
    for (let pair = from; pair < from + pairs; pair++) found = added(found, judged(pair))
    return found
  },
  conclude(done, size, isAll) {
    const all = done.reduce((total, { found }) => added(total, found), NOTHING)
    return {
      figures: [
        ['random pairs of states whose plan was checked', all.pairs],
        ['plans that were checked at every possible moment', all.whole],
        ['values that are neither old nor new, each named by its plan', all.gaps],
        ['plans with a gap for which every order was tried', all.tried],
        ['those of them for which another order has no gap', all.better],
      ],
      promises: [
        {
          promise:
            'a plan names every gap that a naive computation finds after every set of finished steps, between the two steps of the gap, and a plan of up to eight steps names no other',
          broken: all.broken,
        },
        ...(size === 'whole'
          ? [atLeast('40,000 plans are checked at every possible moment', 40_000, all.whole, isAll)]
          : []),
      ],
      section: `${counted(all.pairs)} random pairs of states. Of ${counted(all.whole)} plans with up to eight steps, the effective values of every workspace are computed naively after every set of finished steps that the order permits; for ${counted(all.walked)} longer ones, along ${WALKS} random orders. The plans name each of the ${counted(all.gaps)} values that are neither old nor new, and the shorter plans name no others. ${counted(all.withGaps)} plans have a gap. For the ${counted(all.tried)} of them with up to eight steps, every order was tried: ${counted(all.better)} of them have an order without a gap.`,
    }
  },
}

export default orders

const added = (a: Found, b: Found): Found => ({
  pairs: a.pairs + b.pairs,
  whole: a.whole + b.whole,
  walked: a.walked + b.walked,
  withGaps: a.withGaps + b.withGaps,
  tried: a.tried + b.tried,
  better: a.better + b.better,
  gaps: a.gaps + b.gaps,
  broken: [...a.broken, ...b.broken],
})

function judged(seed: number): Found {
  const [pair] = fc.sample(pairOfStates, { seed, numRuns: 1 })
  if (pair === undefined) throw new RangeError(`there is no pair ${seed}`)
  const { desired, observed } = pair
  const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, OPTIONS)
  if (plan === undefined || plan.steps.length === 0) return { ...NOTHING, pairs: 1 }
  const named = namedGaps(plan)
  const isWhole = plan.steps.length <= MOST_WHOLE
  const { seen, outside } = isWhole
    ? allGaps(observed, plan, PROJECT_OF)
    : { seen: gapsOnTheWay(observed, plan, PROJECT_OF, seed, WALKS), outside: [] }
  const isTried = named.length > 0 && plan.steps.length <= MOST_TRIED
  const operations = plan.steps.map(({ operation }) => operation)
  const hasBetter = isTried && hasOrderWithoutGaps(observed, operations, PROJECT_OF, desired.sets)
  const broken = [
    ...seen.flatMap(gap => (named.includes(gap) ? [] : [`${gap} is not named`])),
    ...(isWhole ? named.flatMap(gap => (seen.includes(gap) ? [] : [`${gap} is named and never seen`])) : []),
    ...outside.map(gap => `${gap} is seen before or after the steps that the plan names`),
  ]
  return {
    pairs: 1,
    whole: Number(isWhole),
    walked: Number(!isWhole),
    withGaps: Number(named.length > 0),
    tried: Number(isTried),
    better: Number(hasBetter),
    gaps: named.length,
    broken: broken.map(text => `${text}\n${again('orders', { from: seed, pairs: 1 })}`),
  }
}
