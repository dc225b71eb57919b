import { Multimap, ServiceDirectory, within } from './directory.ts'
import {
  type AssignmentKind,
  type Batch,
  KINDS,
  type SetRecord,
  type StoreChange,
  type TokenRecord,
  type VariableRecord,
} from './records.ts'

const NO_VARIABLES: ReadonlyMap<string, VariableRecord> = new Map()

/** Two variables with the same slot conflict if both are global (docs/service.md 1.2). */
export const slotOf = (variable: { readonly category: string; readonly key: string }) =>
  `${variable.category}/${variable.key}`

/**
 * The state, which changes only by batches, with indexes for quick look-ups. It checks nothing: a batch has passed the rules.
 */
export class Store {
  readonly directory = new ServiceDirectory()
  readonly sets = new Map<string, SetRecord>()
  readonly tokens = new Map<string, TokenRecord>()
  /** Number of ids that were given so far. */
  sequence = 0
  /** Grows with each batch: a key for results that are computed from the state. */
  revision = 0

  readonly #variables = new Map<string, Map<string, VariableRecord>>()
  /** Ids and versions that exist or existed. */
  readonly #taken = new Set<string>()
  /** Further ones that are not yet in the set, because a sandbox that is only read never needs them. */
  #unasked: string[] = []
  readonly #members = new Multimap()
  readonly #named = new Multimap()
  readonly #globals = new Multimap()
  readonly #globalSlots = new Multimap()
  readonly #assigned = new Multimap()

  apply(batch: Batch): void {
    for (const change of batch.changes) this.#change(change, batch.at)
    this.sequence = batch.sequence
    this.revision += 1
  }

  /** Whether a new object, or a new version of a variable, must not get this id. */
  isTaken(id: string): boolean {
    for (const one of this.#unasked) this.#taken.add(one)
    this.#unasked = []
    return this.#taken.has(id)
  }

  /** `owner` is the id of a set or of a workspace. */
  variablesOf(owner: string): ReadonlyMap<string, VariableRecord> {
    return this.#variables.get(owner) ?? NO_VARIABLES
  }

  setsOf(organization: string): ReadonlySet<string> {
    return this.#members.of(organization)
  }

  setsNamed(organization: string, name: string): ReadonlySet<string> {
    return this.#named.of(within(organization, name))
  }

  globalSetsOf(organization: string): ReadonlySet<string> {
    return this.#globals.of(organization)
  }

  globalSetsWith(organization: string, slot: string): ReadonlySet<string> {
    return this.#globalSlots.of(within(organization, slot))
  }

  /** Sets that are assigned directly to this workspace, project or Stack. */
  setsAssignedTo(target: string): ReadonlySet<string> {
    return this.#assigned.of(target)
  }

  #change(change: StoreChange, at: string): void {
    switch (change.type) {
      case 'put-organization':
        this.directory.organizations.set(change.organization.name, change.organization)
        return
      case 'remove-organization':
        this.#removeOrganization(change.name, at)
        return
      case 'put-place':
        this.#unasked.push(change.place.id)
        this.directory.put(change.kind, change.place)
        return
      case 'remove-place':
        this.#removePlace(change.kind, change.id, at)
        return
      case 'put-set':
        this.#unasked.push(change.set.id)
        this.#unlinkSet(change.set.id)
        this.#linkSet(change.set)
        return
      case 'remove-set':
        this.#unlinkSet(change.id)
        this.#variables.delete(change.id)
        return
      case 'put-variable':
        this.#putVariable(change.owner, change.variable, at)
        return
      case 'remove-variable':
        this.#removeVariable(change.owner, change.id, at)
        return
      case 'assign':
        this.#assign(change.set, change.kind, at, ids => new Set([...ids, ...change.ids]))
        return
      case 'unassign': {
        const gone = new Set(change.ids)
        this.#assign(change.set, change.kind, at, ids => ids.filter(id => !gone.has(id)))
        return
      }
      case 'put-token':
        this.tokens.set(change.token.token, change.token)
        return
      case 'clear':
        this.#clear()
        return
    }
  }

