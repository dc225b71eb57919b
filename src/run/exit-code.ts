import type { ApplyResult } from '../apply/outcome.ts'

/**
 * The exit code of an apply, without the signal's own. 0 only where the closing read showed that
 * nothing is left; 1 where certainly nothing was written; 3 for everything between.
 */
export function exitCodeOf(ended: Omit<ApplyResult, 'exitCode'>, interrupted: boolean): number {
  const outcomes = ended.results.map(result => result.outcome.status)
  const clean = outcomes.every(status => status === 'succeeded') && ended.inventory?.state !== 'failed'
  if (clean && !interrupted && (ended.closing.state === 'equal' || outcomes.length === 0)) return 0
  const maybeListed = ended.inventory?.state !== 'none' && ended.requests.writes > 0
  const maybeWritten = maybeListed || outcomes.some(status => status === 'succeeded' || status === 'unknown')
  return maybeWritten ? 3 : 1
}
