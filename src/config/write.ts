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
import { INVISIBLE_CHARACTERS, RUNNER_COMMAND } from '../model/json.ts'
import { freeName } from '../model/names.ts'
import type {
  DesiredSet,
  DesiredState,
  DesiredVariable,
  RemovedSet,
  SecretRef,
  TargetRef,
} from '../model/variable-set.ts'
import { isKeyOfSet, isQuotedForm } from './known-keys.ts'

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
    const key = freeName(set.name, taken, n => `${set.name} (${n})`)
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
  const { value, hcl } = variable
  const fields = FIELD_NAMES.flatMap(name => LINES[name](variable))
  // In the short form it would look like a key of the set that is indented too far.
  const isShort = categoryOf(variable.key) !== 'env' || !isKeyOfSet(nameOf(variable.key))
  const accept = acceptYaml(variable)
  if ('text' in value && !hcl && fields.length + accept.length === 0 && isShort && !isQuotedForm(value.text))
    return value.text
  const lines = new Map<string, YamlValue>(fields)
  if ('text' in value) lines.set(hcl ? 'hcl' : 'value', value.text)
  else if ('secret' in value) lines.set('secret', secretYaml(value.secret))
  else lines.set('external', true)
  if (hcl && !('text' in value)) lines.set('hcl', true)
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

const secretYaml = ({ name, version, allowEmpty, accept }: SecretRef): YamlValue =>
  version === undefined && allowEmpty !== true && accept === undefined
    ? name
    : { flow: { name, version, allowEmpty: allowEmpty === true || undefined, accept } }

const nameYaml = (name: string): YamlValue => (isWrittenId(name) ? { flow: { name } } : name)
/** An item of a list of assignments. A name that would read as a pattern or a group is a map. */
export const targetYaml = (target: TargetRef<string>): YamlValue => {
  if ('id' in target) return target.id
  return NO_PLAIN_NAME.test(target.name) ? { flow: { name: target.name } } : nameYaml(target.name)
}
const NO_PLAIN_NAME = /[*?]|^group:/
const removedYaml = ({ id, name }: RemovedSet): YamlValue => id ?? nameYaml(name ?? '')

/** The values of generated files. `flow` is a map on one line. */
export type YamlValue =
  | string
  | boolean
  | readonly YamlValue[]
  | ReadonlyMap<string, YamlValue>
  | { readonly flow: Readonly<Record<string, string | true | readonly string[] | undefined>> }

/**
 * A map as YAML that every parser of YAML 1.1 and 1.2 reads alike: ambiguous strings are quoted, strings of several lines are
 * literal blocks if that preserves them, and invisible characters are escaped.
 */
export function yamlText(map: ReadonlyMap<string, YamlValue>): string {
  return map.size === 0 ? '{}\n' : mapLines(map, '')
}

function mapLines(map: ReadonlyMap<string, YamlValue>, indent: string): string {
  let lines = ''
  for (const [key, value] of map) {
    const name = scalar(key)
    // A longer key is not allowed on one line with its value.
    lines += name.length > 1000 ? `${indent}? ${name}\n${indent}:` : `${indent}${name}:`
    lines += valueLines(value, `${indent}  `)
  }
  return lines
}

/** One entry of a map, indented, with its line end. */
export const yamlEntry = (key: string, value: YamlValue, indent: string): string =>
  mapLines(new Map([[key, value]]), indent)

/** A string on one line, for any place in a file. */
export const yamlScalar = (text: string): string => scalar(text)

/** A string as a literal block after `key: `, with its line end; `undefined` if a block would not preserve it. */
export const yamlBlock = (text: string, indent: string): string | undefined =>
  isLiteral(text) ? literal(text, indent).slice(1) : undefined

/** A value on one line, for `{ }` and `[ ]`. */
export function yamlInline(value: YamlValue): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return scalar(value)
  if (Array.isArray(value)) return `[${value.map(yamlInline).join(', ')}]`
  const members = value instanceof Map ? [...value] : Object.entries('flow' in value ? value.flow : {})
  const entries = members.flatMap(([key, one]) =>
    one === undefined ? [] : `${scalar(key)}: ${yamlInline(one)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** The text after `key:` or `-`, with its line end. */
function valueLines(value: YamlValue, indent: string): string {
  if (typeof value === 'boolean') return ` ${value}\n`
  if (typeof value === 'string') return isLiteral(value) ? literal(value, indent) : ` ${scalar(value)}\n`
  if ('flow' in value) return ` ${yamlInline(value)}\n`
  if ('size' in value) return value.size === 0 ? ' {}\n' : `\n${mapLines(value, indent)}`
  if (value.length === 0) return ' []\n'
  return `\n${value.map(item => `${indent}-${valueLines(item, `${indent}  `)}`).join('')}`
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+()-]+)*$/
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function scalar(text: string): string {
  if (PLAIN.test(text) && !WORD.test(text)) return text
  const isVisible = text.search(INVISIBLE) < 0
  // Code with quotes is easier to read without escapes.
  return isVisible && /["\\]/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : JSON.stringify(text).replace(INVISIBLE, escapedCharacter)
}

/** A reviewer must see every character, and a log must not give commands to a CI runner. */
const INVISIBLE = new RegExp(`${INVISIBLE_CHARACTERS.source}|${RUNNER_COMMAND.source}`, 'gu')
export const escapedCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * A block preserves a string if its first line shows the indentation, every character is allowed, and no line is a command to a
 * CI runner, which obeys indented lines too.
 */
function isLiteral(text: string): boolean {
  return text.includes('\n') && !/^\s/.test(text) && !NOT_IN_A_BLOCK.test(text)
}

const NOT_IN_A_BLOCK =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}|##[\w-]*\[|^[ \t]*::/mu

function literal(text: string, indent: string): string {
  const chomp = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-'
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = body.split('\n').map(line => (line === '' ? '' : `${indent}${line}`))
  return ` ${chomp}\n${lines.join('\n')}\n`
}
