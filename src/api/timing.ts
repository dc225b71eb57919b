/** Time and chance are arguments, so that tests control them. */
export interface Timing {
  /** Milliseconds of a monotonic clock. Only differences are meaningful. */
  readonly now: () => number
  /** Resolves early when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
}

/** Why nothing is sent for a while. `limit`: the service asked all requests of the run to wait. `retry`: one request is repeated. */
export interface Wait {
  readonly for: 'limit' | 'retry'
  readonly milliseconds: number
  /** For a limit: milliseconds that the run has waited so far, including this wait. */
  readonly total?: number
  /** For a retry: the status of the response, or the code of the fault. */
  readonly reason?: number | string
}

export type OnWait = (wait: Wait) => void
