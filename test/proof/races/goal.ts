import type { DesiredVariable, ResolvedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import type { SandboxSeed, SetSeed, VariableSeed } from '../../../src/sandbox/index.ts'

/**
 * Whether the service equals the files, computed from the states alone. A secret only has to exist: a run that does not write
 * it accepts the existing one.
 */
export function meetsGoal(files: ResolvedState, { sets = [] }: SandboxSeed): boolean {
  const ours = sets
  const named = (name: string): SetSeed[] => ours.filter(set => set.name === name)
  const declared = new Set(files.sets.map(({ name }) => name))
  return (
    files.sets.every(set => {
      const [found, ...others] =
        set.id === undefined ? named(set.name) : ours.filter(({ id }) => id === set.id)
      return found !== undefined && others.length === 0 && isAs(set, found)
    }) &&
    files.removed.every(({ name = '' }) => named(name).length === 0) &&
    listedIds(files, sets).every(id => ours.every(set => set.id !== id || declared.has(set.name)))
  )
}

/** Whether the inventory of the files lists each of their sets that the service has; true without an owner. */
export function listsAll({ owner, sets: declared }: ResolvedState, { sets = [] }: SandboxSeed): boolean {
  const inventories = sets.filter(({ name }) => name === `setpoint-inventory-${owner}`)
  const listed = new Set(inventories.flatMap(({ variables = [] }) => variables.map(({ key }) => key)))
  const names = new Set(declared.map(({ name }) => name))
  return owner === undefined || sets.every(({ id = '', name }) => !names.has(name) || listed.has(id))
}

/** Ids that our inventory lists, if prune is on: the files must declare all of them. */
const listedIds = ({ owner, prune }: ResolvedState, sets: readonly SetSeed[]): string[] =>
  prune && owner !== undefined
    ? sets
        .filter(({ name }) => name === `setpoint-inventory-${owner}`)
        .flatMap(({ variables = [] }) => variables.map(({ key }) => key))
    : []

function isAs(
  wanted: ResolvedSet,
  { variables = [], workspaces = [], projects = [], stacks = [], ...live }: SetSeed,
): boolean {
  const known = variables.filter(({ category }) => category === 'env' || category === 'terraform')
  const settings = [live.name, live.description ?? '', live.global === true, live.priority === true]
  return (
    same(settings, [wanted.name, wanted.description, wanted.global, wanted.priority]) &&
    same(known.map(keyOf).sort(), wanted.variables.map(({ key }) => key).sort()) &&
    wanted.variables.every(one => known.some(other => keyOf(other) === one.key && holds(one, other))) &&
    (wanted.workspaces === undefined || same([...workspaces].sort(), [...wanted.workspaces].sort())) &&
    (wanted.projects === undefined || same([...projects].sort(), [...wanted.projects].sort())) &&
    (wanted.stacks === undefined || same([...stacks].sort(), [...wanted.stacks].sort()))
  )
}

const keyOf = ({ category, key }: VariableSeed): string => `${category}/${key}`

const holds = ({ key, value, description, hcl }: DesiredVariable, live: VariableSeed): boolean =>
  (live.description ?? '') === description &&
  (key.startsWith('env/') || (live.hcl ?? false) === hcl) &&
  ('text' in value ? live.sensitive !== true && (live.value ?? '') === value.text : live.sensitive === true)

const same = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)
