import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Landscape } from '../effective/seen.ts'
import type { ChangedSet, SetState } from '../effective/set-state.ts'
import type { Graph } from '../graph.ts'
import { takesAway } from '../items.ts'
import { type Item, itemsOf, type Operation } from '../operation.ts'

/** An operation by its number among all steps. */
export interface NumberedStep {
  readonly node: number
  readonly operation: Operation
}

/** One set of the service before and after the plan, with the steps that change what workspaces receive from it. */
export class SteppedSet {
  readonly before: SetState | undefined
  readonly after: SetState | undefined
  /** Another one for each. */
  readonly number: number
  /** Its state before the plan, or that after it if it is created. */
  readonly initial: SetState
  readonly keys: readonly VariableKey[]
  /** Steps that may change every key, in an order that the slots permit. */
  readonly shared: NumberedStep[] = []
  /** Steps that change single keys. */
  own: Map<VariableKey, NumberedStep[]> | undefined
  /** Something else than the values of variables changes. */
  isUnstable = false

  constructor(number: number, initial: SetState, before: SetState | undefined, after: SetState | undefined) {
    this.number = number
    this.initial = initial
    this.before = before
    this.after = after
    const keys = [...initial.held.keys()]
    if (after !== undefined && before !== undefined)
      for (const key of after.held.keys()) if (!before.held.has(key)) keys.push(key)
    this.keys = keys
  }

  add(step: NumberedStep): void {
    const { operation } = step
    if (operation.type !== 'update-variable') this.isUnstable = true
    switch (operation.type) {
      case 'create-variable':
      case 'update-variable':
        this.#addTo(operation.after.key, step)
        return
      case 'delete-variable': {
        const { key } = operation.before
        // Otherwise one of two variables with this key, of which the other stays.
        if (operation.replaced || !this.after?.held.has(key)) this.#addTo(key, step)
        return
      }
      case 'update-set': {
        const { before, after } = operation
        const isMoved =
          before.name !== after.name || before.global !== after.global || before.priority !== after.priority
        if (isMoved) this.shared.push(step)
        return
      }
      case 'create-set':
      case 'delete-set':
      case 'assign':
      case 'unassign':
        this.shared.push(step)
        return
    }
    operation satisfies never
  }

  #addTo(key: VariableKey, step: NumberedStep): void {
    this.own ??= new Map()
    append(this.own, key, step)
  }

  /** Those that may concern a key, in the order in which they were added. */
  of(key: VariableKey): readonly NumberedStep[] {
    const own = this.own?.get(key)
    if (own === undefined) return this.shared
    return [...new Set([...this.shared, ...own])].sort((a, b) => a.node - b.node)
  }
}

/** Every set by its states before and after, with its steps. */
export function steppedSets(
  sets: readonly ChangedSet[],
  operations: readonly Operation[],
): Map<SetState, SteppedSet> {
  const found = new Map<SetState, SteppedSet>()
  const byId = new Map<string, SteppedSet>()
  for (const { before, after } of sets) {
    const initial = before ?? after
    if (initial === undefined) continue
    const set = new SteppedSet(byId.size, initial, before, after)
    byId.set(initial.id, set)
    if (before !== undefined) found.set(before, set)
    if (after !== undefined) found.set(after, set)
  }
  for (const [node, operation] of operations.entries())
    byId.get(operation.subject.id ?? `new ${operation.subject.name}`)?.add({ node, operation })
  return found
}

/** How a workspace receives a set: directly and through its project, each before and after the plan. */
export interface Reception {
  readonly direct: readonly [before: boolean, after: boolean]
  readonly through: readonly [before: boolean, after: boolean]
}

export type Moment = 'before' | 'after'

/** How one workspace receives a set, or one of its keys, between two steps. */
export interface ReceivedState {
  exists: boolean
  serviceName: string
  global: boolean
  priority: boolean
  direct: boolean
  through: boolean
  held: Moment | undefined
}

/** Carries out a step. */
export function perform(step: NumberedStep, state: ReceivedState, then: Moment | undefined): void {
  const { operation } = step
  switch (operation.type) {
    case 'create-set':
      state.exists = true
      return
    case 'delete-set':
      state.exists = false
      return
    case 'update-set': {
      const { before, after } = operation
      if (before.name !== after.name) state.serviceName = after.name
      if (before.global !== after.global) state.global = after.global
      if (before.priority !== after.priority) state.priority = after.priority
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
      return
  }
  operation satisfies never
}

/** An assignment concerns only workspaces that it adds or removes. */
export function mayChange({ operation }: NumberedStep, { direct, through }: Reception): boolean {
  if (operation.type !== 'assign' && operation.type !== 'unassign') return true
  const { kind } = operation.targets
  if (kind === 'stacks') return false
  const [was, is] = kind === 'workspaces' ? direct : through
  return was !== is && is === (operation.type === 'assign')
}

/**
 * The steps that remove a secret, with everything that the rules of the service put before them. They wait for nothing else. A set
 * that the files hand over to a new one waits for it anyway (docs/files.md#change-the-owner), and is not among them.
 */
export function freeSteps(
  { moving }: Pick<Landscape, 'moving'>,
  operations: readonly Operation[],
  slots: Graph,
): Set<number> {
  const holdsSecret = new Map<string, boolean>(
    moving.flatMap(({ before }) =>
      before === undefined ? [] : [[before.id, [...before.held.values()].some(({ secret }) => secret)]],
    ),
  )
  const free = new Set(
    [...operations.entries()].flatMap(([node, operation]) => {
      const isHandedOver = operation.type === 'delete-set' && slots.before(node).length > 0
      const holds = holdsSecret.get(operation.subject.id ?? '') === true
      return !isHandedOver && itemsOf(operation).some(item => revokes(item, holds)) ? [node] : []
    }),
  )
  for (const node of free) for (const earlier of slots.before(node)) free.add(earlier)
  return free
}

/** Whether somebody no longer receives a secret of the set. */
function revokes(item: Item, holdsSecret: boolean): boolean {
  switch (item.kind) {
    case 'variable':
      return item.before !== undefined && 'hidden' in item.before.value && takesAway(item)
    case 'set':
    case 'target':
      return holdsSecret && takesAway(item)
    case 'setting':
      return holdsSecret && item.name === 'global' && item.before === true && item.after === false
  }
}
