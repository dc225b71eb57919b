import { compareText } from '../../model/diagnostic.ts'
import { itemAt, valueAt } from '../../model/lists.ts'
import { waysOf } from '../effective/cells.ts'
import { strongestWay } from '../effective/precedence.ts'
import type { SetState, SetStates } from '../effective/set-state.ts'
import type { Graph } from '../graph.ts'
import { takesAway } from '../items.ts'
import { type Item, itemsOf, type Operation } from '../operation.ts'
import { Contest, type Contested } from './contest.ts'

/** All steps in one order that the slots permit. */
export interface StepLine {
  readonly order: readonly number[]
  readonly positionOf: (node: number) => number
  /** Steps that remove a secret, and those before them. They come first. */
  readonly isRevoking: (node: number) => boolean
}

/**
 * One order of all steps: removals of secrets first, with what the slots require of them, then the rest. In each, repeatedly the
 * first ready step of a fixed order after which no more workspaces see a value that is neither old nor new; if there is none,
 * the one after which the fewest do.
 */
export function lineOf(
  operations: readonly Operation[],
  changing: readonly SetStates[],
  slots: Graph<unknown>,
  contested: readonly Contested[],
): StepLine {
  const revoking = revokingSteps(operations, changing, slots)
  const contests: Contest[][] = operations.map(() => [])
  for (const one of contested) {
    const contest = new Contest(one)
    for (const node of contest.nodes) itemAt(contests, node).push(contest)
  }
  const turns = turnsOf(operations, changing, revoking, contests)
  const order = new LineBuilder(turns, slots, contests).order()
  const positions = new Map(order.map((node, position) => [node, position]))
  return { order, positionOf: node => valueAt(positions, node), isRevoking: node => revoking.has(node) }
}

/** Where a step stands if it shows no other value. */
interface Turn {
  readonly isRevoking: boolean
  readonly position: number
}

/**
 * By node: revoking steps first; then additions from the strongest set on, updates, and removals from the weakest set on. Strength counts
 * only at contested cells.
 */
function turnsOf(
  operations: readonly Operation[],
  changing: readonly SetStates[],
  revoking: ReadonlySet<number>,
  contests: readonly (readonly Contest[])[],
): Turn[] {
  const before = strengths(changing.map(set => set.before))
  const after = strengths(changing.map(set => set.after))
  const strengthOf = (kind: StepKind, node: number, { subject }: Operation): number => {
    const id = subject.id ?? `new ${subject.name}`
    if (contests[node]?.length === 0) return 0
    return kind === 'removal' ? -(before.get(id) ?? 0) : (after.get(id) ?? 0)
  }
  const sorted = operations
    .map((operation, node) => {
      const kind = kindOf(operation)
      const strength = strengthOf(kind, node, operation)
      return { node, isRevoking: revoking.has(node), kind: KINDS.indexOf(kind), strength }
    })
    .toSorted(
      (a, b) =>
        Number(b.isRevoking) - Number(a.isRevoking) ||
        a.kind - b.kind ||
        a.strength - b.strength ||
        a.node - b.node,
    )
  const turns = new Map(sorted.map(({ node, isRevoking }, position) => [node, { isRevoking, position }]))
  return operations.map((_, node) => valueAt(turns, node))
}

const KINDS = ['addition', 'update', 'removal'] as const
type StepKind = (typeof KINDS)[number]

function kindOf(operation: Operation): StepKind {
  switch (operation.type) {
    case 'create-set':
    case 'create-variable':
    case 'assign':
      return 'addition'
    case 'update-variable':
      return 'update'
    case 'update-set': {
      const { before, after } = operation
      if ((after.priority && !before.priority) || (after.global && !before.global)) return 'addition'
      return before.priority !== after.priority || before.global !== after.global ? 'removal' : 'update'
    }
    case 'delete-variable':
    case 'unassign':
    case 'delete-set':
      return 'removal'
  }
}

/** Sets by id, numbered from the one that is strongest where it is received, from 1 on. */
function strengths(sets: readonly (SetState | undefined)[]): Map<string, number> {
  const sorted = sets
    .flatMap(set => {
      if (set === undefined) return []
      const ways = waysOf(set.global, set.workspaces.length > 0, set.projects.length > 0)
      return { set, rank: strongestWay(set, ways)?.rank ?? Infinity }
    })
    .toSorted((a, b) => a.rank - b.rank || compareText(a.set.serviceName, b.set.serviceName))
  return new Map(sorted.map(({ set }, at) => [set.id, at + 1]))
}

