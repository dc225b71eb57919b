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
  writeFileSync(join(place, 'directory.yaml'), directoryText())
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
  writeFileSync(join(place, 'directory.yaml'), directoryText())
  const sets = Array.from({ length: MANY }, (_, set) => {
    const keys = Array.from({ length: 5 }, (_, at) => `      VARIABLE_${at}: of-${set}\n`)
    const isMoved = set < 4_000 && set % 2 === moved
    return `  set-${set}:\n    workspaces: [workspace-${(set >> 1) % WORKSPACES}]\n    env:\n${keys.join('')}${isMoved ? '      MOVED: of-a-pair\n' : ''}`
  })
  writeFileSync(join(place, 'sets/all.yaml'), `variableSets:\n${sets.join('')}`)
}

const idOf = (prefix, number) => `${prefix}-${String(number).padStart(16, '0')}`

function directoryText() {
  const projects = Array.from({ length: PROJECTS }, (_, at) => `  project-${at}: ${idOf('prj', at)}\n`)
  const workspaces = Array.from(
    { length: WORKSPACES },
    (_, at) => `  workspace-${at}: { id: ${idOf('ws', at)}, project: project-${at % PROJECTS} }\n`,
  )
  return `organization: ${ORGANIZATION}\nworkspaces:\n${workspaces.join('')}projects:\n${projects.join('')}`
}

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
