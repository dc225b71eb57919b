import { compareText } from '../model/diagnostic.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type {
  DesiredSet,
  DesiredState,
  DesiredVariable,
  RemovedSet,
  SecretRef,
  TargetRef,
} from '../model/variable-set.ts'
import { type YamlValue, yamlText } from './yaml-text.ts'

/**
 * The sets of a state in the format of set files, bases merged and files read in, sorted: loading it gives the same
 * sets again. For `validate --resolved` and `export`.
 */
export function resolvedYaml(state: Pick<DesiredState, 'sets' | 'removed'>): string {
  const sets = state.sets.toSorted((a, b) => compareText(a.name, b.name))
  const removed = state.removed.map(removedYaml)
  return yamlText(
    new Map<string, YamlValue>([
      ['variableSets', new Map(sets.map(set => [set.name, setYaml(set)]))],
      ...(removed.length === 0 ? [] : [['removed', removed] as const]),
    ]),
  )
}

function setYaml(set: DesiredSet): YamlValue {
  const lines = new Map<string, YamlValue>()
  if (set.description !== '') lines.set('description', set.description)
  if (set.global) lines.set('global', true)
  if (set.priority) lines.set('priority', true)
  if (set.id !== undefined) lines.set('id', set.id)
  if (set.previousNames.length > 0) lines.set('previousNames', set.previousNames)
  if (set.workspaces !== undefined) lines.set('workspaces', set.workspaces.map(targetYaml))
  if (set.projects !== undefined) lines.set('projects', set.projects.map(targetYaml))
  for (const category of ['env', 'terraform'] as const) {
    const variables = set.variables.filter(variable => categoryOf(variable.key) === category)
    if (variables.length > 0)
      lines.set(category, new Map(variables.map(variable => [nameOf(variable.key), variableYaml(variable)])))
  }
  return lines
}

function variableYaml(variable: DesiredVariable): YamlValue {
  const { value, description, hcl } = variable
  // Not of the model: the loader leaves it for this.
  const isMarked = 'notSecret' in variable && variable.notSecret === true
  if ('text' in value && !hcl && description === '' && !isMarked) return value.text
  const lines = new Map<string, YamlValue>()
  if (description !== '') lines.set('description', description)
  if ('text' in value) lines.set(hcl ? 'hcl' : 'value', value.text)
  else if ('secret' in value) lines.set('secret', secretYaml(value.secret))
  else lines.set('external', true)
  if (isMarked) lines.set('notSecret', true)
  return lines
}

function secretYaml({ name, version, allowEmpty }: SecretRef): YamlValue {
  if (version === undefined && allowEmpty !== true) return name
  return {
    flow: [
      ['name', name],
      ...(version === undefined ? [] : [['version', version] as const]),
      ...(allowEmpty === true ? [['allowEmpty', true] as const] : []),
    ],
  }
}

const ID_SHAPE = /^(?:ws|prj|varset)-[A-Za-z0-9]{16}$/
const nameYaml = (name: string): YamlValue => (ID_SHAPE.test(name) ? { flow: [['name', name]] } : name)
const targetYaml = (target: TargetRef<string>): YamlValue =>
  'id' in target ? target.id : nameYaml(target.name)
const removedYaml = ({ id, name }: RemovedSet): YamlValue => id ?? nameYaml(name ?? '')
