import { nextTick } from 'node:process'
import { seededRandom } from '../../src/sandbox/clock-and-chance.ts'

interface Event {
  readonly at: number
  readonly order: number
  readonly act: () => void
}

/** Nothing is scheduled, and what the program waits for has not happened. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError'
}

/** A clock that moves only from event to event. One seed decides all chance of a schedule. */
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

  /** A whole number from 0 up to `below`. */
  pick(below: number): number {
    return Math.floor(this.random() * below)
  }

  /** Time between two runs, for which nobody waits. */
  skip(milliseconds: number): void {
    this.#now += milliseconds
  }

  /** Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void {
    const event = { at: this.#now + milliseconds, order: this.#order++, act }
    this.#events.push(event)
    return () => {
      this.#events = this.#events.filter(other => other !== event)
    }
  }

  /** Resolves early on the signal. */
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

  /** Runs one event after the other until `isOver`, and forgets the rest. */
  async drive(isOver: () => boolean): Promise<void> {
    for (;;) {
      await settled()
      if (isOver()) break
      const next = this.#takeNext()
      if (next === undefined) throw new StandstillError(`nothing happens any more at ${this.#now} ms`)
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
 * Every promise has continued that does not need an event: a tick that a continuation requests comes after all continuations.
 * The program waits only for promises and this clock.
 */
async function settled(): Promise<void> {
  await undefined
  await new Promise<void>(resolve => nextTick(resolve))
}
