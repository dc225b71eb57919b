import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import { type Contender, waysOf } from '../effective/cells.ts'
import { type Rank, strongestWay } from '../effective/precedence.ts'
import { type HeldValue, isSentAgain, type SetStates } from '../effective/set-state.ts'
import type { Operation } from '../operation.ts'

/** An operation by its number among all steps. */
export interface NumberedStep {
  readonly node: number
  readonly operation: Operation
}

/** The steps of a set that may change what workspaces receive from it. */
export interface StepsOfSet {
  /** Those that may change every key. */
  readonly shared: readonly NumberedStep[]
  /** Those that change single keys. */
  readonly own: ReadonlyMap<VariableKey, readonly NumberedStep[]>
}

interface OwnSteps extends StepsOfSet {
  readonly shared: NumberedStep[]
  readonly own: Map<VariableKey, NumberedStep[]>
}

const NO_STEPS: StepsOfSet = { shared: [], own: new Map() }

/** The steps of each set, in the order of the operations. */
export function stepsOfSets(
  sets: readonly SetStates[],
  operations: readonly Operation[],
): (set: SetStates) => StepsOfSet {
  const bySet = new Map<string, OwnSteps>()
  const after = new Map(sets.map(set => [idOf(set), set.after]))
  for (const [node, operation] of operations.entries()) {
    const id = operation.subject.id ?? `new ${operation.subject.name}`
    const steps: OwnSteps = bySet.get(id) ?? { shared: [], own: new Map() }
    bySet.set(id, steps)
    const key = keyOf(operation)
    if (key === undefined) {
      if (operation.type !== 'update-set' || changesPrecedence(operation))
        steps.shared.push({ node, operation })
      continue
    }
    // Otherwise one of two variables with this key, of which the other stays.
    const isWhole =
      operation.type !== 'delete-variable' || operation.replaced || !after.get(id)?.held.has(key)
    if (isWhole) append(steps.own, key, { node, operation })
  }
  return set => bySet.get(idOf(set)) ?? NO_STEPS
}

const idOf = ({ before, after }: SetStates): string => (before ?? after)?.id ?? ''

const keyOf = (operation: Operation): VariableKey | undefined => {
  switch (operation.type) {
    case 'create-variable':
    case 'update-variable':
      return operation.after.key
    case 'delete-variable':
      return operation.before.key
    case 'create-set':
    case 'update-set':
    case 'delete-set':
    case 'assign':
    case 'unassign':
      return undefined
  }
}

const changesPrecedence = ({ before, after }: Extract<Operation, { type: 'update-set' }>): boolean =>
  before.name !== after.name || before.global !== after.global || before.priority !== after.priority

/** The steps that may change what a contender gives of a key. An assignment concerns only members that it adds or removes. */
export function stepsAt(contender: Contender, key: VariableKey, { shared, own }: StepsOfSet): NumberedStep[] {
  const mine = own.get(key)
  const all = mine === undefined ? shared : [...shared, ...mine].sort((a, b) => a.node - b.node)
  return all.filter(({ operation }) => {
    if (operation.type !== 'assign' && operation.type !== 'unassign') return true
    const { kind } = operation.targets
    if (kind === 'stacks') return false
    const [was, is] = kind === 'workspaces' ? contender.direct : contender.through
    return was !== is && is === (operation.type === 'assign')
  })
}

/** What a contender gives of a key in one state: its value from before or after the plan, with its precedence then. */
export interface Given {
  readonly set: SetStates
  readonly moment: 'before' | 'after'
  readonly rank: Rank
  readonly priority: boolean
  /** Its name in the service then. */
  readonly serviceName: string
}

/** The same set in another state is stronger or weaker only by its rank and its name. */
export const byStrength = (a: Given, b: Given): number =>
  a.rank - b.rank || compareText(a.serviceName, b.serviceName) || compareText(idOf(a.set), idOf(b.set))

export const isStronger = (a: Given | undefined, b: Given | undefined): boolean =>
  a !== undefined && (b === undefined || byStrength(a, b) < 0)

/** What a contender gives of a key once some of its steps are done, in an order that the slots permit; `undefined`: nothing. */
export function givenAfter(
  { set, direct, through }: Contender,
  key: VariableKey,
  done: readonly NumberedStep[],
): Given | undefined {
  const { before, after } = set
  const then = after?.held.has(key) ? ('after' as const) : undefined
  const at = before === undefined ? 1 : 0
  let state = before ?? after
  let exists = before !== undefined
  let [assigned, inProject] = [direct[at], through[at]]
  let moment = before === undefined ? then : before.held.has(key) ? ('before' as const) : undefined
  for (const { operation } of done)
    switch (operation.type) {
      case 'create-set':
        exists = true
        break
      case 'delete-set':
        exists = false
        break
      case 'update-set':
        state = after
        break
      case 'create-variable':
      case 'update-variable':
        moment = then
        break
      case 'delete-variable':
        moment = undefined
        break
      case 'assign':
      case 'unassign':
        if (operation.targets.kind === 'workspaces') assigned = operation.type === 'assign'
        else inProject = operation.type === 'assign'
        break
    }
  if (state === undefined || !exists || moment === undefined) return undefined
  const way = strongestWay(state, waysOf(state.global, assigned, inProject))
  if (way === undefined) return undefined
  return { set, moment, rank: way.rank, priority: state.priority, serviceName: state.serviceName }
}

export const heldBy = ({ set, moment }: Given, key: VariableKey): HeldValue | undefined =>
  set[moment]?.held.get(key)

/** Whether something given, or nothing, is another value than the old and the new one. */
export function otherThan(
  key: VariableKey,
  before: Given | undefined,
  after: Given | undefined,
): (given: Given | undefined) => boolean {
  const known = [before, after].filter(given => given !== undefined)
  return given =>
    given === undefined ? known.length === 2 : !known.some(other => isSameValue(key, other, given))
}

/**
 * The same value, as far as is known. Two secrets are equal only if the set is the same and its secret was not written. Values
 * that a snapshot omits are unknown as well.
 */
function isSameValue(key: VariableKey, a: Given, b: Given): boolean {
  const [one, other] = [heldBy(a, key), heldBy(b, key)]
  if (one === undefined || other === undefined) return one === other
  if (one.secret || other.secret)
    return one.secret && other.secret && a.set === b.set && isWritten(one) === isWritten(other)
  if (one.text !== other.text) return false
  return one.text === undefined ? a.set === b.set : one.hcl === other.hcl || categoryOf(key) === 'env'
}

const isWritten = (held: HeldValue & { readonly secret: true }): boolean =>
  held.rewritten || isSentAgain(held)
