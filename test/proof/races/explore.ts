import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import type { Profile } from '../../../src/sandbox/index.ts'
import { type Ending, judge, type Quiet } from './judge.ts'
import { type Pair, Race } from './race.ts'

/** The results of all races of a pair on a service. */
export interface Explored {
  /** Different situations: responses to both runs, and state of the service. */
  states: number
  /** Different orders, as a choice at each step. */
  races: number
  /** The most requests of one of the two runs. */
  longest: number
  readonly endings: Record<Ending, number>
  doubled: number
  readonly broken: { readonly choices: string; readonly violations: readonly string[] }[]
  /** Whether every situation was reached, and nothing was left out. */
  complete: boolean
}

const nothing = (): Explored => ({
  states: 0,
  races: 0,
  longest: 0,
  endings: { 'both done': 0, 'one done': 0, 'none done': 0 },
  doubled: 0,
  broken: [],
  complete: true,
})

interface Drive {
  readonly race: Race
  readonly choices: readonly number[]
  /** Whether it reached an earlier situation, whose continuations are known. */
  readonly isKnown: boolean
}

/**
 * Tries every order in which the requests of two runs can arrive. An earlier situation is not continued again, because
 * its continuations depend on nothing else. Ends after `most` situations.
 */
export async function exploreAll(
  pair: Pair,
  profile: Partial<Profile>,
  concurrency: number,
  most: number,
): Promise<Explored> {
  const explored = nothing()
  const seen = new Set<string>()
  const quiet = new Map<string, Promise<Quiet>>()
  const open: (readonly number[])[] = [[]]
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    const { race, choices, isKnown } = await drive(prefix)
    if (!isKnown) await conclude(explored, race, pair, profile, choices, quiet)
    if (seen.size >= most) {
      explored.complete = open.length === 0
      break
    }
  }
  explored.states = seen.size
  return explored

  /** Follows the prefix, and then always the first choice. Keeps the other choices for later. */
  async function drive(prefix: readonly number[]): Promise<Drive> {
    const race = new Race(pair, profile, concurrency)
    const choices: number[] = []
    for (;;) {
      const possible = await race.choices()
      if (choices.length >= prefix.length) {
        const state = race.state()
        if (seen.has(state)) return { race, choices, isKnown: true }
        seen.add(state)
        for (let other = 1; other < possible.length; other++) open.push([...choices, other])
      }
      const next = prefix[choices.length] ?? 0
      const choice = possible[next]
      if (choice === undefined) return { race, choices, isKnown: false }
      race.arrive(choice)
      choices.push(next)
    }
  }
}

/** Tries `count` random orders. */
export async function exploreRandom(
  pair: Pair,
  profile: Partial<Profile>,
  count: number,
  seed: number,
): Promise<Explored> {
  const explored = { ...nothing(), complete: false }
  const random = seededRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  const quiet = new Map<string, Promise<Quiet>>()
  for (let i = 0; i < count; i++) {
    const race = new Race(pair, profile, 1 + pick(4))
    // Mostly several requests of the same run, as real programs send them, and sometimes alternating.
    const change = [0.1, 0.3, 0.5, 0.9][pick(4)] ?? 0.5
    let who = pick(2)
    const choices: number[] = []
    for (;;) {
      const possible = await race.choices()
      if (possible.length === 0) break
      if (random() < change) who = 1 - who
      const own = possible.flatMap(([runner], index) => (runner === who ? [index] : []))
      const next = (own.length > 0 ? own[pick(own.length)] : pick(possible.length)) ?? 0
      const choice = possible[next]
      if (choice === undefined) break
      race.arrive(choice)
      choices.push(next)
    }
    await conclude(explored, race, pair, profile, choices, quiet)
  }
  return explored
}

async function conclude(
  explored: Explored,
  race: Race,
  pair: Pair,
  profile: Partial<Profile>,
  choices: readonly number[],
  quiet: Map<string, Promise<Quiet>>,
): Promise<void> {
  const { ending, violations, isDoubled } = await judge(race, pair, profile, quiet)
  explored.races += 1
  explored.endings[ending] += 1
  if (isDoubled) explored.doubled += 1
  explored.longest = Math.max(explored.longest, ...race.runners.map(({ requests }) => requests))
  if (violations.length > 0) explored.broken.push({ choices: choices.join(''), violations })
}
