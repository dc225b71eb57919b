import { Journal } from './journal.ts'
import { LIMITS } from './limits.ts'
import type { Profile } from './profile.ts'
import type { Batch, StoreChange } from './records.ts'
import { nameComparison } from './set-rules.ts'
import { Store } from './store.ts'

/** Everything that a sandbox remembers: the store, what lists show of it, and its file. */
export class SandboxState {
  readonly store: Store
  readonly #lists: LaggingLists | undefined
  readonly #journal: Journal | undefined
  readonly #now: () => Date

  /** Reads the file. Throws JournalError or LockedError. */
  constructor(profile: Profile, now: () => Date, file: string | undefined) {
    const emptyStore = () => new Store(nameComparison(profile))
    this.store = emptyStore()
    this.#lists = profile.lists === 'immediate' ? undefined : new LaggingLists(emptyStore(), profile, now)
    this.#now = now
    this.#journal = file === undefined ? undefined : Journal.open(file)
    try {
      for (const batch of this.#journal?.batches() ?? []) this.#applyAtOnce(batch)
    } catch (error) {
      this.#journal?.close()
      throw error
    }
  }

  /** Nothing has been saved yet. */
  get isNew(): boolean {
    return this.#journal?.isNew ?? true
  }

  /** What lists show now. Each call counts as one read. */
  readLists(): Store {
    return this.#lists?.read() ?? this.store
  }

  /** A write through the interface: saved, then applied, then shown in lists, perhaps later. */
  commit(batch: Batch): void {
    this.#journal?.append(batch, this.store)
    this.store.apply(batch)
    this.#lists?.add(batch)
  }

  /** Adds to the state from outside of the interface. Lists show it at once. */
  add(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return
    const batch = this.#batchOf(changes)
    if (!this.isNew) this.#journal?.append(batch, this.store)
    this.#applyAtOnce(batch)
    if (this.isNew) this.#journal?.rewrite(this.store)
  }

  /** Replaces the whole state. */
  replace(changes: readonly StoreChange[]): void {
    this.#applyAtOnce(this.#batchOf([{ type: 'clear' }, ...changes]))
    this.#journal?.rewrite(this.store)
  }

  close(): void {
    this.#journal?.close()
  }

  #batchOf(changes: readonly StoreChange[]): Batch {
    return { at: this.#now().toISOString(), sequence: this.store.sequence, changes }
  }

  #applyAtOnce(batch: Batch): void {
    this.store.apply(batch)
    this.#lists?.addAtOnce(batch)
  }
}

/** A second store that gets each write later: what lists show under the lag profiles. */
class LaggingLists {
  readonly #behind: Store
  readonly #profile: Profile
  readonly #now: () => Date
  #pending: { readonly batch: Batch; readonly since: number; reads: number }[] = []

  /** `behind` must equal the real store now, and change only through this object. */
  constructor(behind: Store, profile: Profile, now: () => Date) {
    this.#behind = behind
    this.#profile = profile
    this.#now = now
  }

  add(batch: Batch): void {
    this.#pending.push({ batch, since: this.#now().getTime(), reads: 0 })
  }

  /** Everything at once: seeds and restores do not lag. */
  addAtOnce(batch: Batch): void {
    for (const pending of this.#pending.splice(0)) this.#behind.apply(pending.batch)
    this.#behind.apply(batch)
  }

  /**
   * The state that this read shows. The first three list reads after a write do not show it, or all reads for half a second.
   */
  read(): Store {
    const isDue = ({ reads, since }: { readonly reads: number; readonly since: number }) =>
      this.#profile.lists === 'lag-reads'
        ? reads >= LIMITS.lagReads
        : this.#now().getTime() - since >= LIMITS.lagMilliseconds
    for (let next = this.#pending[0]; next !== undefined && isDue(next); next = this.#pending[0]) {
      this.#behind.apply(next.batch)
      this.#pending.shift()
    }
    for (const pending of this.#pending) pending.reads += 1
    return this.#behind
  }
}
