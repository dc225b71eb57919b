import { performance } from 'node:perf_hooks'
import { resolveNames } from '../../dist/api/names.js'
import { loadDesired } from '../../dist/config/load.js'
import { createPlan } from '../../dist/plan/create.js'

/** From files to a plan: `load-plan.mjs FILES [empty]`. The observed state is made from the files before the measurement. */
const [directory, service] = process.argv.slice(2)
const loadStart = performance.now()
const { value: desired, diagnostics } = await loadDesired({ directory })
if (desired === undefined) throw new Error(JSON.stringify(diagnostics.slice(0, 3)))
const { value: resolved } = await resolveNames(desired, async () => ({
  value: desired.directory,
  diagnostics: [],
}))
const loadMs = performance.now() - loadStart

let ids = 0
const idOf = kind => `${kind}-${String(ids++).padStart(16, '0')}`
const observedVariable = ({ key, hcl, description, value }) => ({
  id: idOf('var'),
  key,
  hcl,
  description,
  sensitive: 'secret' in value,
  value: 'secret' in value ? { hidden: true } : { text: value.text },
})
const observedSet = ({ name, description, global, priority, variables, workspaces = [] }) => ({
  id: idOf('varset'),
  name,
  description,
  global,
  priority,
  workspaces,
  projects: [],
  variables: variables.map(observedVariable),
})
const sets = service === 'empty' ? [] : resolved.sets.map(observedSet)
const observed = { organization: desired.organization, sets, inventories: [], pages: 1 }

const planStart = performance.now()
const { value: plan } = createPlan(resolved, observed, { address: 'sandbox', only: [], reads: 1, names: {} })
const ms = loadMs + performance.now() - planStart
console.log(JSON.stringify({ ms, loadMs, planMs: ms - loadMs, steps: plan.steps.length }))
