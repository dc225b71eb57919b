/** Exit codes, one table for code, help and docs. */
export const EXIT = {
  done: 0,
  error: 1,
  changes: 2,
  partial: 3,
  refused: 4,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [0, 'nothing to do; done and seen in the closing read; plan with changes (without --detailed-exitcode)'],
  [
    1,
    'error: bad usage, invalid files, no token, unreachable, unauthorized; nothing was written, or all of it',
  ],
  [
    2,
    'changes pending (plan --detailed-exitcode), drift found (drift), or left because no file can hold it (export --update)',
  ],
  [3, 'something was or may have been written and the goal was not reached'],
  [4, 'refused: a guard, a stale, cut, edited or foreign plan, no consent'],
  [130, 'interrupted by SIGINT (143: SIGTERM)'],
]
