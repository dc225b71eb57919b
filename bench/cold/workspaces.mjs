import { performance } from 'node:perf_hooks'
import { resolveNames } from '../../dist/api/names.js'
import { createPlan } from '../../dist/plan/create.js'
import { ORGANIZATION, VARIABLES } from '../samples.mjs'
import { desiredOf, hasOf, observedOf, SOURCE, settingsOf, wants } from '../states.mjs'

/** From names to a plan: `workspaces.mjs COUNT`. A set for that many workspaces, half of which it already has. */
const count = Number(process.argv[2])
const gone = Math.floor(count / 2)
const idOf = at => `ws-${String(at).padStart(16, '0')}`
const known = Array.from({ length: count + gone }, (_, at) => ({ name: `workspace-${at}`, id: idOf(at) }))
const variables = Array.from({ length: VARIABLES }, (_, at) => [`env/V${at}`, 'value'])
const desired = desiredOf(
  [
    {
      ...settingsOf('many'),
      previousNames: [],
      source: SOURCE,
      variables: variables.map(([key, text]) => wants(key, text)),
      workspaces: known.slice(gone).map(({ name }) => ({ name, source: SOURCE })),
    },
  ],
  known,
)
const set = {
  ...settingsOf('many'),
  id: 'varset-0000000000000000',
  foreignVariables: [],
  variables: variables.map(([key, text], at) => hasOf(at, key, text)),
  workspaces: known.slice(0, count).map(({ id }) => id),
  projects: [],
}

const start = performance.now()
const { value: resolved } = await resolveNames(desired, () => {
  throw new Error('every name is known')
})
const { value: plan } = createPlan(resolved, observedOf([set]), {
  address: 'sandbox',
  only: [],
  reads: 1,
  names: {},
})
const ms = performance.now() - start
if (plan.steps.length !== (gone === 0 ? 0 : 2))
  throw new Error(`${plan.steps.length} steps in ${ORGANIZATION}`)
console.log(JSON.stringify({ ms }))
