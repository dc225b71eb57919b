import { Journal } from './journal.ts'
import { LaggingLists } from './lagging.ts'
import type { Profile } from './profile.ts'
import type { Batch, Change } from './records.ts'
import { nameComparison } from './set-rules.ts'
import { Store } from './store.ts'

/** All that a sandbox remembers: the store, what lists show of it, and the file that keeps it. */
export class State {
  readonly store: Store
  readonly #lists: LaggingLists | undefined
  readonly #journal: Journal | undefined
  readonly #now: () => Date

  /** Reads what the file holds. Throws JournalError or LockedError. */
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

  /** Nothing was kept yet. */
  get isNew(): boolean {
    return this.#journal?.isNew ?? true
  }

  /** What lists show now; counts one read of them. */
  readLists(): Store {
    return this.#lists?.read() ?? this.store
  }

  /** A write through the interface: kept, then applied, then (perhaps later) shown in lists. */
  commit(batch: Batch): void {
    this.#journal?.append(batch, this.store)
    this.store.apply(batch)
    this.#lists?.add(batch)
  }

  /** Adds to the state from outside the interface; shown at once. */
  add(changes: readonly Change[]): void {
    if (changes.length === 0) return
    const batch = this.#batchOf(changes)
    if (!this.isNew) this.#journal?.append(batch, this.store)
    this.#applyAtOnce(batch)
    if (this.isNew) this.#journal?.rewrite(this.store)
  }

  /** Puts another state into the place of this one. */
  replace(changes: readonly Change[]): void {
    this.#applyAtOnce(this.#batchOf([{ type: 'clear' }, ...changes]))
    this.#journal?.rewrite(this.store)
  }

  close(): void {
    this.#journal?.close()
  }

  #batchOf(changes: readonly Change[]): Batch {
    return { at: this.#now().toISOString(), sequence: this.store.sequence, changes }
  }

  #applyAtOnce(batch: Batch): void {
    this.store.apply(batch)
    this.#lists?.addAtOnce(batch)
  }
}
