import { itemAt } from '../../model/lists.ts'
import type { Competitors } from './cells.ts'
import { byStrength, type Contribution, otherThan, type State, strongestOf } from './contribution.ts'
import { Tournament } from './tournament.ts'

/** The finished ones of a contribution's own steps, as bits. */
export type Finished = number

/** A strength that no state has: nothing is contributed. */
export const NOTHING = -1

/** What competes at one place, as numbers. A larger strength wins. */
export interface Place {
  readonly competitors: Competitors
  /** What wins before the first step and after the last one. */
  readonly before: State | undefined
  readonly after: State | undefined
  /** By contribution and finished steps. */
  readonly strengths: readonly Int32Array[]
  /** By contribution and finished steps: the number of cells that show another value than the old and the new one if this wins. */
  readonly costs: readonly Int32Array[]
  /** The same if nothing wins. */
  readonly costOfNothing: number
  /** The contribution that has each strength. */
  readonly owners: readonly number[]
}

/** The places where some state would show another value. */
export function placesOf(all: readonly Competitors[]): Place[] {
  return all.flatMap(competitors => {
    const { contributions } = competitors
    const before = strongestOf(contributions.map(({ states }) => states[0]))
    const after = strongestOf(contributions.map(({ states }) => states.at(-1)))
    const { costs, costOfNothing } = costsOf(competitors, before, after)
    const isHarmless = costOfNothing === 0 && costs.every(own => own.every(cost => cost === 0))
    return isHarmless
      ? []
      : { competitors, before, after, costs, costOfNothing, ...strengthsOf(contributions) }
  })
}

function costsOf(
  { contributions, cells }: Competitors,
  before: State | undefined,
  after: State | undefined,
): Pick<Place, 'costs' | 'costOfNothing'> {
  let costOfNothing = 0
  const isOthers = [...cells.values()].map(({ key, groups }) => {
    const isOther = otherThan(key, before, after)
    if (isOther(undefined)) costOfNothing += groups.length
    return { isOther, size: groups.length }
  })
  const costs = contributions.map(({ states }) => {
    // A set has two values of a key at most: before the plan and after it.
    const known = new Map<State['moment'], number>()
    const costOf = (state: State): number => {
      let cost = known.get(state.moment)
      if (cost !== undefined) return cost
      cost = 0
      for (const { isOther, size } of isOthers) if (isOther(state)) cost += size
      known.set(state.moment, cost)
      return cost
    }
    return Int32Array.from(states, state => (state === undefined ? 0 : costOf(state)))
  })
  return { costs, costOfNothing }
}

function strengthsOf(contributions: readonly Contribution[]): Pick<Place, 'strengths' | 'owners'> {
  const all = contributions.flatMap(({ states }, at) =>
    states.flatMap(state => (state ? [{ state, at }] : [])),
  )
  all.sort((a, b) => byStrength(b.state, a.state))
  const owners: number[] = []
  const known = new Map<State, number>()
  for (const [index, { state, at }] of all.entries()) {
    const weaker = all[index - 1]?.state
    if (weaker === undefined || byStrength(weaker, state) !== 0) owners.push(at)
    known.set(state, owners.length - 1)
  }
  const strengths = contributions.map(({ states }) =>
    Int32Array.from(states, state => (state && known.get(state)) ?? NOTHING),
  )
  return { strengths, owners }
}

/** A place at one moment. */
export class Contest {
  readonly place: Place
  readonly #finished: Uint32Array
  readonly #strengths: Tournament

  /** `finished`: the steps of each contribution that are finished already. */
  constructor(place: Place, finished: (contribution: number) => Finished = () => 0) {
    this.place = place
    this.#finished = Uint32Array.from(place.strengths, (_, at) => finished(at))
    this.#strengths = new Tournament(
      place.strengths.map((own, at) => itemAt(own, itemAt(this.#finished, at))),
    )
  }

  finish(contribution: number, step: Finished): void {
    const finished = itemAt(this.#finished, contribution) | step
    this.#finished[contribution] = finished
    this.#strengths.set(contribution, itemAt(itemAt(this.place.strengths, contribution), finished))
  }

  get strongest(): number {
    return this.#strengths.greatest
  }

  /** The contribution that wins, or `NOTHING`. */
  get winner(): number {
    return this.place.owners[this.strongest] ?? NOTHING
  }

  /** The number of cells that show another value. */
  get cost(): number {
    return this.#costOf(this.winner)
  }

  /** The same after one more step. */
  costAfter(contribution: number, step: Finished): number {
    const finished = itemAt(this.#finished, contribution) | step
    const strength = itemAt(itemAt(this.place.strengths, contribution), finished)
    const others = this.#strengths.greatestExcept(contribution)
    if (strength > others) return itemAt(itemAt(this.place.costs, contribution), finished)
    return this.#costOf(this.place.owners[others] ?? NOTHING)
  }

  #costOf(contribution: number): number {
    if (contribution === NOTHING) return this.place.costOfNothing
    return itemAt(itemAt(this.place.costs, contribution), itemAt(this.#finished, contribution))
  }
}
