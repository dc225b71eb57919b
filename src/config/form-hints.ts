import { DETAIL_NAMES } from '../model/fields.ts'
import type { Wording } from '../model/findings.ts'
import { type Category, TARGET_KINDS } from '../model/ids.ts'
import { didYouMean } from '../model/names.ts'
import { credentialIn } from './credentials.ts'
import { KEYS_OF_SETS, KEYS_OF_VARIABLES } from './known-keys.ts'
import { entriesOf, entryOf, isTrue, meaningOf, type Node, textOf, textsIn } from './tree.ts'
import { secretLine, secretNameFor } from './whole-line.ts'
import { yamlInline, yamlScalar } from './write.ts'

/** Where an unknown key stands: itself with its value, beside what, and the name of that. */
export interface UnknownKey {
  readonly key: string
  readonly value: Node | undefined
  readonly beside: Node
  readonly name: string
}

/** A hint for an unknown key, by the title of the schema that contains it. */
export const hintFor = (title: string | undefined, unknown: UnknownKey): string | undefined => {
  const hints = HINTS[title ?? ''] ?? {}
  const hint = Object.hasOwn(hints, unknown.key) ? hints[unknown.key] : undefined
  return typeof hint === 'function' ? hint(unknown) : hint
}

const CONNECTION =
  'Use --address and SETPOINT_TOKEN, or the environment. Address and token never come from a file that a pull request can change.'
const SENSITIVE =
  'To make a variable sensitive, write `secret: NAME`. A file never contains the value of a secret.'
const sensitive = ({ value, beside, name }: UnknownKey): string => {
  if (entryOf(beside, 'secret') !== undefined) return 'Remove it. A secret is always sensitive.'
  if (!isTrue(value)) return 'Remove it. A variable without `secret` is not sensitive.'
  return `Write ${secretLine(name)}. A file never contains the value of a secret.`
}

/** `version` or `allowEmpty` beside `secret`, where it belongs inside. */
const ofSecret = ({ key, value, beside, name }: UnknownKey): string | undefined => {
  const secret = entryOf(beside, 'secret')?.value
  if (secret === undefined) return undefined
  const given = textOf(secret) ?? textOf(entryOf(secret, 'name')?.value) ?? ''
  // A name in capitals and a number are no secrets themselves.
  const of = /^[A-Z_][A-Z0-9_]*$/.test(given) ? given : secretNameFor(name)
  const text = textOf(value) ?? ''
  const shown = key === 'allowEmpty' ? 'true' : /^\d{1,8}$/.test(text) ? JSON.stringify(text) : '"…"'
  return `Write \`${yamlScalar(name)}: { secret: { name: ${of}, ${key}: ${shown} } }\`.`
}

const VARIABLES = 'Write variables under `env:` or `terraform:`, as KEY: value.'
const UNDER_ENV = 'HCL has no effect under `env`. Write a plain value, or move the variable to `terraform:`.'
const IN_BASE = 'Write `{ required: true }` here and the secret in each set. A base cannot contain secrets.'
const ONE_LEVEL = 'Write only `env` and `terraform` in a base. A base cannot include another base.'

type KeyHints = Readonly<Record<string, string | ((unknown: UnknownKey) => string | undefined)>>

/** Names of groups, or the name of one, that should be among the workspaces. */
const groups = ({ value }: UnknownKey): string => groupsHint(value)

export const groupsHint = (value: Node | undefined): string => {
  const texts = value?.kind === 'scalar' ? [textOf(value) ?? ''].filter(Boolean) : textsIn(value)
  const names = texts.map(name => yamlInline(`group:${name.replace(/^group:/, '')}`))
  return `Groups belong in the list of workspaces: \`workspaces: [${names.length === 0 ? '"group:NAME"' : names.join(', ')}]\`.`
}
const IN_SET_FILES = 'Write sets in their own files: `sets/**/*.yaml`, or the paths under `sets:`.'
const DEEPER = 'It belongs in a set. Indent it by four spaces, below the name of the set.'

const variable: KeyHints = {
  sensitive,
  category: 'Remove it. The category is the map that contains the variable: `env:` or `terraform:`.',
  key: 'Remove it. The key in the map is the key of the variable.',
  version: ofSecret,
  allowEmpty: ofSecret,
  notSecret: 'Write `accept: [looks-like-a-secret]`.',
}
const env: KeyHints = { ...variable, hcl: UNDER_ENV, data: UNDER_ENV }
const base: KeyHints = { secret: IN_BASE }
const required: KeyHints = {
  required: 'Remove it, or move the variable to a base. Only a base can require a variable.',
}

const HINTS: Readonly<Record<string, KeyHints>> = {
  'Setpoint file': {
    address: CONNECTION,
    hostname: CONNECTION,
    token: CONNECTION,
    variableSets: IN_SET_FILES,
    bases: IN_SET_FILES,
    workspaces: IN_SET_FILES,
    projects: IN_SET_FILES,
    removed: IN_SET_FILES,
    rules: 'Remove it. All YAML files below `rules/` are rules.',
    ...Object.fromEntries(
      ['deletions', 'losses', 'updates', 'protect', 'gaps'].map(key => [key, 'Write it under `guards:`.']),
    ),
    'same-keys': 'Write a rule in `rules/`, as in examples/10-what-workspaces-see.',
  },
  'Set file': {
    ...Object.fromEntries(
      ['organization', 'owner', 'owns', 'prune', 'guards'].map(key => [key, 'Write it in setpoint.yaml.']),
    ),
    groups: 'Write it in groups.yaml, beside setpoint.yaml.',
    rules: 'Write it in a file below `rules/`.',
    varsets: 'Did you mean "variableSets"?',
    sets: 'Did you mean "variableSets"?',
    variables: VARIABLES,
    ...Object.fromEntries(
      ['env', 'terraform', 'from', 'previousNames', ...TARGET_KINDS, ...DETAIL_NAMES].map(key => [
        key,
        DEEPER,
      ]),
    ),
  },
  'Variable set': {
    group: groups,
    groups,
    variables: VARIABLES,
    vars: VARIABLES,
    tool: 'Did you mean "terraform"?',
    sensitive: SENSITIVE,
    base: 'Did you mean "from"?',
  },
  Base: Object.fromEntries(['from', ...TARGET_KINDS, ...DETAIL_NAMES].map(key => [key, ONE_LEVEL])),
  'Environment variable': { ...env, ...required },
  'Terraform variable': { ...variable, ...required },
  'Environment variable of a base': { ...env, ...base },
  'Terraform variable of a base': { ...variable, ...base },
}

