import { nextTick } from 'node:process'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'

interface Event {
  readonly at: number
  readonly order: number
  readonly act: () => void
}

/** Thrown if the program waits for something that never happens. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError'
}

/** A clock that moves from event to event. All random choices of a schedule come from one seed. */
export class VirtualTime {
  readonly random: () => number
  #now = 0
  #order = 0
  #events: Event[] = []

  constructor(seed: number) {
    this.random = seededRandom(seed)
  }

  readonly now = (): number => this.#now

  readonly date = (): Date => new Date(1_700_000_000_000 + this.#now)

  /** A random whole number from 0 up to `below`, exclusive. */
  pick(below: number): number {
    return Math.floor(this.random() * below)
  }

  /** Advances the clock between two runs. */
  skip(milliseconds: number): void {
    this.#now += milliseconds
  }

  /** Calls `act` after this time. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void {
    const event = { at: this.#now + milliseconds, order: this.#order++, act }
    this.#events.push(event)
    return () => {
      this.#events = this.#events.filter(other => other !== event)
    }
  }

  /** Ends early if the signal is aborted. */
  readonly sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (signal?.aborted === true) return resolve()
      const end = (): void => {
        cancel()
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.after(milliseconds, end)
      signal?.addEventListener('abort', end)
    })

  /** Runs events until `isOver`, and drops the rest. */
  async drive(isOver: () => boolean): Promise<void> {
    for (;;) {
      await settled()
      if (isOver()) break
      const next = this.#takeNext()
      if (next === undefined) throw new StandstillError(`no event is left at ${this.#now} ms`)
      this.#now = next.at
      next.act()
    }
    this.#events = []
  }

  #takeNext(): Event | undefined {
    let best = -1
    for (const [index, event] of this.#events.entries()) {
      const other = this.#events[best]
      if (other === undefined || event.at < other.at || (event.at === other.at && event.order < other.order))
        best = index
    }
    return best === -1 ? undefined : this.#events.splice(best, 1)[0]
  }
}

/**
 * Resolves when every promise that does not need an event has continued, because a tick comes after all continuations.
 * The program waits only for promises and this clock.
 */
async function settled(): Promise<void> {
  await undefined
  await new Promise<void>(resolve => nextTick(resolve))
}
