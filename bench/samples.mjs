import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const ORGANIZATION = 'acme'
export const VARIABLES = 20

/**
 * A repository of `sets` sets with 20 variables each: short and long forms, secrets, HCL and data, as people write
 * them. `form`: `one-file`, or `files` with a set in each. One variable in `changeEvery` has another
 * value than without it, and `without` leaves one variable out of the first set.
 */
export function writeSample(directory, { sets, form = 'one-file', changeEvery, without = false }) {
  mkdirSync(join(directory, 'sets'), { recursive: true })
  writeFileSync(join(directory, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  const texts = Array.from({ length: sets }, (_, set) => setText(set, { changeEvery, without }))
  const files =
    form === 'one-file'
      ? [['sets/all.yaml', `variableSets:\n${texts.join('')}`]]
      : texts.map((text, set) => [`sets/${nameOf(set)}.yaml`, `variableSets:\n${text}`])
  for (const [path, text] of files) writeFileSync(join(directory, path), text)
  return directory
}

const nameOf = set => `team-${String(set).padStart(5, '0')}`

function setText(set, { changeEvery, without }) {
  const lines = { env: [], terraform: [] }
  for (let i = 0; i < VARIABLES; i++) {
    if (without && set === 0 && i === 1) continue
    const number = set * VARIABLES + i
    const category = i < VARIABLES / 2 ? 'env' : 'terraform'
    lines[category].push(variableText(i, number, isChanged(number, changeEvery) ? 'changed' : 'value'))
  }
  return `  ${nameOf(set)}:
    description: Settings of team ${set}, written by its owners.
    priority: ${set % 2 === 0}
    env:
${lines.env.join('')}    terraform:
${lines.terraform.join('')}`
}

/** With 100, at most one variable of a set, and one that the service shows. */
const isChanged = (number, changeEvery) => changeEvery !== undefined && number % changeEvery === 1

/** `i` decides the form: most variables are one line. */
function variableText(i, number, word) {
  const name = i < VARIABLES / 2 ? `VARIABLE_${i}` : `variable_${i}`
  switch (i) {
    case 7:
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