/** The mistake of a form of a value that was quoted as a whole, with the line to write. */
export function quotedForm(category: Category, name: string, text: string): Wording {
  const inside = text.startsWith('{') ? text.slice(1, -1) : text
  const [, word = '', rest = ''] = /^[ \t]*([a-z]+):[ \t]*(.*?)[ \t]*$/i.exec(inside) ?? []
  const form = word.toLowerCase()
  const key = yamlScalar(name)
  return [
    'wrong-value',
    `The value of "${name}" is a string that begins with \`${form}:\`.`,
    `${formLine(category, name, form, rest)} If this text is intended: \`${key}: { value: ${isShown(name, text) ? JSON.stringify(text) : '"…"'} }\`.`,
  ]
}

/** The whole line for a form of a value and the text after its colon. */
export function formLine(category: Category, name: string, form: string, rest: string): string {
  const key = yamlScalar(name)
  switch (form) {
    case 'secret': {
      // A name in capitals is no secret itself.
      const secret = /^[A-Z_][A-Z0-9_]*$/.test(rest) ? rest : secretNameFor(name)
      return `Write \`${key}: { secret: ${secret} }\`.`
    }
    case 'external':
      return `Write \`${key}: { external: true }\`.`
    case 'file':
      return `Write \`${key}: { file: ${/^[\w./-]+$/.test(rest) && isShown(name, rest) ? rest : 'PATH'} }\`.`
  }
  if (category === 'env') return 'HCL has no effect under `env`.'
  const code = isShown(name, rest) ? rest : '…'
  return `Write \`${key}: { ${form}: ${form === 'hcl' && code !== '…' ? `'${code.replaceAll("'", "''")}'` : code} }\`.`
}

/** Whether a message may have a text: only if nothing in it may be a secret, not even a word that a person chose. */
const isShown = (name: string, text: string): boolean =>
  text.length <= 100 &&
  /^(?:(?:secret|external|data|hcl|file): ?)?(?:[A-Z_][A-Z0-9_]*|true|false|[\d.]+|[[{].*[\]}]|[\w.-]*[./][\w./-]*)$/.test(
    text,
  ) &&
  credentialIn(name, text) === undefined

/**
 * What is wrong if a key of a set is among the variables of `category`, because its line is indented too far. `undefined` if it
 * may be a variable. Under `env`, a plain value makes the file valid, but not what anybody meant.
 */
export function misplaced(category: Category, key: string, node: Node): Wording | undefined {
  const kind = KEYS_OF_SETS.get(key)
  if (kind === undefined || entriesOf(node).some(entry => KEYS_OF_VARIABLES.has(entry.key))) return undefined
  const isNothing = node.kind === 'scalar' && meaningOf(node) === 'null'
  const isText = node.kind === 'scalar' && !isNothing
  const isMeant = isText ? category === 'env' : isNothing ? kind !== 'scalar' : node.kind === kind
  if (!isMeant) return undefined
  const form = node.kind === 'scalar' ? 'value: "…"' : category === 'env' ? 'value: …' : 'data: …'
  return [
    'misplaced-key',
    `"${key}" is among the variables of "${category}". Is it indented too far?`,
    `Move it to the left. If it is a variable, write \`${key}: { ${form} }\`.`,
  ]
}

/**
 * A map or list that is written where a text belongs: data for a module, or JSON for an environment. `undefined` if some of its keys
 * are those of a variable.
 */
export function dataAsValue(
  category: Category,
  name: string,
  node: Node,
  isInValue: boolean,
): Wording | undefined {
  if (node.kind === 'scalar') return undefined
  const isKnown = (key: string): boolean =>
    Object.hasOwn(variable, key) || didYouMean(key, KEYS_OF_VARIABLES) !== undefined
  if (!isInValue && entriesOf(node).some(({ key }) => isKnown(key))) return undefined
  const what = node.kind === 'map' ? 'a map' : 'a list'
  const isEmpty = node.kind === 'map' ? node.entries.length === 0 : node.items.length === 0
  const content = node.kind === 'map' ? (isEmpty ? '{}' : '{…}') : isEmpty ? '[]' : '[…]'
  if (category === 'env' && isEmpty && node.kind === 'map' && !isInValue) return undefined
  const key = yamlScalar(name)
  return [
    'wrong-type',
    `The value of "${name}" must be a string, not ${what}.`,
    category === 'terraform'
      ? `For ${what}, write \`${key}: { data: ${content} }\`, which becomes HCL.${node.kind === 'list' ? ' In quotes, the module would receive a string.' : ''}`
      : `For JSON, write it on one line, in quotes: \`${key}: '${content}'\`.`,
  ]
}
