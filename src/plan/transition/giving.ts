import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type VariableKey } from '../../model/ids.ts'
import { type Held, isSentAgain, type PlacedSet } from '../effective/placed-set.ts'
import { type Rank, strongestWay, type Way } from '../effective/precedence.ts'
import type { Operation } from '../operation.ts'
import type { NumberedStep, StepsByKey } from './steps.ts'

/** One set of the service before and after the plan, with the steps that change it in an order that the slots permit. */
export interface SteppedSet {
  readonly before?: PlacedSet
  readonly after?: PlacedSet
  readonly steps: StepsByKey
}

/** How a workspace receives a set: directly and through its project, each before and after the plan. */
export interface Coming {
  readonly direct: readonly [before: boolean, after: boolean]
  readonly through: readonly [before: boolean, after: boolean]
}

/** What a set gives for one key in one state. */
export interface Given {
  readonly rank: Rank
  /** Its name in the service then. */
  readonly called: string
  readonly id: string
  /** Equal texts: the same value, as far as is known. */
  readonly value: string
  readonly held: Held
  readonly priority: boolean
  readonly set: PlacedSet
}

/** What one set gives for one key to workspaces that receive it in the same ways. */
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
  a.rank - b.rank || compareText(a.called, b.called) || compareText(a.id, b.id)

export const isStronger = (a: Given, b: Given | undefined): boolean => b === undefined || byGiven(a, b) < 0

interface State {
  exists: boolean
  called: string
  global: boolean
  priority: boolean
  direct: boolean
  through: boolean
  held: Held | undefined
}

/** `undefined` if the set never gives the key there. */
export function givingOf(
  number: number,
  set: SteppedSet,
  key: VariableKey,
  coming: Coming,
): Giving | undefined {
  const { before, after } = set
  const placed = before ?? after
  if (placed === undefined) return undefined
  const steps: NumberedStep[] = []
  for (const step of set.steps.of(key)) if (mayChange(step, set, key, coming)) steps.push(step)
  const isNew = before === undefined
  const then = after?.held.get(key)
  const states: (Given | undefined)[] = []
  let strongest: Given | undefined
  let weakest: Given | undefined
  let isAlways = true
  for (let done = 0; done < 1 << steps.length; done++) {
    const state: State = {
      exists: !isNew,
      called: placed.called,
      global: placed.global,
      priority: placed.priority,
      direct: coming.direct[isNew ? 1 : 0],
      through: coming.through[isNew ? 1 : 0],
      held: isNew ? then : before.held.get(key),
    }
    let bit = 1
    for (const step of steps) {
      if (done & bit) perform(step, state, key, then)
      bit <<= 1
    }
    const given = givenIn(state, set, placed, key)
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

function givenIn(state: State, set: SteppedSet, placed: PlacedSet, key: VariableKey): Given | undefined {
  const { exists, called, global, priority, direct, through, held } = state
  if (!exists || held === undefined) return undefined
  const ways: Way[] = []
  if (global) ways.push('global')
  if (through) ways.push('project')
  if (direct) ways.push('workspace')
  const strongest = strongestWay({ priority, projectOwned: placed.projectOwned }, ways)
  if (strongest === undefined) return undefined
  const value = identityOf(placed.id, key, held)
  // Under the name that operations use.
  return { rank: strongest.rank, called, id: placed.id, value, held, priority, set: set.after ?? placed }
}

/** Two secrets are equal only if the set is the same and its secret was not written. Values that a snapshot omits are unknown as well. */
function identityOf(id: string, key: VariableKey, held: Held): string {
  if (held.secret) return `${held.rewritten || isSentAgain(held) ? 'new' : 'old'} ${id}`
  return held.text === undefined
    ? `unknown ${id}`
    : `text ${held.hcl && categoryOf(key) !== 'env'} ${held.text}`
}

/** Whether a step concerns what the set gives for the key there. */
function mayChange({ operation }: NumberedStep, set: SteppedSet, key: VariableKey, coming: Coming): boolean {
  switch (operation.type) {
    case 'create-set':
    case 'delete-set':
      return true
    case 'update-set': {
      const { before, after, variables } = operation
      return (
        before.name !== after.name ||
        before.global !== after.global ||
        before.priority !== after.priority ||
        writes(variables, key)
      )
    }
    case 'create-variable':
    case 'update-variable':
      return operation.after.key === key
    case 'delete-variable':
      return operation.before.key === key && (operation.replaced || !set.after?.held.has(key))
    case 'assign':
    case 'unassign': {
      const { kind } = operation.targets
      if (kind === 'stacks') return false
      const [was, is] = kind === 'workspaces' ? coming.direct : coming.through
      return was !== is && is === (operation.type === 'assign')
    }
  }
}

function perform({ operation }: NumberedStep, state: State, key: VariableKey, then: Held | undefined): void {
  switch (operation.type) {
    case 'create-set':
      state.exists = true
      return
    case 'delete-set':
      state.exists = false
      return
    case 'update-set': {
      const { before, after, variables } = operation
      // The halves of a split update change their own settings only.
      if (before.name !== after.name) state.called = after.name
      if (before.global !== after.global) state.global = after.global
      if (before.priority !== after.priority) state.priority = after.priority
      if (writes(variables, key)) state.held = then
      return
    }
    case 'create-variable':
    case 'update-variable':
      state.held = then
      return
    case 'delete-variable':
      state.held = undefined
      return
    case 'assign':
    case 'unassign':
      state[operation.targets.kind === 'workspaces' ? 'direct' : 'through'] = operation.type === 'assign'
  }
}

/** Looks for a key among the variables that an update writes, of which there may be thousands. */
function writes(
  variables: Extract<Operation, { type: 'update-set' }>['variables'],
  key: VariableKey,
): boolean {
  let keys = WRITTEN.get(variables)
  if (keys === undefined) {
    keys = new Set(variables.map(variable => variable.key))
    WRITTEN.set(variables, keys)
  }
  return keys.has(key)
}

const WRITTEN = new WeakMap<object, ReadonlySet<VariableKey>>()
