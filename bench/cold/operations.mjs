import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { createReader } from '../../dist/api/reader.js'
import { createWriter } from '../../dist/api/writer.js'
import { executeWith } from '../../dist/apply/execute.js'
import { applySteps } from '../../dist/apply/schedule.js'
import { createPlan } from '../../dist/plan/create.js'
import { ORGANIZATION } from '../samples.mjs'
import { changedStates } from '../states.mjs'

/**
 * `operations.mjs COUNT`: plans changes of that many variables, and applies them over a transport that returns prepared
 * responses at once. So only our own time is measured: order, requests and checks of responses.
 */
const VARIABLES = 100
const count = Number(process.argv[2])
const { desired, observed } = changedStates(count / VARIABLES, VARIABLES, ['before', 'after'])
const settle = () => setTimeout(100)

await settle()
const planStart = performance.now()
const { value: plan } = createPlan(desired, observed, { address: 'sandbox', only: [], reads: 1, names: {} })
const planMs = performance.now() - planStart
if (plan.steps.length !== count) throw new Error(`${plan.steps.length} steps instead of ${count}`)

const answers = new Map(plan.steps.map(({ operation }) => answerTo(operation)))
let sent = 0
const transport = async ({ path }) => {
  sent++
  return answers.get(path)
}
const never = new AbortController().signal
const execute = executeWith({
  reader: createReader(transport),
  writer: createWriter(transport),
  organization: ORGANIZATION,
  secrets: new Map(),
  answers: new Map(),
  retriesExhausted: () => false,
  stop: never,
  sleep: async () => {},
})

await settle()
const applyStart = performance.now()
const { results } = await applySteps(plan.steps, execute, {
  concurrency: 8,
  stop: never,
  failFast: false,
})
const applyMs = performance.now() - applyStart
const succeeded = results.filter(({ outcome }) => outcome.status === 'succeeded').length
if (sent !== count || succeeded !== count) throw new Error(`${sent} sent, ${succeeded} succeeded`)
console.log(JSON.stringify({ planMs, applyMs }))

function answerTo({ subject: { id: setId }, variableId, after: { key, value } }) {
  const [category, name] = key.split('/')
  const data = {
    id: variableId,
    type: 'vars',
    attributes: { key: name, value: value.text, description: '', category, hcl: false, sensitive: false },
    relationships: { varset: { data: { id: setId, type: 'varsets' } } },
  }
  const headers = { 'content-type': 'application/vnd.api+json' }
  const path = `/api/v2/varsets/${setId}/relationships/vars/${variableId}`
  return [path, { status: 200, headers, body: JSON.stringify({ data }) }]
}
