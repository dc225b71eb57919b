import { itemAt, valueAt } from '../../model/lists.ts'
import type { Graph } from '../graph.ts'
import type { Operation } from '../operation.ts'
import { Contest, type Finished, NOTHING, type Place } from './place.ts'

/** All steps in one order that the slots permit. */
export interface StepOrder {
  readonly order: readonly number[]
  readonly slots: Graph
  readonly positionOf: (node: number) => number
  /** Steps that remove a secret, and those before them. They come first, and wait for nothing but slots. */
  readonly isFree: (node: number) => boolean
}

/** A step as one contribution to one place. */
interface Turn {
  readonly node: number
  readonly contest: Contest
  /** All of this place, by contribution. */
  readonly turns: readonly Turn[][]
  readonly contribution: number
  readonly step: Finished
  /** How many more cells show another value right after it. */
  cost: number
}

/** A step that could be the next one. Outdated if its cost is not that of the step any more. */
interface Candidate {
  readonly node: number
  readonly cost: number
}

/**
 * One order of all steps: removals of secrets first, with what the slots require of them; then, repeatedly, the step after which the
 * fewest cells show a value that is neither old nor new. Of equal ones, additions come first, then updates, then removals.
 */
export function lineOf(
  operations: readonly Operation[],
  slots: Graph,
  places: readonly Place[],
  isFree: (node: number) => boolean,
): StepOrder {
  const order = new LineBuilder(operations, slots, places, isFree).order()
  const positions = new Map(order.map((node, position) => [node, position]))
  return { order, slots, positionOf: node => valueAt(positions, node), isFree }
}

const RANK = {
  'create-set': 0,
  'create-variable': 0,
  assign: 0,
  'update-variable': 1,
  'update-set': 1,
  'delete-variable': 2,
  unassign: 2,
  'delete-set': 2,
} as const satisfies Record<Operation['type'], number>

class LineBuilder {
  /** By node. */
  readonly #turns: Turn[][]
  readonly #costs: Int32Array
  /** How many steps each node still waits for; `DONE` if it is in the line. */
  readonly #waits: Int32Array
  readonly #later: number[][]
  readonly #compare: (a: Candidate, b: Candidate) => number
  /** Sorted, the best one last. */
  #candidates: Candidate[] = []

  constructor(
    operations: readonly Operation[],
    slots: Graph,
    places: readonly Place[],
    isFree: (node: number) => boolean,
  ) {
    this.#turns = operations.map(() => [])
    this.#costs = new Int32Array(operations.length)
    this.#waits = Int32Array.from(operations, (_, node) => slots.before(node).length)
    this.#later = operations.map(() => [])
    for (const node of operations.keys())
      for (const earlier of slots.before(node)) itemAt(this.#later, earlier).push(node)
    const rank = (node: number): number => (isFree(node) ? 0 : 1 + RANK[itemAt(operations, node).type])
    this.#compare = (a, b) =>
      Number(isFree(b.node)) - Number(isFree(a.node)) ||
      a.cost - b.cost ||
      rank(a.node) - rank(b.node) ||
      a.node - b.node
    for (const place of places) this.#watch(place)
  }

  #watch(place: Place): void {
    const contest = new Contest(place)
    const turns: Turn[][] = []
    for (const [contribution, { steps }] of place.competitors.contributions.entries()) {
      const own = steps.map((node, bit) => {
        const step = 1 << bit
        const cost = contest.costAfter(contribution, step) - contest.cost
        return { node, contest, turns, contribution, step, cost }
      })
      turns.push(own)
      for (const turn of own) {
        itemAt(this.#turns, turn.node).push(turn)
        this.#costs[turn.node] = itemAt(this.#costs, turn.node) + turn.cost
      }
    }
  }

  order(): number[] {
    const order: number[] = []
    const ready = [...this.#waits.keys()].filter(node => this.#waits[node] === 0)
    this.#candidates = ready.map(node => this.#candidate(node)).sort((a, b) => this.#compare(b, a))
    for (let next = this.#candidates.pop(); next !== undefined; next = this.#candidates.pop()) {
      const { node, cost } = next
      if (this.#waits[node] === DONE || this.#costs[node] !== cost) continue
      this.#waits[node] = DONE
      order.push(node)
      for (const turn of itemAt(this.#turns, node)) this.#take(turn)
      for (const later of itemAt(this.#later, node)) {
        this.#waits[later] = itemAt(this.#waits, later) - 1
        this.#offer(later)
      }
    }
    return order
  }

  #candidate(node: number): Candidate {
    return { node, cost: itemAt(this.#costs, node) }
  }

  #offer(node: number): void {
    if (this.#waits[node] !== 0) return
    const candidate = this.#candidate(node)
    let [from, until] = [0, this.#candidates.length]
    while (from < until) {
      const middle = (from + until) >> 1
      if (this.#compare(itemAt(this.#candidates, middle), candidate) > 0) from = middle + 1
      else until = middle
    }
    this.#candidates.splice(from, 0, candidate)
  }

  /** Finishes a step at one place, and estimates those again whose cost this changes. */
  #take({ contest, turns, contribution, step }: Turn): void {
    const was = { strength: contest.strongest, cost: contest.cost }
    contest.finish(contribution, step)
    const others = contest.cost === was.cost ? between(contest, was.strength) : turns.keys()
    for (const other of new Set([contribution, ...others]))
      for (const turn of itemAt(turns, other)) this.#estimate(turn)
  }

  #estimate(turn: Turn): void {
    const { node, contest, contribution, step } = turn
    if (this.#waits[node] === DONE) return
    const cost = contest.costAfter(contribution, step) - contest.cost
    if (cost === turn.cost) return
    this.#costs[node] = itemAt(this.#costs, node) + cost - turn.cost
    turn.cost = cost
    this.#offer(node)
  }
}

const DONE = -1

/** The contributions with a state between the previous winner and the present one, which may win against one of them only. */
function between({ place, strongest, winner }: Contest, previous: number): number[] {
  const [least, most] = [Math.min(previous, strongest), Math.max(previous, strongest)]
  const contributions = place.owners.slice(Math.max(least, 0), most + 1)
  return winner === NOTHING ? contributions : [winner, ...contributions]
}
