import type { LogEntry } from '../api/client.ts'
import { LONGEST_PAUSES } from '../api/rate-limit.ts'
import type { Wait } from '../api/timing.ts'
import type { StepOutcome } from '../apply/outcome.ts'
import { counted } from '../report/phrase.ts'
import type { Options } from '../run/options.ts'
import type { Progress } from '../run/run.ts'
import type { Io } from './io.ts'

/** Without a terminal: milliseconds between two lines, each for the steps that ended in between. */
const EVERY = 10_000
/** Without a terminal: shorter waits share a line. */
const LONG_WAIT = 5_000

/** What was done since a phase began. `steps`: how many an apply has. */
interface Phase {
  readonly since: number
  readonly steps?: number
  attempts: number
  /** The requests of the current part after the last step: of the inventory, or of the closing read. */
  after: { readonly part: 'inventory' | 'closing read'; readonly attempts: number }
  readonly ended: Record<StepOutcome['status'], number>
}

/**
 * On a terminal, one line that is overwritten; elsewhere, a line for a group of steps. With `--verbose` each
 * request has its own line, so the other lines are left out.
 */
export function progressOf(io: Io, { quiet, verbose }: Pick<Options, 'quiet' | 'verbose'>): Progress {
  const live = io.stderr.terminal && !verbose && !quiet
  const grouped = !io.stderr.terminal && !verbose && !quiet
  const now = (): number => io.now().getTime()
  let phase: Phase | undefined
  let drawn = false
  let told = 0
  let waited = 0

  const begin = (steps?: number): void => {
    told = now()
    const ended = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
    phase = { since: told, steps, attempts: 0, after: { part: 'closing read', attempts: 0 }, ended }
  }
  const draw = (waiting = ''): void => {
    if (!live || phase === undefined || io.stderr.isHeld) return
    drawn = true
    const line = `${lineOf(phase, now())}${waiting}`.slice(0, Math.max(20, io.stderr.columns - 1))
    io.stderr.write(`\r\u001b[K${line}`)
  }
  const tell = (line: string): void => io.stderr.write(`${line}\n`)
  const tellGroup = (): void => {
    if (!grouped || phase === undefined || now() - told < EVERY || io.stderr.isHeld) return
    told = now()
    tell(lineOf(phase, told))
  }

  return {
    reading: () => begin(),
    applying: begin,
    attempt: ({ method, path, result, milliseconds }) => {
      if (phase !== undefined) {
        phase.attempts++
        if (endedSteps(phase) === phase.steps) phase.after = afterNext(phase.after, method)
      }
      if (verbose) tell(`${method} ${path} ${result} ${milliseconds} ms`)
      tellGroup()
      draw()
    },
    wait: wait => {
      if (verbose) tell(`waiting ${wait.milliseconds} ms: ${reasonOf(wait)}`)
      const text = `waiting ${seconds(wait.milliseconds)}: ${reasonOf(wait)}`
      waited = wait.milliseconds + (wait.for === 'limit' ? waited : 0)
      if (grouped && waited >= LONG_WAIT && !io.stderr.isHeld) {
        tell(text)
        waited = 0
      }
      draw(`; ${text}`)
    },
    result: ({ outcome }) => {
      if (phase !== undefined) phase.ended[outcome.status]++
      tellGroup()
      draw()
    },
    end: () => {
      if (drawn) io.stderr.write('\r\u001b[K')
      drawn = false
      phase = undefined
    },
  }
}

const reasonOf = ({ for: what, reason, total = 0 }: Wait): string =>
  what === 'limit'
    ? `the rate limit of the service (${seconds(total)} so far, at most ${seconds(LONGEST_PAUSES)})`
    : `retrying a request (${reason ?? 'no response'})`

/** At least "1 s". */
const seconds = (milliseconds: number): string => `${Math.max(1, Math.round(milliseconds / 1000))} s`

const endedSteps = ({ ended: { succeeded, failed, skipped, unknown } }: Phase): number =>
  succeeded + failed + skipped + unknown

function afterNext({ part, attempts }: Phase['after'], method: LogEntry['method']): Phase['after'] {
  const next = method === 'GET' ? 'closing read' : 'inventory'
  return { part: next, attempts: next === part ? attempts + 1 : 1 }
}

const afterText = ({ part, attempts }: Phase['after']): string =>
  attempts === 0 ? '' : `, ${part}: ${counted(attempts, 'request')}`

function lineOf(phase: Phase, now: number): string {
  const { since, steps, attempts, ended, after } = phase
  const elapsed = now - since
  // After the first second.
  const rate = elapsed < 1000 ? '' : `, ${Math.round((attempts * 1000) / elapsed)} requests/s`
  if (steps === undefined) return `reading: ${counted(attempts, 'request')}${rate}`
  const { failed, skipped, unknown } = ended
  const done = endedSteps(phase)
  const bad = failed + unknown
  const left = elapsed < 1000 || done < 3 ? '' : `, about ${seconds((elapsed / done) * (steps - done))} left`
  return [
    `${done}/${steps} steps`,
    bad > 0 ? `, ${bad} failed or unknown` : '',
    skipped > 0 ? `, ${skipped} skipped` : '',
    rate,
    done < steps ? left : afterText(after),
  ].join('')
}
