/** Milliseconds: a second, and what the clocks of two machines may differ in it. */
const SECOND = 1002

/** The requests that the service may still count in its present second. */
export interface LastSecond {
  /**
   * Milliseconds, 0 or less where there are none, until one more leaves no second of the service with more than `most`.
   * `undefined` where that depends on answers that are still to come.
   */
  readonly waitFor: (most: number) => number | undefined
  /** A request leaves. Returns what to call when its answer is there, or there will be none. */
  readonly leave: () => () => void
}

/**
 * When a request arrived nobody tells us, but it was before its answer came. So one that leaves a second after the answer to
 * another arrives a second after that other, however long both were on the way. Counted like this no second of the service
 * holds more than allowed, whether its seconds are windows that begin anywhere or a bucket that fills. The way there takes
 * time as well, and half of the quickest answer so far is taken for that: it holds unless answers become twice as quick.
 */
export function lastSecond(now: () => number): LastSecond {
  const answered: number[] = []
  let underWay = 0
  let quickest = Number.POSITIVE_INFINITY
  return {
    waitFor: most => {
      const time = now()
      while (answered[0] !== undefined && answered[0] + SECOND <= time) answered.shift()
      const over = underWay + answered.length - Math.max(1, Math.floor(most))
      if (over < 0) return 0
      const last = answered[over]
      return last === undefined ? undefined : last + SECOND - quickest / 2 - time
    },
    leave: () => {
      const left = now()
      underWay++
      return () => {
        const time = now()
        underWay--
        answered.push(time)
        quickest = Math.min(quickest, time - left)
      }
    },
  }
}
