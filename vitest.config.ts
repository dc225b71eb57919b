import { defineConfig } from 'vitest/config'

/** Threads that share their modules take a third less of the processor. No test has a limit by the clock. */
export default defineConfig({
  test: {
    include: process.env.SETPOINT_PROOF === '1' ? ['test/**/*.proof.ts'] : ['test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    testTimeout: 0,
    hookTimeout: 0,
  },
})
