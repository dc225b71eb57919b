/** Why nothing is sent for a while. `limit`: the service said to wait, and all requests of the run do. `retry`: one is repeated. */
export interface Wait {
  readonly for: 'limit' | 'retry'
  readonly milliseconds: number
  /** Of a limit: milliseconds that the run has waited for it so far, this wait included. */
  readonly total?: number
  /** Of a repetition: the status of the answer, or the code of the fault. */
  readonly reason?: number | string
}

export type OnWait = (wait: Wait) => void
