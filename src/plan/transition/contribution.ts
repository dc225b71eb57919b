import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type VariableKey } from '../../model/ids.ts'
import { type Rank, strongestWay, type Way } from '../effective/precedence.ts'
import { isSentAgain, type SeenValue } from '../effective/set-state.ts'
import {
  type Moment,
  mayChange,
  type NumberedStep,
  perform,
  type ReceivedState,
  type Reception,
  type SteppedSet,
} from './steps.ts'

/** What a set gives in one state: its value from before or after the plan. */
export interface State {
  readonly rank: Rank
  /** Its name in the service then. */
  readonly serviceName: string
  readonly priority: boolean
  readonly moment: Moment
  readonly set: SteppedSet
}

/** What one set gives, for one key or for all that no step changes by themselves, to workspaces that receive it in the same ways. */
export interface Contribution {
  /** Another one for each. */
  readonly number: number
  /** Numbers of the steps that may change it. */
  readonly steps: readonly number[]
  /** By the finished ones of `steps`, as bits. `undefined`: nothing. */
  readonly states: readonly (State | undefined)[]
  readonly strongest: State
  /** `undefined` if it gives nothing in some state. */
  readonly weakest: State | undefined
}

/** The stronger one first: by rank, then by name in code point order, then by id. */
export const byStrength = (a: State, b: State): number =>
  a.rank - b.rank ||
  compareText(a.serviceName, b.serviceName) ||
  compareText(a.set.initial.id, b.set.initial.id)

export const isStronger = (a: State, b: State | undefined): boolean => b === undefined || byStrength(a, b) < 0

export function strongestOf(states: Iterable<State | undefined>): State | undefined {
  let strongest: State | undefined
  for (const state of states) if (state !== undefined && isStronger(state, strongest)) strongest = state
  return strongest
}

/** Its precedence changes, or it gives nothing in some state. */
export const isUnstable = ({ strongest, weakest }: Contribution): boolean =>
  weakest === undefined || isStronger(strongest, weakest)

export const valueIn = ({ set, moment }: State, key: VariableKey): SeenValue | undefined =>
  set[moment]?.held.get(key)

/** A value as it can be compared: that of another set may be the same only if it is readable. */
interface Value {
  readonly held: SeenValue
  readonly set: string
}

function knownValue(state: State | undefined, key: VariableKey): Value | undefined {
  const held = state && valueIn(state, key)
  return held && { held, set: state.set.initial.id }
}

/**
 * The same value, as far as is known. Two secrets are equal only if the set is the same and its secret was not written. Values
 * that a snapshot omits are unknown as well.
 */
function isSame(key: VariableKey, a: Value, b: Value): boolean {
  const [one, other] = [a.held, b.held]
  if (one.secret || other.secret)
    return one.secret && other.secret && a.set === b.set && isWritten(one) === isWritten(other)
  if (one.text !== other.text) return false
  return one.text === undefined ? a.set === b.set : one.hcl === other.hcl || categoryOf(key) === 'env'
}

/** Whether a set gives another value than these two. */
export function otherThan(
  key: VariableKey,
  one: State | undefined,
  two: State | undefined,
): (state: State | undefined) => boolean {
  const known = [knownValue(one, key), knownValue(two, key)].filter(value => value !== undefined)
  return state => {
    const value = knownValue(state, key)
    return value === undefined ? known.length === 2 : !known.some(other => isSame(key, other, value))
  }
}

const isWritten = (held: SeenValue & { readonly secret: true }): boolean =>
  held.rewritten || isSentAgain(held)

/** Without a key: for those that only shared steps change. `undefined` if the set never gives anything there. */
export function contributionOf(
  number: number,
  set: SteppedSet,
  key: VariableKey | undefined,
  reception: Reception,
): Contribution | undefined {
  const all = key === undefined ? set.shared : set.of(key)
  const steps = all.filter(step => mayChange(step, reception))
  const states = Array.from({ length: 1 << steps.length }, (_, done) =>
    stateAfter(
      steps.filter((_, bit) => done & (1 << bit)),
      set,
      key,
      reception,
    ),
  )
  let [strongest, weakest] = [states.find(state => state !== undefined), states[0]]
  if (strongest === undefined) return undefined
  for (const state of states) {
    if (state !== undefined && isStronger(state, strongest)) strongest = state
    if (state === undefined || (weakest !== undefined && isStronger(weakest, state))) weakest = state
  }
  return { number, steps: steps.map(({ node }) => node), states, strongest, weakest }
}

function stateAfter(
  steps: readonly NumberedStep[],
  set: SteppedSet,
  key: VariableKey | undefined,
  reception: Reception,
): State | undefined {
  const { before, after, initial } = set
  const at = before === undefined ? 1 : 0
  const has = (moment: Moment): Moment | undefined =>
    key === undefined || set[moment]?.held.has(key) ? moment : undefined
  const then = after && has('after')
  const received: ReceivedState = {
    exists: before !== undefined,
    serviceName: initial.serviceName,
    global: initial.global,
    priority: initial.priority,
    direct: reception.direct[at],
    through: reception.through[at],
    held: before === undefined ? then : has('before'),
  }
  for (const step of steps) perform(step, received, then)
  const { exists, serviceName, global, priority, direct, through, held } = received
  if (!exists || held === undefined) return undefined
  const bits = Number(global) + 2 * Number(through) + 4 * Number(direct)
  const rank = RANKS[bits + 8 * Number(priority) + 16 * Number(set.initial.projectOwned)]
  return rank && { rank, serviceName, priority, moment: held, set }
}

const WAYS: readonly Way[] = ['global', 'project', 'workspace']
/** By the ways in which a set comes, its priority, and whether a project owns it, as bits. */
const RANKS = Array.from({ length: 32 }, (_, bits) => {
  const ways = WAYS.filter((_, at) => bits & (1 << at))
  return strongestWay({ priority: (bits & 8) !== 0, projectOwned: (bits & 16) !== 0 }, ways)?.rank
})
