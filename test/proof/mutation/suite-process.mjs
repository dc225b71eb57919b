import { relative } from 'node:path'
import { createVitest } from 'vitest/node'

/** Runs tests for `suite.ts`, in one process for many orders, so that only what has changed is loaded again. */
const [, , root, workers] = process.argv
let wanted = []

/** Keeps the order, so that the closest tests come first. */
class InOrder {
  async sort(files) {
    return [...files].sort((a, b) => wanted.indexOf(a.moduleId) - wanted.indexOf(b.moduleId))
  }
  async shard(files) {
    return files
  }
}

function failureOf(module) {
  for (const test of module.children.allTests('failed')) return test.fullName
  return module.errors()[0]?.message ?? 'failed'
}

const vitest = await createVitest('test', {
  root,
  watch: false,
  silent: true,
  bail: 1,
  maxWorkers: Number(workers),
  reporters: [
    {
      onTestModuleEnd(module) {
        const failed = module.state() === 'failed' ? failureOf(module) : undefined
        process.send({ ended: relative(root, module.moduleId), failed })
      },
    },
  ],
  sequence: { sequencer: InOrder },
  // Samples of the proof are always the same.
  env: { SETPOINT_SEED: '1' },
})

process.on('message', async ({ changed, tests, seconds }) => {
  const before = process.cpuUsage()
  // A busy machine is no defect, so the time of the processor counts.
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if (user + system > seconds * 1e6) process.send({ late: true })
  }, 500)
  for (const file of changed) vitest.invalidateFile(file)
  wanted = tests
  const specifications = tests.map(test => vitest.getRootProject().createSpecification(test))
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications, false)
  clearInterval(timer)
  process.send({ over: true, errors: unhandledErrors.map(String) })
})
