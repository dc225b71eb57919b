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

/** A service may show a write late. Milliseconds before each repeated read (docs/fault-model.md F-33). */
export const UNTIL_SHOWN = [250, 500, 1_000, 2_000] as const

/**
 * Asks until the answer is enough: at once, and after each of `waits`, in milliseconds. Otherwise the last answer counts. After `stop`,
 * nothing is asked again.
 */
export async function until<T>(
  ask: () => Promise<T>,
  isEnough: (answer: T) => boolean,
  waits: readonly number[],
  { sleep, stop }: Pick<Timing, 'sleep'> & { readonly stop: AbortSignal },
): Promise<T> {
  let answer = await ask()
  for (const wait of waits) {
    if (isEnough(answer) || stop.aborted) break
    await sleep(wait, stop)
    answer = await ask()
  }
  return answer
}
