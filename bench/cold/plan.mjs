import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { resolveNames } from '../../dist/api/names.js'
import { observe } from '../../dist/api/observe.js'
import { createReader } from '../../dist/api/reader.js'
import { loadDesired } from '../../dist/config/load.js'
import { createPlan } from '../../dist/plan/create.js'
import { readPages, transportOver } from '../pages.mjs'
import { ORGANIZATION } from '../samples.mjs'

const [files, saved] = process.argv.slice(2)
const { value: desired } = await loadDesired({ directory: files })
const { value: resolved } = await resolveNames(desired, () => {
  throw new Error('the sample names nothing')
})
const pages = readPages(saved)
// Waits until garbage collection and compilation of the previous steps have finished.
const settle = () => setTimeout(100)
await settle()
const decodeStart = performance.now()
const observed = await observe(createReader(transportOver(pages)), ORGANIZATION)
const decodeMs = performance.now() - decodeStart

await settle()
const start = performance.now()
const { value: plan } = createPlan(resolved, observed, { address: 'sandbox', only: [], reads: 1, names: {} })
const ms = performance.now() - start
console.log(JSON.stringify({ ms, decodeMs, steps: plan.steps.length }))
