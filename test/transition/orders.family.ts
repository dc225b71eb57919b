import fc from 'fast-check'
import type { Directory } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { again, atLeast, counted, type Family, type Size } from '../proof/family.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { PLACES, PROJECTS, WORKSPACES } from '../support/world.ts'
import { allGaps, gapsOnTheWay, namedGaps, type Places } from './oracle.ts'
import { hasOrderWithoutGaps, splitsOf } from './orders.ts'

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
  /** Plans of up to eight steps for which every order has a gap. */
  readonly withoutBetter: number
  readonly gaps: number
  /** Plans with a gap that a further split would close for the existing workspaces, see `MOST_SPLITTABLE`. */
  readonly splittable: readonly string[]
  readonly broken: readonly string[]
}

const NOTHING: Found = {
  pairs: 0,
  whole: 0,
  walked: 0,
  withGaps: 0,
  withoutBetter: 0,
  gaps: 0,
  splittable: [],
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

/**
 * Splits depend on the sets alone (docs/transitions.md). A split that would open as many gaps for other possible workspaces as it
 * closes is not made. In at most one of this many pairs of states, it would have helped the existing workspaces.
 */
const MOST_SPLITTABLE = 10_000

const DIRECTORY: Directory = { workspaces: PLACES.workspaces, projects: PLACES.projects }
const PROJECT_OF: Places = WORKSPACES.map((id, i) => [id, PROJECTS[i % 2]])

/** Whether a plan names exactly the gaps of its order, and no order has fewer. */
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
        ['plans with a gap for which every order was tried', all.withoutBetter],
      ],
      promises: [
        {
          promise:
            'a plan names every gap that a naive computation finds after every set of finished steps, between the two steps of the gap, and has a gap only if every order of up to eight steps has one',
          broken: all.broken,
        },
        {
          promise: 'for fewer than one in 10,000 pairs of states a further split would have closed the gaps',
          broken: all.splittable.length <= Math.max(1, all.pairs / MOST_SPLITTABLE) ? [] : all.splittable,
        },
        ...(size === 'whole'
          ? [atLeast('40,000 plans are checked at every possible moment', 40_000, all.whole, isAll)]
          : []),
      ],
      section: `${counted(all.pairs)} random pairs of states. Of ${counted(all.whole)} plans with up to eight steps, the effective values of every workspace are computed naively after every set of finished steps that the order permits; for ${counted(all.walked)} longer ones, along ${WALKS} random orders. The plans name each of the ${counted(all.gaps)} values that are neither old nor new, and the shorter plans name no others. ${counted(all.withGaps)} plans have a gap. For the ${counted(all.withoutBetter)} of them with up to eight steps, every order was tried: none has no gap. With split updates, ${counted(all.splittable.length)} have an order without a gap; such a split would open as many gaps for other workspaces that the sets allow, and splits depend on the sets alone.`,
    }
  },
}

export default orders

const added = (a: Found, b: Found): Found => ({
  pairs: a.pairs + b.pairs,
  whole: a.whole + b.whole,
  walked: a.walked + b.walked,
  withGaps: a.withGaps + b.withGaps,
  withoutBetter: a.withoutBetter + b.withoutBetter,
  gaps: a.gaps + b.gaps,
  splittable: [...a.splittable, ...b.splittable],
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
  const better = isTried ? betterOrder(plan, observed) : undefined
  const isSplit = better !== undefined && better > plan.steps.length
  const broken = [
    ...seen.flatMap(gap => (named.includes(gap) ? [] : [`${gap} is not named`])),
    ...(isWhole ? named.flatMap(gap => (seen.includes(gap) ? [] : [`${gap} is named and never seen`])) : []),
    ...outside.map(gap => `${gap} is seen before or after the steps that the plan names`),
    ...(better === undefined || isSplit ? [] : ['another order has no gap']),
  ]
  const story = (text: string): string => `${text}\n${again('orders', { from: seed, pairs: 1 })}`
  return {
    pairs: 1,
    whole: Number(isWhole),
    walked: Number(!isWhole),
    withGaps: Number(named.length > 0),
    withoutBetter: Number(isTried),
    gaps: named.length,
    splittable: isSplit ? [story(`no gap with ${better} requests instead of ${plan.steps.length}`)] : [],
    broken: broken.map(story),
  }
}

/** The number of requests of an order without gaps: with the requests of the plan, or with further splits. */
function betterOrder(plan: Plan, observed: Parameters<typeof hasOrderWithoutGaps>[0]): number | undefined {
  for (const operations of splitsOf(plan, MOST_TRIED))
    if (hasOrderWithoutGaps(observed, operations, PROJECT_OF)) return operations.length
  return undefined
}
