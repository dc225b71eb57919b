import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const ORGANIZATION = 'acme'
export const VARIABLES = 20
/** The index of the secret among the variables of a set. */
const SECRET_AT = 7

/** A repository with one set of one variable. */
export function writeSmall(directory) {
  mkdirSync(join(directory, 'sets'), { recursive: true })
  writeFileSync(join(directory, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  writeFileSync(
    join(directory, 'sets/aws.yaml'),
    'variableSets:\n  aws:\n    description: Where we are.\n    env:\n      AWS_REGION: eu-west-1\n',
  )
  return directory
}

/**
 * A repository of `sets` sets with 20 variables each, as people write them: short and long forms, secrets, HCL and data.
 * `form`: `one-file`, `files` with one set each, or the number of sets in a file. `changeEvery` changes one variable in that
 * many, and `without` leaves one variable out of the first set.
 */
export function writeSample(directory, options) {
  const { sets, form = 'one-file', variables = VARIABLES, changeEvery, without = false } = options
  mkdirSync(join(directory, 'sets'), { recursive: true })
  writeFileSync(join(directory, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  const texts = Array.from({ length: sets }, (_, set) => setText(set, { variables, changeEvery, without }))
  const inFile = form === 'one-file' ? sets : form === 'files' ? 1 : form
  for (let set = 0; set < sets; set += inFile) {
    const text = `variableSets:\n${texts.slice(set, set + inFile).join('')}`
    writeFileSync(join(directory, `sets/${nameOf(set)}.yaml`), text)
  }
  return directory
}

/** The names of the secrets of a sample. */
export const secretNames = sets =>
  Array.from({ length: sets }, (_, set) => `SECRET_${set * VARIABLES + SECRET_AT}`)

const nameOf = set => `team-${String(set).padStart(5, '0')}`

function setText(set, { variables, changeEvery, without }) {
  const lines = { env: [], terraform: [] }
  for (let i = 0; i < variables; i++) {
    if (without && set === 0 && i === 1) continue
    const number = set * variables + i
    const category = i % VARIABLES < VARIABLES / 2 ? 'env' : 'terraform'
    lines[category].push(variableText(i, number, isChanged(number, changeEvery) ? 'changed' : 'value'))
  }
  return `  ${nameOf(set)}:
    description: Settings of team ${set}, written by its owners.
    priority: ${set % 2 === 0}
    env:
${lines.env.join('')}    terraform:
${lines.terraform.join('')}`
}

/** With 100, at most one variable of a set changes, and not its secret. */
const isChanged = (number, changeEvery) => changeEvery !== undefined && number % changeEvery === 1

/** `i` decides the form. Most variables are one line. */
function variableText(i, number, word) {
  const name = i % VARIABLES < VARIABLES / 2 ? `VARIABLE_${i}` : `variable_${i}`
  switch (i % VARIABLES) {
    case SECRET_AT:
      return `      ${name}: { secret: SECRET_${number} }\n`
    case 8:
      return `      ${name}:\n        description: Who is told when job ${number} fails.\n        value: team-${number}@example.com\n`
    case 9:
      return `      ${name}: "quoted: ${number}"\n`
    case 17:
      return `      ${name}:\n        data: [subnet-${number}a, subnet-${number}b, subnet-${number}c]\n`
    case 18:
      return `      ${name}:\n        hcl: '{ team = "core", cost = ${number} }'\n`
    case 19:
      return `      ${name}:\n        description: How many of them run.\n        value: ${number}\n`
    default:
      return `      ${name}: ${word}-${number}.eu-west-1.example.com\n`
  }
}