/** A step that could be the next one. Outdated if it has another cost by now. */
interface Candidate {
  readonly node: number
  /** How many more workspaces see another value after it, as far as known. */
  readonly cost: number
}

class LineBuilder {
  readonly #turns: readonly Turn[]
  /** The contested cells of each step. */
  readonly #contests: readonly (readonly Contest[])[]
  /** Steps that would show another value, by cell: worth another look if the cell changes. */
  readonly #parked = new Map<Contest, Set<number>>()
  readonly #costs: number[]
  /** How many steps each node still waits for; `DONE` if it is in the line. */
  readonly #waits: number[]
  readonly #later: readonly number[][]
  /** Sorted, the best one last. */
  readonly #candidates: Candidate[]

  constructor(turns: readonly Turn[], slots: Graph<unknown>, contests: readonly (readonly Contest[])[]) {
    this.#turns = turns
    this.#contests = contests
    this.#costs = turns.map(() => 0)
    this.#waits = turns.map((_, node) => slots.before(node).length)
    this.#later = turns.map(() => [])
    for (const node of turns.keys())
      for (const earlier of slots.before(node)) itemAt(this.#later, earlier).push(node)
    this.#candidates = [...turns.keys()]
      .filter(node => this.#waits[node] === 0)
      .map(node => ({ node, cost: 0 }))
      .sort((a, b) => this.#compare(b, a))
  }

  #compare(a: Candidate, b: Candidate): number {
    const [one, other] = [itemAt(this.#turns, a.node), itemAt(this.#turns, b.node)]
    return (
      Number(other.isRevoking) - Number(one.isRevoking) || a.cost - b.cost || one.position - other.position
    )
  }

  order(): number[] {
    const order: number[] = []
    for (let next = this.#candidates.pop(); next !== undefined; next = this.#candidates.pop()) {
      const { node } = next
      if (this.#waits[node] === DONE || this.#costs[node] !== next.cost) continue
      const cost = this.#costOf(node)
      if (cost > next.cost) this.#park(node, cost)
      else {
        this.#waits[node] = DONE
        order.push(node)
        this.#finish(node)
      }
    }
    return order
  }

  #costOf(node: number): number {
    let cost = 0
    for (const contest of itemAt(this.#contests, node)) {
      const { cell, isOther } = contest.contested
      cost +=
        (Number(isOther(contest.winnerAfter(node))) - Number(isOther(contest.winner))) * cell.members.length
    }
    return cost
  }

  #park(node: number, cost: number): void {
    this.#offer(node, cost)
    for (const contest of itemAt(this.#contests, node)) {
      const parked = this.#parked.get(contest)
      if (parked === undefined) this.#parked.set(contest, new Set([node]))
      else parked.add(node)
    }
  }

  #finish(node: number): void {
    for (const contest of itemAt(this.#contests, node)) {
      contest.finish(node)
      for (const other of this.#parked.get(contest) ?? [])
        if (this.#waits[other] !== DONE) this.#offer(other, 0)
      this.#parked.delete(contest)
    }
    for (const later of itemAt(this.#later, node)) {
      const waits = itemAt(this.#waits, later) - 1
      this.#waits[later] = waits
      if (waits === 0) this.#offer(later, 0)
    }
  }

  #offer(node: number, cost: number): void {
    const candidate = { node, cost }
    this.#costs[node] = cost
    let [from, until] = [0, this.#candidates.length]
    while (from < until) {
      const middle = (from + until) >> 1
      if (this.#compare(itemAt(this.#candidates, middle), candidate) > 0) from = middle + 1
      else until = middle
    }
    this.#candidates.splice(from, 0, candidate)
  }
}

const DONE = -1

/**
 * The steps that remove a secret, with everything that the rules of the service put before them. A set that the files hand over to
 * a new one waits for it anyway (docs/files.md#move-a-set-to-another-project), and is not among them.
 */
function revokingSteps(
  operations: readonly Operation[],
  changing: readonly SetStates[],
  slots: Graph<unknown>,
): Set<number> {
  const withSecret = new Set(
    changing.flatMap(({ before }) =>
      before && [...before.held.values()].some(({ secret }) => secret) ? [before.id] : [],
    ),
  )
  const revoking = new Set(
    [...operations.entries()].flatMap(([node, operation]) => {
      const isHandedOver = operation.type === 'delete-set' && slots.before(node).length > 0
      const holds = withSecret.has(operation.subject.id ?? '')
      return !isHandedOver && itemsOf(operation).some(item => revokes(item, holds)) ? [node] : []
    }),
  )
  for (const node of revoking) for (const earlier of slots.before(node)) revoking.add(earlier)
  return revoking
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
