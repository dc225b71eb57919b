import { itemAt } from '../../model/lists.ts'
import type { Graph } from '../graph.ts'
import type { StepOrder } from './line.ts'
import type { Finished, Place } from './place.ts'

/** A step that is not free. `time`: the number of such steps of the place up to it, in the order of the line. */
interface LaterStep {
  readonly contribution: number
  readonly node: number
  readonly step: Finished
  readonly time: number
}

/**
 * The steps of one contribution to one place. The free ones may be finished in any order that the slots permit. The later ones follow
 * the line: at stage 0 all free steps are finished, and at each further stage one more later step.
 */
export class OwnSteps {
  readonly contribution: number
  readonly free: Finished
  /** Which free steps may be finished without the others, all of them last. */
  readonly subsets: readonly Finished[]
  readonly later: readonly LaterStep[]
  /** What is finished at each stage. */
  readonly stages: readonly Finished[]
  /** How weak its free steps can make it. */
  readonly weakest: number
  /** By what it has finished. */
  readonly #strengths: Int32Array
  readonly #costs: Int32Array
  /** Its steps, by their bits. */
  readonly #nodes: readonly number[]
  readonly #line: StepOrder
  /** By stage: what it has to be stronger than. */
  #covered: Map<number, number> | undefined

  constructor(place: Place, contribution: number, times: ReadonlyMap<number, number>, line: StepOrder) {
    this.contribution = contribution
    this.#strengths = itemAt(place.strengths, contribution)
    this.#costs = itemAt(place.costs, contribution)
    this.#nodes = itemAt(place.competitors.contributions, contribution).steps
    this.#line = line
    this.free = this.#nodes.reduce((mask, node, bit) => (line.isFree(node) ? mask | (1 << bit) : mask), 0)
    this.subsets = closedSubsets(this.#nodes, line.slots, this.free)
    this.later = this.#nodes
      .flatMap((node, bit) => {
        const time = times.get(node)
        return time === undefined ? [] : { contribution, node, step: 1 << bit, time }
      })
      .sort((a, b) => a.time - b.time)
    const stages = [this.free]
    for (const { step } of this.later) stages.push((stages.at(-1) ?? 0) | step)
    this.stages = stages
    this.weakest = this.subsets.reduce(
      (least, finished) => Math.min(least, this.strengthOf(finished)),
      Infinity,
    )
  }

  strengthOf(finished: Finished): number {
    return itemAt(this.#strengths, finished)
  }

  /** Whether some cells show another value if this wins then. */
  isWrong(finished: Finished): boolean {
    return itemAt(this.#costs, finished) > 0
  }

  stageAt(time: number): number {
    return this.later.filter(later => later.time <= time).length
  }

  isStrongerAt(stage: number, strength: number): boolean {
    return this.strengthOf(itemAt(this.stages, stage)) > strength
  }

  /** At this stage, it has to be stronger than this. */
  cover(stage: number, strength: number): void {
    this.#covered ??= new Map()
    this.#covered.set(stage, Math.max(strength, this.#covered.get(stage) ?? strength))
  }

  /** Its free steps, or some of them, in the order of the line. */
  freeNodes(among: Finished = ~0): number[] {
    const { positionOf } = this.#line
    return this.#nodes
      .filter((_, bit) => (this.free & among & (1 << bit)) !== 0)
      .toSorted((a, b) => positionOf(a) - positionOf(b))
  }

  /** The free steps that may lead it from one side of this strength to the other. */
  turningAt(strength: number): number[] {
    const isAbove = (finished: Finished) => this.strengthOf(finished) > strength
    return this.#nodes.filter((_, bit) =>
      this.subsets.some(finished => {
        const without = finished & ~(1 << bit)
        return (
          finished !== without && this.subsets.includes(without) && isAbove(finished) !== isAbove(without)
        )
      }),
    )
  }

  /** Adds edges between all its steps, in the order of the line. */
  chain(graph: Graph): void {
    let earlier = this.freeNodes()
    for (const { node } of this.later) {
      for (const one of earlier) graph.add(one, node)
      earlier = [node]
    }
  }

  /**
   * Adds edges between its steps, as few as possible, so that they are finished in another order than that of the line only if this
   * neither shows another value nor makes it too weak where it covers one.
   */
  order(graph: Graph): void {
    if (this.later.length === 0 || (this.later.length === 1 && this.free === 0)) return
    const edges = this.#possibleEdges()
    let bad = closedSubsets(this.#nodes, graph, (1 << this.#nodes.length) - 1).filter(
      finished =>
        (finished & ~this.free) !== 0 &&
        !this.stages.includes(finished) &&
        (this.isWrong(finished) || this.#isTooWeak(finished)),
    )
    while (bad.length > 0) {
      const left = edges.map(({ excludes }) => bad.filter(finished => !excludes(finished)))
      const least = Math.min(...left.map(({ length }) => length))
      const best = left.findIndex(({ length }) => length === least)
      const { earlier, node } = itemAt(edges, best)
      graph.add(earlier, node)
      bad = itemAt(left, best)
    }
  }

  #possibleEdges() {
    const order = [...this.freeNodes(), ...this.later.map(({ node }) => node)]
    return this.later.flatMap(({ node }) =>
      order.slice(0, order.indexOf(node)).map(earlier => {
        const [has, lacks] = [1 << this.#nodes.indexOf(node), 1 << this.#nodes.indexOf(earlier)]
        const excludes = (finished: Finished) => (finished & has) !== 0 && (finished & lacks) === 0
        return { earlier, node, excludes }
      }),
    )
  }

  /** Whether it is too weak for a stage whose step is finished, and whose next one is not. */
  #isTooWeak(finished: Finished): boolean {
    const has = (later: LaterStep | undefined) => later !== undefined && (finished & later.step) !== 0
    for (const [stage, strength] of this.#covered ?? []) {
      if ((stage > 0 && !has(this.later[stage - 1])) || has(this.later[stage])) continue
      const isCounted = stage > 0 || (finished & this.free) === this.free || this.weakest > strength
      if (isCounted && this.strengthOf(finished) <= strength) return true
    }
    return false
  }
}

/** The subsets of some steps of one set that the graph permits, the largest one last. */
function closedSubsets(steps: readonly number[], graph: Graph, among: Finished): Finished[] {
  const waits = steps.map(node =>
    steps.reduce((mask, other, bit) => (graph.before(node).includes(other) ? mask | (1 << bit) : mask), 0),
  )
  const found: Finished[] = []
  for (let finished = 0; finished <= among; finished++) {
    const isClosed = waits.every(
      (earlier, bit) => (finished & (1 << bit)) === 0 || (finished & earlier) === earlier,
    )
    if ((finished & ~among) === 0 && isClosed) found.push(finished)
  }
  return found
}
