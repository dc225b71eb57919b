import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ORGANIZATION } from './samples.mjs'

const WORKSPACES = 2_000
const PROJECTS = 20
const SETS = 200
export const MANY = 10_000
export function writeEffects(place, value, count = SETS) {
  mkdirSync(join(place, 'sets'), { recursive: true })
  writeFileSync(join(place, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  writeFileSync(join(place, SEED), seedText())
  const sets = Array.from({ length: count }, (_, set) => setText(set, set % 2 === 0 ? value : 'before'))
  writeFileSync(join(place, 'sets/all.yaml'), `variableSets:\n${sets.join('')}`)
}

/**
 * 10,000 sets for 2,000 workspaces. Sets for the same workspace have the same keys, so that the order of steps decides what the workspace sees
 * meanwhile. With `moved` (0 or 1) the key `MOVED` is in the first or the second of each of 2,000 pairs of sets.
 */
export function writeMany(place, moved) {
  mkdirSync(join(place, 'sets'), { recursive: true })
  writeFileSync(join(place, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  writeFileSync(join(place, SEED), seedText())
  const sets = Array.from({ length: MANY }, (_, set) => {
    const keys = Array.from({ length: 5 }, (_, at) => `      VARIABLE_${at}: of-${set}\n`)
    const isMoved = set < 4_000 && set % 2 === moved
    return `  set-${set}:\n    workspaces: [workspace-${(set >> 1) % WORKSPACES}]\n    env:\n${keys.join('')}${isMoved ? '      MOVED: of-a-pair\n' : ''}`
  })
  writeFileSync(join(place, 'sets/all.yaml'), `variableSets:\n${sets.join('')}`)
}

/** Twenty groups, by name, tag and project, of 20,000 workspaces. The lists are empty, so every workspace enters one. */
export function writeGroups(place, workspaces) {
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  const groups = Array.from({ length: PROJECTS }, (_, at) => {
    const tags = at % 2 === 0 ? ', tags: { kind: even }' : ''
    return `  group-${at}:\n    select: { names: ["workspace-*"], projects: [project-${at}]${tags} }\n    allowEmpty: true\n    workspaces: {}\n`
  })
  writeFileSync(join(place, 'groups.yaml'), `groups:\n${groups.join('')}`)
  writeFileSync(
    join(place, SEED),
    seedText(workspaces, at => (at % 2 === 0 ? ', tags: { kind: even }' : '')),
  )
}

const idOf = (prefix, number) => `${prefix}-${String(number).padStart(16, '0')}`

/** What the sandbox has: workspaces of twenty projects, in turn. `more`: further members of one. */
function seedText(count = WORKSPACES, more = () => '') {
  const projects = Array.from(
    { length: PROJECTS },
    (_, at) => `  - { name: project-${at}, id: ${idOf('prj', at)} }\n`,
  )
  const workspaces = Array.from(
    { length: count },
    (_, at) =>
      `  - { name: workspace-${at}, id: ${idOf('ws', at)}, project: project-${at % PROJECTS}${more(at)} }\n`,
  )
  return `organizations: [{ name: ${ORGANIZATION} }]\nprojects:\n${projects.join('')}workspaces:\n${workspaces.join('')}`
}

const SEED = 'seed.yaml'

/** The environment in which the embedded sandbox has the workspaces and projects of these files. */
export const seeded = place => ({ ...process.env, SETPOINT_SANDBOX_SEED: join(place, SEED) })

/** Half of the sets are for projects, half for forty workspaces. They share names of variables, so that some set wins. */
function setText(set, value) {
  const targets =
    set % 4 < 2
      ? `    projects: [project-${set % PROJECTS}]\n`
      : `    workspaces: [${Array.from({ length: 40 }, (_, at) => `workspace-${(set * 37 + at * 50) % WORKSPACES}`).join(', ')}]\n`
  const variables = Array.from({ length: 20 }, (_, at) => {
    const isChanged = at < 10
    return `      VARIABLE_${(set + at) % 60}: ${isChanged ? value : 'same'}-${set}-${at}\n`
  })
  return `  set-${String(set).padStart(3, '0')}:\n${targets}    env:\n${variables.join('')}`
}
