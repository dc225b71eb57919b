import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, pairsOf, wholeProcess } from './measure.mjs'
import { VARIABLES } from './samples.mjs'
import { environmentOf, serve } from './serve.mjs'

const SETS = 10
const LATENCY = 100

/** A run over many organizations with a token for each, and with one for all. Both send the same requests. */
export async function organizationsPairs(directory, isQuick) {
  const many = isQuick ? 40 : 300
  const files = writeOrganizations(directory, many)
  const service = await serve([`${many}`, `${LATENCY}`], 'cold/serve-organizations.mjs')
  const plan = [BIN, 'plan', '-C', files, '--config', 'orgs/*/setpoint.yaml']
  const environment = environmentOf(service)
  const own = Object.fromEntries(
    namesOf(many).map(name => [`SETPOINT_TOKEN_${name.toUpperCase()}`, tokenOf(name)]),
  )
  const pairs = pairsOf(
    isQuick ? 1 : 3,
    () => wholeProcess(plan, { ...environment, ...own }),
    () => wholeProcess(plan, environment),
  )
  service.end()
  return pairs
}

export const namesOf = many => Array.from({ length: many }, (_, at) => `org${String(at).padStart(3, '0')}`)

export const tokenOf = name => `token-of-${name}`

/** The sets of an organization, as the service has them and as its files say. */
export const setsOf = organization =>
  Array.from({ length: SETS }, (_, set) => ({
    name: `team-${set}`,
    organization,
    variables: Array.from({ length: VARIABLES }, (_, at) => ({
      key: `VARIABLE_${at}`,
      category: 'env',
      value: `${organization}-${set}-${at}`,
    })),
  }))

function writeOrganizations(directory, many) {
  for (const name of namesOf(many)) {
    mkdirSync(join(directory, `orgs/${name}/sets`), { recursive: true })
    writeFileSync(join(directory, `orgs/${name}/setpoint.yaml`), `organization: ${name}\n`)
    for (const set of setsOf(name)) {
      const lines = set.variables.map(({ key, value }) => `      ${key}: ${value}\n`).join('')
      const text = `variableSets:\n  ${set.name}:\n    env:\n${lines}`
      writeFileSync(join(directory, `orgs/${name}/sets/${set.name}.yaml`), text)
    }
  }
  return directory
}
