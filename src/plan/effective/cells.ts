import type { ProjectId, VariableKey } from '../../model/ids.ts'
import { append, itemAt } from '../../model/lists.ts'
import type { CellMember } from './effect.ts'
import type { KnownMembers } from './members.ts'
import { type RankedSource, sourceOf, type Way } from './precedence.ts'
import type { SetStates } from './set-state.ts'

/** Before the plan, and after it. */
export type Moments<T> = readonly [before: T, after: T]

/** A set that may give a key, as some members receive it. */
export interface Contender {
  readonly set: SetStates
  /** It is assigned to them. */
  readonly direct: Moments<boolean>
  /** It is assigned to their project. */
  readonly through: Moments<boolean>
  /** The set with its rank there; `undefined` if they do not receive it. */
  readonly source: Moments<RankedSource | undefined>
}

/** One key at members that receive it alike: from the same sets, in the same ways. */
export interface Cell {
  readonly key: VariableKey
  readonly members: readonly CellMember[]
  readonly contenders: readonly Contender[]
}

/** The cells of these keys, of all members that receive a set that changes. Cells share lists. */
export function cellsOf(
  sets: readonly SetStates[],
  members: KnownMembers,
  keys: ReadonlySet<VariableKey>,
): Cell[] {
  const contenders = new Contenders(sets)
  const everybody = [...members.all.keys()]
  const cells: Cell[] = []
  for (const { holders, alike } of keysByHolders(sets, keys))
    for (const audience of audiencesOf(holders, contenders, members, everybody))
      for (const key of alike) cells.push({ key, ...audience })
  return cells
}

/** Sets by position, ascending, and the keys that exactly these have before or after the plan. */
function keysByHolders(sets: readonly SetStates[], keys: ReadonlySet<VariableKey>) {
  const holdersOf = new Map<VariableKey, number[]>()
  for (const [at, { before, after }] of sets.entries()) {
    for (const key of before?.held.keys() ?? []) if (keys.has(key)) append(holdersOf, key, at)
    if (after === before) continue
    for (const key of after?.held.keys() ?? [])
      if (keys.has(key) && before?.held.has(key) !== true) append(holdersOf, key, at)
  }
  const found = new Map<string, { readonly holders: readonly number[]; readonly alike: VariableKey[] }>()
  for (const [key, holders] of holdersOf) {
    const identity = holders.join()
    const known = found.get(identity)
    if (known === undefined) found.set(identity, { holders, alike: [key] })
    else known.alike.push(key)
  }
  return found.values()
}

/** The members that receive these sets alike. Sets that reach everybody, and only so, share the list of `everybody`. */
function audiencesOf(
  holders: readonly number[],
  contenders: Contenders,
  { all, inProject }: KnownMembers,
  everybody: readonly CellMember[],
): Pick<Cell, 'members' | 'contenders'>[] {
  const direct = new Assigned<CellMember>(contenders.size)
  const through = new Assigned<ProjectId>(contenders.size)
  const receive = (at: number, isConcerned: (member: CellMember) => boolean): void => {
    const { before, after } = contenders.setAt(at)
    direct.add(at, before?.workspaces, after?.workspaces, isConcerned)
    through.add(at, before?.projects, after?.projects, () => true)
  }
  const [changing, still] = [true, false].map(moves =>
    holders.filter(at => contenders.isChanging(at) === moves),
  )
  const global = holders.filter(at => contenders.isGlobal(at))
  for (const at of changing ?? []) receive(at, () => true)
  const isForAll = changing?.some(at => global.includes(at))
  const areAllGlobal = holders.every(at => contenders.isOnlyGlobal(at))
  if (isForAll && areAllGlobal)
    return everybody.length === 0
      ? []
      : [{ members: everybody, contenders: holders.map(at => contenders.of(at, 0)) }]
  const concerned = isForAll
    ? new Set(everybody)
    : new Set([...direct.ids(), ...[...through.ids()].flatMap(project => inProject.get(project) ?? [])])
  for (const at of still ?? []) receive(at, member => concerned.has(member))

  const alike = new Map<
    number,
    { readonly members: CellMember[]; readonly ways: readonly [number, number] }
  >()
  for (const member of concerned) {
    const project = all.get(member)
    const ways = [direct.nodeOf(member), project === undefined ? 0 : through.nodeOf(project)] as const
    const identity = ways[0] * through.size + ways[1]
    const known = alike.get(identity)
    if (known === undefined) alike.set(identity, { members: [member], ways })
    else known.members.push(member)
  }
  return [...alike.values()].flatMap(({ members, ways: [one, other] }) => {
    const bits = new Map(global.map(at => [at, 0]))
    for (const [at, when] of direct.setsOf(one)) bits.set(at, when)
    for (const [at, when] of through.setsOf(other)) bits.set(at, (bits.get(at) ?? 0) | (when << 2))
    const received = [...bits].sort(([a], [b]) => a - b).map(([at, ways]) => contenders.of(at, ways))
    return received.length === 0 ? [] : { members, contenders: received }
  })
}

