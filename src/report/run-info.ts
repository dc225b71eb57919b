/** When and with what a run was made. Only JSON has it: it is no part of a plan or its digest. */
export interface RunInfo {
  /** ISO 8601, in UTC. */
  readonly startedAt: string
  readonly endedAt: string
  /** Of Setpoint. */
  readonly version: string
  /** The commit that is checked out. Undefined without a repository, or if Git cannot tell. */
  readonly commit?: string | undefined
  /** Such as `2/4`, as `--shard`. */
  readonly shard?: string | undefined
  /** Milliseconds that the run waited for the rate limit of the service, and to repeat requests. */
  readonly waitedMs: number
  /** The same by reason. Only metrics have it. */
  readonly waits: { readonly limit: number; readonly retry: number }
}

/** As JSON shows it. */
export function runDocument(run: RunInfo | undefined): Omit<RunInfo, 'waits'> | undefined {
  if (run === undefined) return undefined
  const { waits: _, ...shown } = run
  return shown
}
