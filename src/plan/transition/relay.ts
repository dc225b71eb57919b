import { itemAt } from '../../model/lists.ts'
import type { Graph } from '../graph.ts'
import type { State } from './contribution.ts'
import type { StepOrder } from './line.ts'
import { OwnSteps } from './own-steps.ts'
import { Contest, type Finished, NOTHING, type Place } from './place.ts'
import { Tournament } from './tournament.ts'

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

/**
 * Adds the edges with which no wrong state of a place is seen unless the line itself shows it. Returns those that may be seen.
 *
 * Follow the winners along the line while a wrong state exists: the first of them arrives before the state does, each next one before
 * the previous one leaves, and the state goes before the last one leaves. Then one of them is present whenever the state is, after
 * every set of finished steps that the edges permit. All edges follow the line.
 *
 * Free steps have no place in it: before the first later step any subset of them may be finished, and no edge ends at one. So at the
 * beginning (time 0) each contribution counts as weak as its own free steps can make it.
 */
export function hideWrongStates(place: Place, line: StepOrder, graph: Graph): LineGap[] {
  return new Relay(place, line, graph).hideAll()
}

/** Times count the later steps of the place that are finished, stages those of one contribution. */
class Relay {
  readonly #place: Place
  readonly #slots: Graph
  readonly #graph: Graph
  readonly #own: readonly OwnSteps[]
  /** The later ones, in the order of the line. */
  readonly #steps: OwnSteps['later']
  /** By time. */
  readonly #winners: number[] = []
  /** By contribution: from when until when it wins. */
  readonly #wins = new Map<number, { readonly from: number; until: number }[]>()
  /** The weakest state of each contribution that its free steps permit. */
  readonly #weakest: Tournament
  /** Before the first step of the plan. */
  readonly #winnerBefore: number
  readonly #gaps: LineGap[] = []

  constructor(place: Place, line: StepOrder, graph: Graph) {
    this.#place = place
    this.#slots = line.slots
    this.#graph = graph
    const { contributions } = place.competitors
    const later = contributions
      .flatMap(({ steps }) => steps)
      .filter(node => !line.isFree(node))
      .sort((a, b) => line.positionOf(a) - line.positionOf(b))
    const times = new Map(later.map((node, at) => [node, at + 1]))
    this.#own = contributions.map((_, at) => new OwnSteps(place, at, times, line))
    this.#steps = this.#own.flatMap(({ later }) => later).sort((a, b) => a.time - b.time)
    this.#weakest = new Tournament(this.#own.map(({ weakest }) => weakest))
    this.#winnerBefore = new Contest(place).winner
  }

