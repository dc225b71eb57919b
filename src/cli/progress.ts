import type { LogEntry } from '../api/client.ts'
import { LONGEST_PAUSES } from '../api/rate-limit.ts'
import type { Wait } from '../api/timing.ts'
import type { StepResult } from '../apply/outcome.ts'
import { counted } from '../report/phrase.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** The progress output of a run, on stderr. */
export interface Progress {
  /** A phase of reading begins. */
  readonly reading: () => void
  /** An apply of this many steps begins. */
  readonly applying: (steps: number) => void
  readonly attempt: (entry: LogEntry) => void
  readonly wait: (wait: Wait) => void
  readonly result: (result: StepResult) => void
  /** Clears the progress line, because nothing is running. */
  readonly end: () => void
}

type ProgressOptions = Pick<Options, 'quiet' | 'verbose'>

/** Without a terminal: milliseconds between two lines, each for the steps that ended in between. */
const EVERY = 10_000
/** Without a terminal: shorter waits share a line. */
const LONG_WAIT = 5_000

/**
 * On a terminal, one line that is overwritten; elsewhere, a line for a group of steps. With `--verbose` each
 * request has its own line, so the other lines are left out.
 */
export function progressOf(io: Io, { quiet, verbose }: ProgressOptions): Progress {
  const state = new ProgressCounts(() => io.now().getTime())
  const live = io.stderr.terminal && !verbose && !quiet
  const grouped = !io.stderr.terminal && !verbose && !quiet
  let drawn = false
  let told = 0
  let waited = 0

  const draw = (waiting = ''): void => {
    if (!live || !state.underWay) return
    drawn = true
    io.stderr.write(`\r\u001b[K${`${state.line()}${waiting}`.slice(0, Math.max(20, io.stderr.columns - 1))}`)
  }
  const tell = (line: string): void => io.stderr.write(`${line}\n`)

  return {
    reading: () => state.start(undefined),
    applying: steps => {
      state.start(steps)
      told = state.elapsed()
    },
    attempt: entry => {
      state.attempts++
      if (verbose) tell(`${entry.method} ${entry.path} ${entry.result} ${entry.milliseconds} ms`)
      draw()
    },
    wait: wait => {
      if (verbose) tell(`waiting ${wait.milliseconds} ms: ${reasonOf(wait)}`)
      else if (grouped) {
        waited = wait.milliseconds + (wait.for === 'limit' ? waited : 0)
        if (waited >= LONG_WAIT) {
          tell(`waiting ${seconds(wait.milliseconds)}: ${reasonOf(wait)}`)
          waited = 0
        }
      }
      draw(`; waiting ${seconds(wait.milliseconds)}: ${reasonOf(wait)}`)
    },
    result: ({ outcome }) => {
      state.ended(outcome.status)
      if (grouped && state.elapsed() - told >= EVERY) {
        told = state.elapsed()
        tell(state.line())
      }
      draw()
    },
    end: () => {
      if (drawn) io.stderr.write('\r\u001b[K')
      drawn = false
      state.stop()
    },
  }
}

const reasonOf = ({ for: what, reason, total = 0 }: Wait): string =>
  what === 'limit'
    ? `the rate limit of the service (${seconds(total)} so far, at most ${seconds(LONGEST_PAUSES)})`
    : `retrying a request (${reason ?? 'no response'})`

/** At least "1 s". */
const seconds = (milliseconds: number): string => `${Math.max(1, Math.round(milliseconds / 1000))} s`

/** Counts what was done in the current phase. */
class ProgressCounts {
  readonly #now: () => number
  readonly #count = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
  #total: number | undefined
  #since = 0
  underWay = false
  attempts = 0

  constructor(now: () => number) {
    this.#now = now
  }

  start(total: number | undefined): void {
    this.#total = total
    this.#since = this.#now()
    this.attempts = 0
    this.underWay = true
  }

  stop(): void {
    this.underWay = false
  }

  elapsed(): number {
    return this.#now() - this.#since
  }

  ended(status: StepResult['outcome']['status']): void {
    this.#count[status]++
  }

  line(): string {
    if (this.#total === undefined) return `reading: ${counted(this.attempts, 'request')}${this.#rate()}`
    const { succeeded, failed, skipped, unknown } = this.#count
    const done = succeeded + failed + skipped + unknown
    const bad = failed + unknown
    const parts = [
      `${done}/${this.#total} steps`,
      ...(bad > 0 ? [`${bad} failed or unknown`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ]
    return `${parts.join(', ')}${this.#rate()}${done < this.#total ? this.#left(done, this.#total) : ', reading back'}`
  }

  /** Requests per second, after the first second. */
  #rate(): string {
    const elapsed = this.elapsed()
    return elapsed < 1000 ? '' : `, ${Math.round((this.attempts * 1000) / elapsed)} requests/s`
  }

  #left(done: number, total: number): string {
    const elapsed = this.elapsed()
    return elapsed < 1000 || done < 3 ? '' : `, about ${seconds((elapsed / done) * (total - done))} left`
  }
}
