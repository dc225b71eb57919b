import { itemAt } from '../../model/lists.ts'
import type { Graph } from '../graph.ts'
import type { State } from './contribution.ts'
import { Contest, type Finished, NOTHING, type Place } from './place.ts'
import { Tournament } from './tournament.ts'

/** All steps in one order that the slots permit. */
export interface StepOrder {
  readonly slots: Graph
  readonly positionOf: (node: number) => number
  /** Steps that remove a secret, and those before them. They come first, and wait for nothing but slots. */
  readonly isFree: (node: number) => boolean
}

/** Another value that some cells of a place may show. */
export interface LineGap {
  readonly place: Place
  /** `undefined`: none. */
  readonly seen: State | undefined
  /** It shows only after the first step of one of these pairs, and before the second one. */
  readonly between: readonly (readonly [begin: number, end: number])[]
}

/** A state that would show another value if it won. */
interface WrongState {
  /** `NOTHING`: the state in which no set contributes a value. */
  readonly contribution: number
  readonly strength: number
  readonly finished: Finished
}

/** The steps of one contribution. */
interface OwnSteps {
  /** The free ones, which may be finished in any order that the slots permit. */
  readonly free: Finished
  /** Which of the free ones may be finished without the others, all of them last. */
  readonly subsets: readonly Finished[]
  /** The others, in the order of the line. */
  readonly later: readonly { readonly node: number; readonly step: Finished; readonly time: number }[]
  /** What is finished after the free steps, and after each later one. */
  readonly stages: readonly Finished[]
}

/**
 * Adds the edges with which no state of a place shows another value unless the line itself does, and returns what remains.
 *
 * Follow the winners along the line while such a state exists: the first of them arrives before the state does, each next one before
 * the previous one leaves, and the state goes before the last one leaves. Then one of them is present whenever the state is, after
 * every set of finished steps that the edges permit. All edges follow the line.
 *
 * Free steps have no place in it: before the first later step any subset of them may be finished, and no edge ends at one. So at the
 * beginning (time 0) each contribution counts as weak as its own free steps can make it.
 */
export function keepPlace(place: Place, line: StepOrder, graph: Graph): LineGap[] {
  const relay = new Relay(place, line, graph)
  return relay.keep()
}

class Relay {
  readonly #place: Place
  readonly #graph: Graph
  readonly #line: StepOrder
  readonly #own: readonly OwnSteps[]
  /** By time: the winner after so many of the later steps. */
  readonly #winners: number[]
  /** By contribution: from and until when it wins. */
  readonly #wins = new Map<number, { readonly from: number; until: number }[]>()
  /** By time, from 1: the later step. */
  readonly #nodes: number[] = [NOTHING]
  /** The least strength of each contribution that its free steps permit. */
  readonly #least: Tournament
  /** By contribution and stage: what it has to be stronger than. */
  readonly #covered = new Map<number, Map<number, number>>()
  /** Before the first step of the plan. */
  readonly #winnerBefore: number
  readonly #gaps: LineGap[] = []

