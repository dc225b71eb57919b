import type { Wait } from '../../api/timing.ts'
import type { RunInfo } from '../../report/run-info.ts'

/** When a run began, and how long it waited. */
export class RunRecord {
  readonly #now: () => Date
  readonly #startedAt: Date
  readonly #over: RunRecord | undefined
  /** The commit of the files. */
  readonly commit: () => Promise<string | undefined>
  /** Milliseconds, by reason. Waits of parallel requests for the same limit count once. */
  readonly waits = { limit: 0, retry: 0 }

  /** `over`: the run over several organizations that this one is a part of. */
  constructor(now: () => Date, commit: () => Promise<string | undefined>, over?: RunRecord) {
    this.#now = now
    this.#startedAt = now()
    this.#over = over
    this.commit = commit
  }

  wait({ for: reason, milliseconds, total }: Wait): void {
    this.#add(reason, total === undefined ? milliseconds : total - this.waits[reason])
  }

  #add(reason: Wait['for'], milliseconds: number): void {
    this.waits[reason] += milliseconds
    if (this.#over !== undefined) this.#over.#add(reason, milliseconds)
  }

  async info({ version, shard }: Pick<RunInfo, 'version' | 'shard'>): Promise<RunInfo> {
    return {
      startedAt: this.#startedAt.toISOString(),
      endedAt: this.#now().toISOString(),
      version,
      commit: await this.commit(),
      shard,
      waitedMs: Math.round(this.waits.limit + this.waits.retry),
      waits: { ...this.waits },
    }
  }
}
