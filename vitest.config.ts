import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ITEMS } from './test/support/items.ts'
import { Summary } from './test/support/summary.ts'

/** Which samples of the proof are taken: always the same ones, so that chance never decides what lands. Each night takes others. */
const SETPOINT_SEED = process.env.SETPOINT_SEED ?? '1'

/** Threads that share their modules take a third less of the processor. No test has a limit by the clock. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    // One more than processors: some tests wait for programs that they start, and each thread loads the modules again.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 0,
    hookTimeout: 0,
    tags: ITEMS.map(name => ({ name })),
    env: { SETPOINT_SEED },
    reporters: ['default', new Summary(SETPOINT_SEED)],
  },
})
