const NEVER = new AbortController().signal

/** An apply that nothing interrupts, whose secrets are all there, and whose waits take no time. */
export const UNDISTURBED = {
  secrets: () => 'value',
  concurrency: 8,
  failFast: false,
  stop: NEVER,
  abandon: NEVER,
  sleep: async () => {},
} as const
