import { compareText } from '../model/diagnostic.ts'
import {
  DETAIL_NAMES,
  FIELD_NAMES,
  type FieldTable,
  NO_DETAILS,
  serviceNameOf,
  type VariableFields,
} from '../model/fields.ts'
import { CATEGORIES, categoryOf, isWrittenId, nameOf, TARGET_KINDS } from '../model/ids.ts'
import type {
  DesiredSet,
  DesiredState,
  DesiredVariable,
  RemovedSet,
  SecretRef,
  TargetRef,
} from '../model/variable-set.ts'
import { isKeyOfSet } from './form-hints.ts'
import { type YamlValue, yamlText } from './yaml-text.ts'

/**
 * The sets of a state as a set file, sorted, with bases and files resolved: loading it gives the same sets. For
 * `validate --resolved` and `export`.
 */
export function resolvedYaml(state: Pick<DesiredState, 'sets' | 'removed'>): string {
  const sets = state.sets.toSorted((a, b) => compareText(a.name, b.name))
  const removed = state.removed.map(removedYaml)
  return yamlText(
    new Map<string, YamlValue>([
      ['variableSets', new Map(keyed(sets))],
      ...(removed.length === 0 ? [] : [['removed', removed] as const]),
    ]),
  )
}

/** The name is the key, unless an earlier key looks the same: then another key gets a `name`. */
function keyed(sets: readonly DesiredSet[]): [string, YamlValue][] {
  const taken = new Set<string>()
  return sets.map(set => {
    let key = set.name
    for (let n = 2; taken.has(key.normalize('NFC')); n++) key = `${set.name} (${n})`
    taken.add(key.normalize('NFC'))
    return [key, setYaml(set, key)]
  })
}

function setYaml(set: DesiredSet, key: string): YamlValue {
  const lines = new Map<string, YamlValue>()
  if (key !== serviceNameOf(set)) lines.set('name', serviceNameOf(set))
  for (const name of DETAIL_NAMES) if (set[name] !== NO_DETAILS[name]) lines.set(name, set[name])
  if (set.id !== undefined) lines.set('id', set.id)
  if (set.project !== undefined) lines.set('project', targetYaml(set.project))
  if (set.previousNames.length > 0) lines.set('previousNames', set.previousNames)
  for (const kind of TARGET_KINDS) {
    const targets: readonly TargetRef<string>[] | undefined = set[kind]
    if (targets !== undefined) lines.set(kind, targets.map(targetYaml))
  }
  for (const [accept, codes] of acceptYaml(set)) lines.set(accept, codes)
  for (const category of CATEGORIES) {
    const variables = set.variables.filter(variable => categoryOf(variable.key) === category)
    if (variables.length > 0)
      lines.set(category, new Map(variables.map(variable => [nameOf(variable.key), variableYaml(variable)])))
  }
  return lines
}

export function variableYaml(variable: DesiredVariable): YamlValue {
  const { value, hcl, notSecret = false } = variable
  const fields = FIELD_NAMES.flatMap(name => LINES[name](variable))
  // In the short form it would look like a key of the set that is indented too far.
  const isShort = categoryOf(variable.key) !== 'env' || !isKeyOfSet(nameOf(variable.key))
  const accept = acceptYaml(variable)
  if ('text' in value && !hcl && fields.length + accept.length === 0 && !notSecret && isShort)
    return value.text
  const lines = new Map<string, YamlValue>(fields)
  if ('text' in value) lines.set(hcl ? 'hcl' : 'value', value.text)
  else if ('secret' in value) lines.set('secret', secretYaml(value.secret))
  else lines.set('external', true)
  if (hcl && !('text' in value)) lines.set('hcl', true)
  if (notSecret) lines.set('notSecret', true)
  for (const [key, codes] of accept) lines.set(key, codes)
  return lines
}

const acceptYaml = ({ accept = [] }: DesiredSet | DesiredVariable): [string, YamlValue][] =>
  accept.length === 0 ? [] : [['accept', accept]]

/** The line of each field that has not its default. `hcl` is part of the value. */
const LINES: FieldTable<(variable: VariableFields) => [string, YamlValue][]> = {
  description: ({ description }) => (description === '' ? [] : [['description', description]]),
  hcl: () => [],
}

const secretYaml = ({ name, version, allowEmpty }: SecretRef): YamlValue =>
  version === undefined && allowEmpty !== true
    ? name
    : { flow: { name, version, allowEmpty: allowEmpty === true || undefined } }

const nameYaml = (name: string): YamlValue => (isWrittenId(name) ? { flow: { name } } : name)
/** An item of a list of assignments. */
export const targetYaml = (target: TargetRef<string>): YamlValue =>
  'id' in target ? target.id : nameYaml(target.name)
const removedYaml = ({ id, name }: RemovedSet): YamlValue => id ?? nameYaml(name ?? '')
