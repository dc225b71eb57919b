import { performance } from 'node:perf_hooks'
import { createPlan } from '../../dist/plan/create.js'
import { renders } from '../../dist/report/index.js'
import { changedStates } from '../states.mjs'
import { CASES } from '../value-cases.mjs'

/** A changed value: `value.mjs CASE`. The longest of four stretches, each of which gives the event loop no turn. */
const { desired, observed } = changedStates(1, 1, CASES[process.argv[2]]())
const stretches = []
const measured = work => {
  const start = performance.now()
  const result = work()
  stretches.push(performance.now() - start)
  return result
}
const { value: plan } = measured(() =>
  createPlan(desired, observed, { address: 'sandbox', only: [], reads: 1, names: {} }),
)
for (const format of ['text', 'markdown', 'html']) {
  const text = measured(() => renders[format]({ kind: 'plan', plan }, { color: false, width: 120 }))
  if (!/-\d|rewritten/.test(text)) throw new Error(`${format} shows no difference of lines`)
}
console.log(JSON.stringify({ ms: Math.max(...stretches), stretches }))
