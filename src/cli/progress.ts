import type { StepResult } from '../apply/outcome.ts'
import type { Io } from './io.ts'

/** One line on the terminal while an apply runs; nothing where nobody watches. */
export function progressOf(io: Io, total: number): { report: (result: StepResult) => void; end: () => void } {
  const count = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
  if (!io.stderr.terminal) return { report: () => {}, end: () => {} }
  return {
    report: ({ outcome }) => {
      count[outcome.status]++
      const done = count.succeeded + count.failed + count.skipped + count.unknown
      const failed = count.failed + count.unknown
      io.stderr.write(`\r\u001b[K${done}/${total} steps${failed > 0 ? `, ${failed} failed or unknown` : ''}`)
    },
    end: () => io.stderr.write('\r\u001b[K'),
  }
}