  #assign(
    id: string,
    kind: AssignmentKind,
    at: string,
    next: (ids: readonly string[]) => Iterable<string>,
  ): void {
    const set = this.sets.get(id)
    if (set === undefined) return
    for (const target of set[kind]) this.#assigned.remove(target, id)
    const ids = [...next(set[kind])]
    for (const target of ids) this.#assigned.add(target, id)
    this.sets.set(id, { ...set, [kind]: ids, updatedAt: at })
  }

  #linkSet(set: SetRecord): void {
    this.sets.set(set.id, set)
    for (const [index, key] of this.#keysOf(set)) index.add(key, set.id)
  }

  #unlinkSet(id: string): void {
    const set = this.sets.get(id)
    if (set === undefined) return
    this.sets.delete(id)
    for (const [index, key] of this.#keysOf(set)) index.remove(key, id)
  }

  /** Where the indexes have the set. */
  #keysOf(set: SetRecord): (readonly [Multimap, string])[] {
    const { organization, name, global } = set
    const variables = global ? [...this.variablesOf(set.id).values()] : []
    return [
      [this.#members, organization],
      [this.#named, within(organization, name)],
      ...KINDS.flatMap(kind => set[kind]).map(target => [this.#assigned, target] as const),
      ...(global ? [[this.#globals, organization] as const] : []),
      ...variables.map(one => [this.#globalSlots, within(organization, slotOf(one))] as const),
    ]
  }

  #putVariable(owner: string, variable: VariableRecord, at: string): void {
    const variables = this.#variables.get(owner) ?? new Map<string, VariableRecord>()
    this.#variables.set(owner, variables)
    const before = variables.get(variable.id)
    this.#unasked.push(variable.id, variable.versionId)
    variables.set(variable.id, variable)
    const set = this.sets.get(owner)
    if (set === undefined) return
    if (before !== undefined && set.global) this.#releaseSlot(set, before)
    if (set.global) this.#globalSlots.add(within(set.organization, slotOf(variable)), set.id)
    this.sets.set(owner, { ...set, updatedAt: at })
  }

  #removeVariable(owner: string, id: string, at: string): void {
    const variable = this.#variables.get(owner)?.get(id)
    this.#variables.get(owner)?.delete(id)
    const set = this.sets.get(owner)
    if (set === undefined || variable === undefined) return
    if (set.global) this.#releaseSlot(set, variable)
    this.sets.set(owner, { ...set, updatedAt: at })
  }

  /** Where duplicates are kept, another variable of the set may still hold the slot. */
  #releaseSlot(set: SetRecord, variable: VariableRecord): void {
    const slot = slotOf(variable)
    for (const other of this.variablesOf(set.id).values()) if (slotOf(other) === slot) return
    this.#globalSlots.remove(within(set.organization, slot), set.id)
  }

  #removePlace(kind: AssignmentKind, id: string, at: string): void {
    this.directory.remove(kind, id)
    if (kind === 'workspaces') this.#variables.delete(id)
    for (const set of [...this.#assigned.of(id)]) this.#change({ type: 'unassign', set, kind, ids: [id] }, at)
  }

  #removeOrganization(name: string, at: string): void {
    for (const id of [...this.setsOf(name)]) this.#change({ type: 'remove-set', id }, at)
    for (const kind of KINDS) {
      for (const id of [...this.directory.idsOf(name, kind)]) this.#removePlace(kind, id, at)
    }
    this.directory.organizations.delete(name)
  }

  #clear(): void {
    const indexes = [this.#members, this.#named, this.#globals, this.#globalSlots, this.#assigned]
    for (const kept of [this.directory, this.sets, this.tokens, this.#variables, this.#taken, ...indexes]) {
      kept.clear()
    }
    this.#unasked = []
  }
}
