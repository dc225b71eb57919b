import { ORGANIZATION } from './samples.mjs'

/** States without files, for measurements that begin after loading. */
export const SOURCE = { path: 'sets/a.yaml', line: 1, column: 1 }

export const settingsOf = name => ({ name, description: '', global: false, priority: false })

export const desiredOf = (sets, workspaces = []) => ({
  organization: ORGANIZATION,
  owns: [],
  prune: false,
  guards: { deletions: 30, protect: [] },
  sets,
  removed: [],
  directory: { workspaces, projects: [] },
  files: 1,
})

export const observedOf = sets => ({ organization: ORGANIZATION, sets, inventories: [], pages: 1 })

const variableOf = (key, text) => ({ key, value: { text }, description: '', hcl: false })

/** A variable in a file, and one in the service. */
export const wants = (key, text) => ({ ...variableOf(key, text), source: SOURCE })
export const hasOf = (number, key, text) => ({ ...variableOf(key, text), id: idOf('var', number) })

export const idOf = (kind, number) => `${kind}-${String(number).padStart(16, '0')}`

/** Every variable of these sets has another text. */
export function changedStates(sets, variables, [before, after]) {
  const keys = Array.from({ length: variables }, (_, at) => `env/V${at}`).sort()
  const list = Array.from({ length: sets }, (_, at) => settingsOf(`team-${String(at).padStart(6, '0')}`))
  return {
    desired: desiredOf(
      list.map(set => ({
        ...set,
        previousNames: [],
        source: SOURCE,
        variables: keys.map(key => wants(key, after)),
      })),
    ),
    observed: observedOf(
      list.map((set, at) => ({
        ...set,
        id: idOf('varset', at),
        foreignVariables: [],
        variables: keys.map((key, i) => hasOf(at * variables + i, key, before)),
        workspaces: [],
        projects: [],
      })),
    ),
  }
}