  hideAll(): LineGap[] {
    this.#followLine()
    if (this.#place.costOfNothing > 0)
      this.#hideStage({ contribution: NOTHING, strength: NOTHING, finished: 0 }, 0)
    for (const own of this.#own) {
      const { contribution, free, subsets, stages } = own
      const stateAt = (finished: Finished) => ({ contribution, strength: own.strengthOf(finished), finished })
      for (const finished of subsets)
        if (finished !== free && own.isWrong(finished)) this.#hideAmongFree(stateAt(finished))
      for (const [stage, finished] of stages.entries())
        if (own.isWrong(finished)) this.#hideStage(stateAt(finished), stage)
    }
    for (const own of this.#own) own.order(this.#graph)
    return this.#gaps
  }

  /** Finds the winners. Where one hands over to another, the other one arrives first if anything wrong is below both. */
  #followLine(): void {
    const contest = new Contest(this.#place, at => itemAt(this.#own, at).free)
    const wrong = new Tournament(this.#own.map(own => wrongStrength(own, own.free)))
    const below = () => (contest.winner === NOTHING ? NOTHING : wrong.greatestExcept(contest.winner))
    this.#win(contest.winner, below())
    for (const { contribution, step, time } of this.#steps) {
      const own = itemAt(this.#own, contribution)
      const leaving = contest.winner
      contest.finish(contribution, step)
      wrong.set(contribution, wrongStrength(own, itemAt(own.stages, own.stageAt(time))))
      const arriving = contest.winner
      this.#win(arriving, below())
      if (leaving !== arriving && leaving !== NOTHING && arriving !== NOTHING)
        this.#handOver(leaving, arriving, time, greatestExceptBoth(wrong, leaving, arriving))
    }
  }

  #win(contribution: number, below: number): void {
    const from = this.#winners.length
    const wins = this.#wins.get(contribution) ?? []
    this.#wins.set(contribution, wins)
    if (this.#winners.at(-1) !== contribution) wins.push({ from, until: from })
    itemAt(wins, wins.length - 1).until = from + 1
    this.#winners.push(contribution)
    if (contribution === NOTHING) return
    const own = itemAt(this.#own, contribution)
    this.#cover(own, own.stageAt(from), below)
  }

  #handOver(leaving: number, arriving: number, time: number, below: number): void {
    if (this.#hasWrong(below))
      this.#before(this.#arrival(arriving, time, below), this.#departure(leaving, time - 1, below))
  }

  /** Whether a state of this strength may be wrong; `NOTHING`: whether it is wrong that no set contributes a value. */
  #hasWrong(strength: number): boolean {
    return strength !== NOTHING || this.#place.costOfNothing > 0
  }

  #cover(own: OwnSteps, stage: number, below: number): void {
    if (this.#hasWrong(below)) own.cover(stage, below)
  }

  #before(earlier: readonly number[], later: number | undefined): void {
    if (later !== undefined) for (const node of earlier) this.#graph.add(node, later)
  }

  /** The steps after which the winner of that time is there, stronger than a state below it. None if it always was. */
  #arrival(winner: number, time: number, below: number): number[] {
    const own = itemAt(this.#own, winner)
    let stage = own.stageAt(time)
    this.#cover(own, stage, below)
    while (stage > 0 && own.isStrongerAt(stage - 1, below)) this.#cover(own, --stage, below)
    if (stage > 0) return [itemAt(own.later, stage - 1).node]
    return own.weakest > below ? [] : own.freeNodes()
  }

  /** The step with which the winner of that time is not stronger any more. */
  #departure(winner: number, time: number, below: number): number | undefined {
    const own = itemAt(this.#own, winner)
    let stage = own.stageAt(time)
    this.#cover(own, stage, below)
    while (stage < own.later.length && own.isStrongerAt(stage + 1, below)) this.#cover(own, ++stage, below)
    return own.later[stage]?.node
  }

  /** Hides a state of the line from one later step of its contribution to the next, or names when the line shows it. */
  #hideStage(state: WrongState, stage: number): void {
    const { contribution, strength } = state
    const later = contribution === NOTHING ? [] : itemAt(this.#own, contribution).later
    const begin = stage === 0 ? undefined : itemAt(later, stage - 1)
    const end = later[stage]
    const from = begin?.time ?? 0
    const until = end?.time ?? this.#winners.length
    const first = itemAt(this.#winners, from)
    if (begin === undefined) this.#hideAtFirst(state, until)
    else if (first !== contribution) this.#before(this.#arrival(first, from, strength), begin.node)
    const last = itemAt(this.#winners, until - 1)
    if (end !== undefined && last !== contribution)
      this.#before([end.node], this.#departure(last, until - 1, strength))
    for (const win of this.#wins.get(contribution) ?? []) {
      const [start, stop] = [Math.max(win.from, from), Math.min(win.until, until)]
      if (start > 0 && start < stop) this.#addGap(state, [this.#nodeAt(start)], [this.#nodeAt(stop)])
    }
  }

  /** The same for a state that is there before the first later step, whichever other free steps are finished. */
  #hideAtFirst(state: WrongState, until: number): void {
    const { contribution, strength } = state
    const first = itemAt(this.#winners, 0)
    const cover = this.#coverAtFirst(state)
    if (cover === undefined) {
      const ends =
        first === contribution
          ? [this.#nodeAt(Math.min(until, this.#wins.get(first)?.[0]?.until ?? until))]
          : itemAt(this.#own, first).turningAt(strength)
      this.#addGap(state, this.#beginnings(state), ends)
    } else if (cover !== first)
      this.#before(this.#arrival(first, 0, strength), this.#departure(cover, 0, strength))
  }

  /** The same for a state that only some of the free steps lead to. */
  #hideAmongFree(state: WrongState): void {
    const [end] = itemAt(this.#own, state.contribution).freeNodes(~state.finished)
    if (end === undefined) return
    const cover = this.#coverAtFirst(state)
    if (cover === undefined) this.#addGap(state, this.#beginnings(state), [end])
    else this.#before([end], this.#departure(cover, 0, state.strength))
  }

  /** What is stronger whichever free steps are finished. */
  #coverAtFirst({ contribution, strength }: WrongState): number | undefined {
    const strongest =
      contribution === NOTHING ? this.#weakest.greatest : this.#weakest.greatestExcept(contribution)
    return strongest > strength ? this.#place.owners[strongest] : undefined
  }

  /** Free steps, of which one is finished whenever the state shows before the first later step. */
  #beginnings({ contribution, strength, finished }: WrongState): number[] {
    if (finished !== 0) return itemAt(this.#own, contribution).freeNodes(finished).slice(-1)
    const winner = itemAt(this.#own, this.#winnerBefore)
    winner.chain(this.#graph)
    return winner.turningAt(strength)
  }

  #nodeAt(time: number): number {
    return itemAt(this.#steps, time - 1).node
  }

  #addGap({ contribution, finished }: WrongState, begins: readonly number[], ends: readonly number[]): void {
    const place = this.#place
    const seen =
      contribution === NOTHING
        ? undefined
        : itemAt(itemAt(place.competitors.contributions, contribution).states, finished)
    // A step of one set that waits for a step of another is never finished before it.
    const between = begins.flatMap(begin =>
      ends.filter(end => !this.#slots.waits(begin, end)).map(end => [begin, end] as const),
    )
    if (between.length > 0) this.#gaps.push({ place, seen, between })
  }
}

const wrongStrength = (own: OwnSteps, finished: Finished): number =>
  own.isWrong(finished) ? own.strengthOf(finished) : NOTHING

function greatestExceptBoth(numbers: Tournament, one: number, other: number): number {
  const number = numbers.of(one)
  numbers.set(one, NOTHING)
  const greatest = numbers.greatestExcept(other)
  numbers.set(one, number)
  return greatest
}
