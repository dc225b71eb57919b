import { setTimeout as wait } from 'node:timers/promises'

/** Time and chance, passed in so that tests can own them. */
export interface Timing {
  /** Milliseconds of a clock that never goes back; only differences mean something. */
  readonly now: () => number
  /** Rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
}

/** The machine's time; chance comes from the caller. */
export const machineTiming = (random: () => number): Timing => ({
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
  random,
})
