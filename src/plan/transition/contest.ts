import type { VariableKey } from '../../model/ids.ts'
import { itemAt, valueAt } from '../../model/lists.ts'
import type { Cell, Contender } from '../effective/cells.ts'
import type { SetStates } from '../effective/set-state.ts'
import type { KeyDeed } from '../step-wait.ts'
import {
  byStrength,
  type Given,
  givenAfter,
  isStronger,
  otherThan,
  type StepsOfSet,
  stepsAt,
} from './given.ts'

/** What one contender gives at a cell. */
interface Turns {
  /** The steps that may change it. */
  readonly nodes: readonly number[]
  /** By the finished ones of its steps, as bits. */
  readonly given: readonly (Given | undefined)[]
  readonly strongest: Given
  /** `undefined` if it gives nothing in some state. */
  readonly weakest: Given | undefined
}

/** A cell at which some order of the steps shows a value that is neither the old nor the new one. */
export interface Contested {
  readonly cell: Cell
  readonly before: Given | undefined
  readonly after: Given | undefined
  readonly isOther: (given: Given | undefined) => boolean
  readonly turns: readonly Turns[]
}

/** Finds contested cells, and works out once what cells share. */
export class Contests {
  readonly #stepsOf: (set: SetStates) => StepsOfSet
  /** For keys that no step of the set changes by itself, by whether the set has them. */
  readonly #shared = new Map<Contender, Turns | undefined>()

  constructor(stepsOf: (set: SetStates) => StepsOfSet) {
    this.#stepsOf = stepsOf
  }

  /** `undefined`: every order of the steps shows the old value and the new one alone. */
  at(cell: Cell): Contested | undefined {
    const { key } = cell
    const all = cell.contenders.flatMap(contender => this.#turns(contender, key) ?? [])
    if (stepsIn(all) < 2) return undefined
    const floor = strongestOf(all.map(({ weakest }) => weakest))
    // A contender that is always weaker than another one never shows.
    const turns = floor === undefined ? all : all.filter(({ strongest }) => !isStronger(floor, strongest))
    if (stepsIn(turns) < 2) return undefined
    const before = strongestOf(turns.map(({ given }) => given[0]))
    const after = strongestOf(turns.map(({ given }) => given.at(-1)))
    const isOther = otherThan(key, before, after)
    const mayShow =
      (floor === undefined && isOther(undefined)) ||
      turns.some(({ given }) => given.some(one => one && isOther(one)))
    return mayShow ? { cell, before, after, isOther, turns } : undefined
  }

  #turns(contender: Contender, key: VariableKey): Turns | undefined {
    const steps = this.#stepsOf(contender.set)
    if (steps.own.has(key)) return turnsOf(contender, key, steps)
    if (!this.#shared.has(contender)) this.#shared.set(contender, turnsOf(contender, key, steps))
    return this.#shared.get(contender)
  }
}

/** `undefined` if it never gives anything. */
function turnsOf(contender: Contender, key: VariableKey, steps: StepsOfSet): Turns | undefined {
  const mine = stepsAt(contender, key, steps)
  const given = Array.from({ length: 1 << mine.length }, (_, done) =>
    givenAfter(
      contender,
      key,
      mine.filter((_, bit) => done & (1 << bit)),
    ),
  )
  const strongest = strongestOf(given)
  return strongest && { nodes: mine.map(({ node }) => node), given, strongest, weakest: weakestOf(given) }
}

const stepsIn = (turns: readonly Turns[]): number => turns.reduce((sum, { nodes }) => sum + nodes.length, 0)

function strongestOf(given: readonly (Given | undefined)[]): Given | undefined {
  let strongest: Given | undefined
  for (const one of given) if (isStronger(one, strongest)) strongest = one
  return strongest
}

function weakestOf(given: readonly (Given | undefined)[]): Given | undefined {
  let [weakest] = given
  for (const one of given) if (isStronger(weakest, one)) weakest = one
  return weakest
}

/** A contested cell between two steps. */
export class Contest {
  readonly contested: Contested
  /** Every state of every contender, the strongest first. The position after the last one stands for nothing. */
  readonly #states: readonly Given[]
  /** By contender and its finished steps: the position of its state. */
  readonly #positions: readonly (readonly number[])[]
  /** The positions of the states in which contenders are now; that of nothing always is. */
  readonly #isNow: Uint8Array
  /** By contender, as bits. */
  readonly #finished: number[]
  readonly #steps = new Map<number, { readonly contender: number; readonly bit: number }>()
  #winner: number

  constructor(contested: Contested) {
    const { turns } = contested
    this.contested = contested
    this.#states = turns.flatMap(({ given }) => given.filter(one => one !== undefined)).sort(byStrength)
    const positions = new Map(this.#states.map((given, at) => [given, at]))
    const nothing = this.#states.length
    this.#positions = turns.map(({ given }) =>
      given.map(one => (one === undefined ? nothing : valueAt(positions, one))),
    )
    this.#isNow = new Uint8Array(nothing + 1)
    this.#isNow[nothing] = 1
    for (const [contender, { nodes }] of turns.entries()) {
      this.#isNow[this.#positionOf(contender, 0)] = 1
      for (const [at, node] of nodes.entries()) this.#steps.set(node, { contender, bit: 1 << at })
    }
    this.#finished = turns.map(() => 0)
    this.#winner = this.#isNow.indexOf(1)
  }

  get nodes(): Iterable<number> {
    return this.#steps.keys()
  }

  /** What workspaces see now; `undefined`: nothing. */
  get winner(): Given | undefined {
    return this.#states[this.#winner]
  }

  /** What they would see after one more step. */
  winnerAfter(node: number): Given | undefined {
    const { from, to } = this.#move(node)
    return this.#states[this.#winnerFrom(from, to)]
  }

  /** Carries out a step. It is visible if its own set wins right before it or right after it. */
  finish(node: number): {
    readonly isVisible: boolean
    readonly contender: number
    readonly deed: KeyDeed
  } {
    const { contender, bit } = valueAt(this.#steps, node)
    const { from, to } = this.#move(node)
    const nothing = this.#states.length
    const wins = (position: number): boolean => position < nothing && position === this.#winner
    const wasVisible = wins(from)
    const winner = this.#winnerFrom(from, to)
    if (from < nothing) this.#isNow[from] = 0
    this.#isNow[to] = 1
    this.#finished[contender] = itemAt(this.#finished, contender) | bit
    this.#winner = winner
    const deed = from === nothing ? 'brings' : to === nothing ? 'takes' : 'changes'
    return { isVisible: wasVisible || wins(to), contender, deed }
  }

  #move(node: number): { readonly from: number; readonly to: number } {
    const { contender, bit } = valueAt(this.#steps, node)
    const finished = itemAt(this.#finished, contender)
    return { from: this.#positionOf(contender, finished), to: this.#positionOf(contender, finished | bit) }
  }

  #positionOf(contender: number, finished: number): number {
    return itemAt(itemAt(this.#positions, contender), finished)
  }

  /** The position that wins if a contender leaves one state for another. */
  #winnerFrom(from: number, to: number): number {
    if (from !== this.#winner || from === this.#states.length) return Math.min(to, this.#winner)
    return Math.min(to, this.#isNow.indexOf(1, from + 1))
  }
}
