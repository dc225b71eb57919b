import type { Sink } from './io.ts'

/** The output of runs at the same time, in the order of the runs: each whole, as if they had run one after the other. */
export class InOrder {
  /** The run whose output is written at once. That of later ones waits. */
  #current = 0
  readonly #ended = new Set<number>()
  readonly #waiting = new Map<number, (() => void)[]>()

  /** A stream as one of the runs sees it. */
  sink(run: number, to: Sink): Sink {
    const isHeld = (): boolean => run !== this.#current
    const write = (text: string): void => {
      if (isHeld()) this.#queueOf(run).push(() => to.write(text))
      else to.write(text)
    }
    return {
      write,
      terminal: to.terminal,
      columns: to.columns,
      get failed() {
        return to.failed
      },
      get isHeld() {
        return isHeld()
      },
    }
  }

  /** Resolves when everything before is written: a question must not come before the plan that it is about. */
  async turn(run: number): Promise<void> {
    if (run !== this.#current) await new Promise<void>(resolve => this.#queueOf(run).push(resolve))
  }

  /** A run writes nothing more. The outputs that waited for it follow. */
  end(run: number): void {
    this.#ended.add(run)
    while (this.#ended.has(this.#current)) {
      this.#current++
      for (const act of this.#queueOf(this.#current)) act()
      this.#waiting.delete(this.#current)
    }
  }

  #queueOf(run: number): (() => void)[] {
    const queue = this.#waiting.get(run) ?? []
    this.#waiting.set(run, queue)
    return queue
  }
}

/**
 * Runs all items, in their order, at most `most` at a time, and of each lane one at a time. The first item that has not ended is always
 * running, so the others may wait for it. After a failure no further item begins, and it is thrown when those under way have ended.
 */
export async function inLanes<Item>(
  items: readonly Item[],
  laneOf: (item: Item) => unknown,
  most: number,
  run: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const pending = [...items.entries()]
  const busy = new Set<unknown>()
  const work = async (): Promise<void> => {
    for (;;) {
      const at = pending.findIndex(([, item]) => !busy.has(laneOf(item)))
      const [next] = at < 0 ? [] : pending.splice(at, 1)
      if (next === undefined) return
      const [index, item] = next
      busy.add(laneOf(item))
      try {
        await run(item, index)
      } catch (error) {
        pending.length = 0
        throw error
      }
      busy.delete(laneOf(item))
    }
  }
  const lanes = new Set(items.map(laneOf)).size
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, lanes) }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