/** Before and after, as bits. */
type When = number
const BEFORE: When = 1
const AFTER: When = 2

/**
 * The sets that each workspace, or each project, is assigned, as nodes of a tree: a node adds one set to its parent, and whoever is
 * assigned the same sets has the same node. 0 stands for none.
 */
class Assigned<Id> {
  readonly #nodes = new Map<Id, number>()
  readonly #tree: { readonly parent: number; readonly set: readonly [at: number, when: When] }[] = []
  readonly #children = new Map<number, number>()
  readonly #sets: number

  /** `sets`: their number. */
  constructor(sets: number) {
    this.#sets = sets
  }

  /** Sets must come in one order. */
  add(
    at: number,
    before: readonly Id[] = [],
    after: readonly Id[] = [],
    isConcerned: (id: Id) => boolean,
  ): void {
    const then = before === after ? undefined : new Set(after)
    for (const id of before)
      if (isConcerned(id)) this.#put(id, at, then === undefined || then.has(id) ? BEFORE | AFTER : BEFORE)
    if (then === undefined) return
    for (const id of before) then.delete(id)
    for (const id of then) if (isConcerned(id)) this.#put(id, at, AFTER)
  }

  #put(id: Id, at: number, when: When): void {
    const parent = this.nodeOf(id)
    const name = (parent * this.#sets + at) * 4 + when
    let node = this.#children.get(name)
    if (node === undefined) {
      node = this.#tree.push({ parent, set: [at, when] })
      this.#children.set(name, node)
    }
    this.#nodes.set(id, node)
  }

  /** The number of nodes. */
  get size(): number {
    return this.#tree.length + 1
  }

  ids(): Iterable<Id> {
    return this.#nodes.keys()
  }

  nodeOf(id: Id): number {
    return this.#nodes.get(id) ?? 0
  }

  setsOf(node: number): (readonly [at: number, when: When])[] {
    const sets: (readonly [number, When])[] = []
    for (let next = node; next > 0; next = itemAt(this.#tree, next - 1).parent)
      sets.push(itemAt(this.#tree, next - 1).set)
    return sets
  }
}

/** Every set in every way in which members receive it, once. */
class Contenders {
  readonly #sets: readonly SetStates[]
  readonly #known = new Map<number, Contender>()

  constructor(sets: readonly SetStates[]) {
    this.#sets = sets
  }

  get size(): number {
    return this.#sets.length
  }

  setAt(at: number): SetStates {
    return itemAt(this.#sets, at)
  }

  isChanging(at: number): boolean {
    const { before, after } = this.setAt(at)
    return before !== after
  }

  isGlobal(at: number): boolean {
    const { before, after } = this.setAt(at)
    return before?.global === true || after?.global === true
  }

  /** It is global before and after, as far as it is there, and assigned to nobody besides. */
  isOnlyGlobal(at: number): boolean {
    const { before, after } = this.setAt(at)
    return [before, after].every(
      state => state === undefined || (state.global && state.workspaces.length + state.projects.length === 0),
    )
  }

  /** `ways`: assigned directly before and after, and the project before and after, as bits. */
  of(at: number, ways: number): Contender {
    const identity = at * 16 + ways
    const known = this.#known.get(identity)
    if (known !== undefined) return known
    const set = this.setAt(at)
    const [direct, through] = [whenOf(ways), whenOf(ways >> 2)]
    const sourceAt = (moment: 0 | 1): RankedSource | undefined => {
      const state = moment === 0 ? set.before : set.after
      return state && sourceOf(state, waysOf(state.global, direct[moment], through[moment]))
    }
    const contender = { set, direct, through, source: [sourceAt(0), sourceAt(1)] as const }
    this.#known.set(identity, contender)
    return contender
  }
}

const whenOf = (bits: When): Moments<boolean> => [(bits & BEFORE) !== 0, (bits & AFTER) !== 0]

/** The ways in which a member receives a set. */
export const waysOf = (global: boolean, direct: boolean, through: boolean): readonly Way[] => [
  ...(global ? (['global'] as const) : []),
  ...(direct ? (['workspace'] as const) : []),
  ...(through ? (['project'] as const) : []),
]
