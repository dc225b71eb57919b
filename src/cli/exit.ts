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
  [
    0,
    'success: applied and verified, or nothing to do; also a plan with changes, without --detailed-exitcode',
  ],
  [
    1,
    'error (usage, files, authentication, network): nothing was written, or everything was and only a report failed',
  ],
  [
    2,
    'changes pending (plan --detailed-exitcode), drift found (drift), or changes that no file can hold (export --update)',
  ],
  [3, 'partly applied, or the result is unknown'],
  [4, 'refused: blocked by a guard, stale or modified plan, or not confirmed'],
  [130, 'interrupted by SIGINT (143: SIGTERM)'],
]
