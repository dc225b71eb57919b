import { performance } from 'node:perf_hooks'
import { createPlan } from '../../dist/plan/create.js'
import { renderers } from '../../dist/report/index.js'
import { changedStates } from '../states.mjs'
import { CASES } from '../value-cases.mjs'

/** A changed value: `value.mjs CASE`. Plans and renders all three formats without giving the event loop a turn. */
const { desired, observed } = changedStates(1, 1, CASES[process.argv[2]]())
const start = performance.now()
const { value: plan } = createPlan(desired, observed, { address: 'sandbox', only: [], reads: 1, names: {} })
const texts = ['text', 'markdown', 'html'].map(format =>
  renderers[format]({ kind: 'plan', plan }, { color: false, width: 120 }),
)
const ms = performance.now() - start
if (!texts.every(text => /-\d|rewritten/.test(text))) throw new Error('a format shows no line difference')
console.log(JSON.stringify({ ms }))
