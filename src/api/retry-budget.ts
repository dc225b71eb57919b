/** Costs in tokens: a storm of faults empties a run's bucket before it becomes a storm of requests (docs/fault-model.md 8.2). */
export const RETRY_COST = { transient: 14, throttled: 5 } as const
export type RetryKind = keyof typeof RETRY_COST

const FULL = 500

/** What all requests of one run may spend on repetitions. */
export interface RetryBudget {
  /** False: too little is left, and the run should start nothing new. */
  readonly spend: (kind: RetryKind) => boolean
  /** After a success: gives back what its last repetition cost, or one token where there was none. */
  readonly refund: (kind: RetryKind | undefined) => void
  /** A repetition was refused at some time. Stays true. */
  readonly isExhausted: () => boolean
}

export function createRetryBudget(capacity = FULL): RetryBudget {
  let left = capacity
  let exhausted = false
  return {
    spend: kind => {
      if (exhausted || left < RETRY_COST[kind]) {
        exhausted = true
        return false
      }
      left -= RETRY_COST[kind]
      return true
    },
    refund: kind => {
      left = Math.min(capacity, left + (kind === undefined ? 1 : RETRY_COST[kind]))
    },
    isExhausted: () => exhausted,
  }
}

/** Milliseconds that a run waits in all because the service asks it to: else a service could hold it for ever. */
export const LONGEST_PAUSES = 15 * 60_000

/** How long a run goes on waiting for the service. Waits at the same time count once. */
export interface Patience {
  /** False: so much longer is too long, and nothing is waited for any more. */
  readonly spend: (milliseconds: number) => boolean
  /** Milliseconds so far. */
  readonly spent: () => number
}

export function createPatience(now: () => number, most = LONGEST_PAUSES): Patience {
  let spent = 0
  let until = Number.NEGATIVE_INFINITY
  let isOver = false
  return {
    spend: milliseconds => {
      const time = now()
      const more = Math.max(0, time + milliseconds - Math.max(time, until))
      isOver ||= spent + more > most
      if (isOver) return false
      spent += more
      until = Math.max(until, time + milliseconds)
      return true
    },
    spent: () => spent,
  }
}
