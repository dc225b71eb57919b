import { LIMITS } from './limits.ts'
import type { Profile } from './profile.ts'
import type { Batch } from './records.ts'
import type { Store } from './store.ts'

interface Pending {
  readonly batch: Batch
  readonly since: number
  reads: number
}

/** A second store that learns of each write later: what lists show under the lag profiles. */
export class LaggingLists {
  readonly #behind: Store
  readonly #profile: Profile
  readonly #now: () => Date
  #pending: Pending[] = []

  /** `behind` must be as the true store is now, and change only through this. */
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
    for (const pending of this.#pending) this.#behind.apply(pending.batch)
    this.#pending = []
    this.#behind.apply(batch)
  }

  /** The state that this read shows. A write is hidden from the first three list reads after it, or for half a second. */
  read(): Store {
    const due = this.#pending.findIndex(pending => !this.#isDue(pending))
    const ready = this.#pending.splice(0, due === -1 ? this.#pending.length : due)
    for (const pending of ready) this.#behind.apply(pending.batch)
    for (const pending of this.#pending) pending.reads += 1
    return this.#behind
  }

  #isDue(pending: Pending): boolean {
    return this.#profile.lists === 'lag-reads'
      ? pending.reads >= LIMITS.lagReads
      : this.#now().getTime() - pending.since >= LIMITS.lagMilliseconds
  }
}
