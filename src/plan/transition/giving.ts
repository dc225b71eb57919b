import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type VariableKey } from '../../model/ids.ts'
import { type Held, isSentAgain } from '../effective/placed-set.ts'
import { type Rank, strongestWay, type Way } from '../effective/precedence.ts'
import { type Coming, type Moment, mayChange, perform, type ReceivedState, type SteppedSet } from './steps.ts'

/** What a set gives in one state: its value from before or after the plan. */
export interface Given {
  readonly rank: Rank
  /** Its name in the service then. */
  readonly called: string
  readonly priority: boolean
  readonly moment: Moment
  readonly set: SteppedSet
}

/** What one set gives, for one key or for all that no step changes by themselves, to workspaces that receive it in the same ways. */
export interface Giving {
  /** Another one for each. */
  readonly number: number
  /** Numbers of the steps that may change it. */
  readonly steps: readonly number[]
  /** By the finished ones of `steps`, as bits. `undefined`: nothing. */
  readonly states: readonly (Given | undefined)[]
  readonly strongest: Given
  /** `undefined` if it gives nothing in some state. */
  readonly weakest: Given | undefined
}

/** The stronger one first: by rank, then by name in code point order, then by id. */
export const byGiven = (a: Given, b: Given): number =>
  a.rank - b.rank || compareText(a.called, b.called) || compareText(a.set.placed.id, b.set.placed.id)

export const isStronger = (a: Given, b: Given | undefined): boolean => b === undefined || byGiven(a, b) < 0

/** Its precedence changes, or it gives nothing in some state. */
export const wavers = ({ strongest, weakest }: Giving): boolean =>
  weakest === undefined || isStronger(strongest, weakest)

export const heldOf = ({ set, moment }: Given, key: VariableKey): Held | undefined =>
  set[moment]?.held.get(key)

/** A value as it can be compared: that of another set may be the same only if it is readable. */
interface Value {
  readonly held: Held
  readonly set: string
}

function knownOf(given: Given | undefined, key: VariableKey): Value | undefined {
  const held = given && heldOf(given, key)
  return held && { held, set: given.set.placed.id }
}

/**
 * The same value, as far as is known. Two secrets are equal only if the set is the same and its secret was not written. Values
 * that a snapshot omits are unknown as well.
 */
function isSame(key: VariableKey, a: Value | undefined, held: Held, set: string): boolean {
  if (a === undefined) return false
  const isOne = a.set === set
  if (a.held.secret || held.secret)
    return a.held.secret && held.secret && isOne && isWritten(a.held) === isWritten(held)
  if (a.held.text === undefined || held.text === undefined) return a.held.text === held.text && isOne
  return a.held.text === held.text && (a.held.hcl === held.hcl || categoryOf(key) === 'env')
}

/** Whether a set gives another value than these two. */
export function otherThan(
  key: VariableKey,
  one: Given | undefined,
  two: Given | undefined,
): (given: Given | undefined) => boolean {
  const [a, b] = [knownOf(one, key), knownOf(two, key)]
  return given => {
    const held = given && heldOf(given, key)
    if (held === undefined) return a !== undefined && b !== undefined
    const set = given?.set.placed.id ?? ''
    return !isSame(key, a, held, set) && !isSame(key, b, held, set)
  }
}

const isWritten = (held: Held & { readonly secret: true }): boolean => held.rewritten || isSentAgain(held)

/** Without a key: for those that only shared steps change. `undefined` if the set never gives anything there. */
export function givingOf(
  number: number,
  set: SteppedSet,
  key: VariableKey | undefined,
  coming: Coming,
): Giving | undefined {
  const { before, after, placed } = set
  const all = key === undefined ? set.shared : set.of(key)
  const steps = all.filter(step => mayChange(step, coming))
  const isNew = before === undefined
  const has = (moment: Moment): Moment | undefined =>
    key === undefined || set[moment]?.held.has(key) ? moment : undefined
  const then = after && has('after')
  const states: (Given | undefined)[] = []
  let strongest: Given | undefined
  let weakest: Given | undefined
  let isAlways = true
  for (let done = 0; done < 1 << steps.length; done++) {
    const state: ReceivedState = {
      exists: !isNew,
      called: placed.called,
      global: placed.global,
      priority: placed.priority,
      direct: coming.direct[isNew ? 1 : 0],
      through: coming.through[isNew ? 1 : 0],
      held: isNew ? then : has('before'),
    }
    let bit = 1
    for (const step of steps) {
      if (done & bit) perform(step, state, then)
      bit <<= 1
    }
    const given = givenIn(state, set)
    states.push(given)
    if (given === undefined) isAlways = false
    else {
      if (isStronger(given, strongest)) strongest = given
      if (weakest === undefined || isStronger(weakest, given)) weakest = given
    }
  }
  if (strongest === undefined) return undefined
  if (!isAlways) weakest = undefined
  return { number, steps: steps.map(({ node }) => node), states, strongest, weakest }
}

function givenIn(state: ReceivedState, set: SteppedSet): Given | undefined {
  const { exists, called, global, priority, direct, through, held } = state
  if (!exists || held === undefined) return undefined
  const bits = Number(global) + 2 * Number(through) + 4 * Number(direct)
  const rank = RANKS[bits + 8 * Number(priority) + 16 * Number(set.placed.projectOwned)]
  return rank && { rank, called, priority, moment: held, set }
}

const WAYS: readonly Way[] = ['global', 'project', 'workspace']
/** By the ways in which a set comes, its priority, and whether a project owns it, as bits. */
const RANKS = Array.from({ length: 32 }, (_, bits) => {
  const ways = WAYS.filter((_, at) => bits & (1 << at))
  return strongestWay({ priority: (bits & 8) !== 0, projectOwned: (bits & 16) !== 0 }, ways)?.rank
})