  constructor(place: Place, line: StepOrder, graph: Graph) {
    this.#place = place
    this.#line = line
    this.#graph = graph
    this.#own = ownSteps(place, line)
    const least = this.#own.map(({ subsets }, at) =>
      subsets.reduce((strength, finished) => Math.min(strength, this.#strengthOf(at, finished)), Infinity),
    )
    this.#least = new Tournament(least)
    this.#winners = []
    this.#winnerBefore = new Contest(place).winner
  }

  keep(): LineGap[] {
    this.#follow()
    const { costOfNothing, costs } = this.#place
    if (costOfNothing > 0) this.#keepStage({ contribution: NOTHING, strength: NOTHING, finished: 0 }, 0)
    for (const [contribution, { free, subsets, stages }] of this.#own.entries()) {
      const wrong = (finished: Finished): WrongState[] =>
        itemAt(itemAt(costs, contribution), finished) === 0
          ? []
          : [{ contribution, strength: this.#strengthOf(contribution, finished), finished }]
      for (const finished of subsets)
        if (finished !== free) for (const state of wrong(finished)) this.#keepFree(state)
      for (const [stage, finished] of stages.entries())
        for (const state of wrong(finished)) this.#keepStage(state, stage)
    }
    for (const contribution of this.#own.keys()) this.#exclude(contribution)
    return this.#gaps
  }

  #strengthOf(contribution: number, finished: Finished): number {
    return itemAt(itemAt(this.#place.strengths, contribution), finished)
  }

  /** Its strength after so many of its later steps. */
  #strengthAt(contribution: number, stage: number): number {
    return this.#strengthOf(contribution, itemAt(itemAt(this.#own, contribution).stages, stage))
  }

  #stageAt(contribution: number, time: number): number {
    const stage = itemAt(this.#own, contribution).later.findIndex(later => later.time > time)
    return stage < 0 ? itemAt(this.#own, contribution).later.length : stage
  }

  /** Finds the winners along the line. Where one hands over to another, the other one arrives first if anything wrong is below. */
  #follow(): void {
    const own = this.#own
    const contest = new Contest(this.#place, at => itemAt(own, at).free)
    const wrong = new Tournament(this.#own.map(({ free }, at) => this.#wrongStrength(at, free)))
    const steps = this.#own.flatMap(({ later }, at) => later.map(one => ({ ...one, at })))
    steps.sort((a, b) => a.time - b.time)
    const below = (): number => (contest.winner === NOTHING ? NOTHING : wrong.greatestExcept(contest.winner))
    this.#win(contest.winner, below())
    for (const { at, node, step, time } of steps) {
      const leaving = contest.winner
      contest.finish(at, step)
      wrong.set(at, this.#wrongStrength(at, contest.finishedOf(at)))
      const arriving = contest.winner
      this.#win(arriving, below())
      this.#nodes.push(node)
      if (leaving === arriving || leaving === NOTHING || arriving === NOTHING) continue
      const own = wrong.of(leaving)
      wrong.set(leaving, NOTHING)
      const through = wrong.greatestExcept(arriving)
      wrong.set(leaving, own)
      if (through === NOTHING && this.#place.costOfNothing === 0) continue
      this.#before(this.#arrival(arriving, time, through), this.#departure(leaving, time - 1, through))
    }
  }

  #win(contribution: number, below: number): void {
    const from = this.#winners.length
    const wins = this.#wins.get(contribution) ?? []
    this.#wins.set(contribution, wins)
    if (this.#winners.at(-1) !== contribution) wins.push({ from, until: from })
    itemAt(wins, wins.length - 1).until = from + 1
    this.#winners.push(contribution)
    if (contribution !== NOTHING) this.#cover(contribution, this.#stageAt(contribution, from), below)
  }

  #cover(contribution: number, stage: number, below: number): void {
    if (below === NOTHING && this.#place.costOfNothing === 0) return
    const stages = this.#covered.get(contribution) ?? new Map<number, number>()
    this.#covered.set(contribution, stages.set(stage, Math.max(below, stages.get(stage) ?? NOTHING)))
  }

  #wrongStrength(contribution: number, finished: Finished): number {
    const cost = itemAt(itemAt(this.#place.costs, contribution), finished)
    return cost === 0 ? NOTHING : this.#strengthOf(contribution, finished)
  }

  #before(earlier: readonly number[], later: number | undefined): void {
    if (later !== undefined) for (const node of earlier) this.#graph.add(node, later)
  }

  /** The steps after which the winner of that time is there, stronger than a state below it. None if it always was. */
  #arrival(winner: number, time: number, below: number): number[] {
    let stage = this.#stageAt(winner, time)
    this.#cover(winner, stage, below)
    while (stage > 0 && this.#strengthAt(winner, stage - 1) > below) this.#cover(winner, --stage, below)
    const { later } = itemAt(this.#own, winner)
    if (stage > 0) return [itemAt(later, stage - 1).node]
    return this.#least.of(winner) > below ? [] : this.#freeNodes(winner)
  }

  /** The step with which the winner of that time is not stronger any more. */
  #departure(winner: number, time: number, below: number): number | undefined {
    const { later } = itemAt(this.#own, winner)
    let stage = this.#stageAt(winner, time)
    this.#cover(winner, stage, below)
    while (stage < later.length && this.#strengthAt(winner, stage + 1) > below)
      this.#cover(winner, ++stage, below)
    return later[stage]?.node
  }

  /** A state that only some of the free steps lead to. */
  #keepFree(state: WrongState): void {
    const { contribution, strength, finished } = state
    const [end] = this.#freeNodes(contribution, ~finished)
    if (end === undefined) return
    const cover = this.#firstCover(state)
    if (cover === undefined) this.#expose(state, this.#beginnings(state), [end])
    else this.#before([end], this.#departure(cover, 0, strength))
  }

  /** What is stronger whichever free steps are finished. */
  #firstCover({ contribution, strength }: WrongState): number | undefined {
    const least = contribution === NOTHING ? this.#least.greatest : this.#least.greatestExcept(contribution)
    return least > strength ? this.#place.owners[least] : undefined
  }

  /** A state that exists at some time of the line. */
  #keepStage(state: WrongState, stage: number): void {
    const { contribution, strength } = state
    const later = contribution === NOTHING ? [] : itemAt(this.#own, contribution).later
    const begin = stage === 0 ? undefined : itemAt(later, stage - 1)
    const end = later[stage]
    const from = begin?.time ?? 0
    const until = end?.time ?? this.#winners.length
    const first = itemAt(this.#winners, from)
    if (begin === undefined) this.#keepFirst(state, until)
    else if (first !== contribution) this.#before(this.#arrival(first, from, strength), begin.node)
    const last = itemAt(this.#winners, until - 1)
    if (end !== undefined && last !== contribution)
      this.#before([end.node], this.#departure(last, until - 1, strength))
    for (const win of this.#wins.get(contribution) ?? []) {
      const [start, stop] = [Math.max(win.from, from), Math.min(win.until, until)]
      if (start > 0 && start < stop)
        this.#expose(state, [itemAt(this.#nodes, start)], [itemAt(this.#nodes, stop)])
    }
  }

  /** A state that is there before the first later step, whichever other free steps are finished. */
  #keepFirst(state: WrongState, until: number): void {
    const { contribution, strength } = state
    const first = itemAt(this.#winners, 0)
    const cover = this.#firstCover(state)
    if (cover === undefined) {
      const ends =
        first === contribution
          ? [itemAt(this.#nodes, Math.min(until, this.#wins.get(first)?.[0]?.until ?? until))]
          : this.#turning(first, strength)
      this.#expose(state, this.#beginnings(state), ends)
    } else if (cover !== first)
      this.#before(this.#arrival(first, 0, strength), this.#departure(cover, 0, strength))
  }

  /** Free steps, of which one is finished whenever the state shows before the first later step. */
  #beginnings({ contribution, strength, finished }: WrongState): number[] {
    if (finished !== 0) return this.#freeNodes(contribution, finished).slice(-1)
    this.#chain(this.#winnerBefore)
    return this.#turning(this.#winnerBefore, strength)
  }

  /** The free steps that may lead a contribution from one side of this strength to the other. */
  #turning(contribution: number, strength: number): number[] {
    const { subsets } = itemAt(this.#own, contribution)
    const isAbove = (finished: Finished) => this.#strengthOf(contribution, finished) > strength
    const { steps } = itemAt(this.#place.competitors.contributions, contribution)
    return steps.filter((_, bit) =>
      subsets.some(
        finished =>
          (finished & (1 << bit)) !== 0 &&
          subsets.includes(finished & ~(1 << bit)) &&
          isAbove(finished) !== isAbove(finished & ~(1 << bit)),
      ),
    )
  }

  /** The free steps of a contribution, or some of them, in the order of the line. */
  #freeNodes(contribution: number, among: Finished = ~0): number[] {
    const { steps } = itemAt(this.#place.competitors.contributions, contribution)
    const free = itemAt(this.#own, contribution).free & among
    return steps
      .filter((_, bit) => (free & (1 << bit)) !== 0)
      .toSorted((a, b) => this.#line.positionOf(a) - this.#line.positionOf(b))
  }

  #expose({ contribution, finished }: WrongState, begins: readonly number[], ends: readonly number[]): void {
    const place = this.#place
    const seen =
      contribution === NOTHING
        ? undefined
        : itemAt(itemAt(place.competitors.contributions, contribution).states, finished)
    const between = begins.flatMap(begin => ends.map(end => [begin, end] as const))
    this.#gaps.push({ place, seen, between })
  }

  /**
   * Adds edges between the steps of one contribution, as few as possible, so that they are finished in another order than that of the
   * line only if this neither shows another value nor makes it too weak where it covers one.
   */
  #exclude(contribution: number): void {
    const { free, later, stages } = itemAt(this.#own, contribution)
    if (later.length === 0 || (later.length === 1 && free === 0)) return
    const { steps } = itemAt(this.#place.competitors.contributions, contribution)
    const costs = itemAt(this.#place.costs, contribution)
    const order = [...this.#freeNodes(contribution), ...later.map(({ node }) => node)]
    const edges = later.flatMap(({ node }) =>
      order.slice(0, order.indexOf(node)).map(earlier => {
        const [has, lacks] = [1 << steps.indexOf(node), 1 << steps.indexOf(earlier)]
        return {
          earlier,
          node,
          excludes: (finished: Finished) => (finished & has) !== 0 && (finished & lacks) === 0,
        }
      }),
    )
    let bad = closedSubsets(steps, this.#graph, (1 << steps.length) - 1).filter(
      finished =>
        (finished & ~free) !== 0 &&
        !stages.includes(finished) &&
        (itemAt(costs, finished) > 0 || this.#isTooWeak(contribution, finished)),
    )
    while (bad.length > 0) {
      const left = edges.map(({ excludes }) => bad.filter(finished => !excludes(finished)))
      const least = Math.min(...left.map(({ length }) => length))
      const best = left.findIndex(({ length }) => length === least)
      const { earlier, node } = itemAt(edges, best)
      this.#graph.add(earlier, node)
      bad = itemAt(left, best)
    }
  }

  /** Whether it is too weak for a stage whose step is finished, and whose next one is not. */
  #isTooWeak(contribution: number, finished: Finished): boolean {
    const { free, later } = itemAt(this.#own, contribution)
    const has = (step: Finished | undefined) => step !== undefined && (finished & step) !== 0
    const strength = this.#strengthOf(contribution, finished)
    for (const [stage, below] of this.#covered.get(contribution) ?? []) {
      if ((stage > 0 && !has(later[stage - 1]?.step)) || has(later[stage]?.step)) continue
      const isCounted = stage > 0 || (finished & free) === free || this.#least.of(contribution) > below
      if (isCounted && strength <= below) return true
    }
    return false
  }

  /** Its steps wait for each other in the order of the line. */
  #chain(contribution: number): void {
    const { later } = itemAt(this.#own, contribution)
    this.#before(this.#freeNodes(contribution), later[0]?.node)
    for (const [at, { node }] of later.entries()) this.#before([node], later[at + 1]?.node)
  }
}

function ownSteps(
  { competitors: { contributions } }: Place,
  { slots, positionOf, isFree }: StepOrder,
): OwnSteps[] {
  const sorted = contributions
    .flatMap(({ steps }) => steps)
    .filter(node => !isFree(node))
    .sort((a, b) => positionOf(a) - positionOf(b))
  const times = new Map(sorted.map((node, at) => [node, at + 1]))
  return contributions.map(({ steps }) => {
    const free = steps.reduce((mask, node, bit) => (isFree(node) ? mask | (1 << bit) : mask), 0)
    const later = steps
      .flatMap((node, bit) => {
        const time = times.get(node)
        return time === undefined ? [] : { node, step: 1 << bit, time }
      })
      .sort((a, b) => a.time - b.time)
    const stages = [free]
    for (const { step } of later) stages.push((stages.at(-1) ?? 0) | step)
    return { free, subsets: closedSubsets(steps, slots, free), later, stages }
  })
}

/** The subsets of some steps of one set that the slots permit, the largest one last. */
function closedSubsets(steps: readonly number[], slots: Graph, among: Finished): Finished[] {
  const waits = steps.map(node =>
    steps.reduce((mask, other, bit) => (slots.before(node).includes(other) ? mask | (1 << bit) : mask), 0),
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
