import { DETAIL_NAMES, FIELD_NAMES } from '../model/fields.ts'
import type { Wording } from '../model/findings.ts'
import { type Category, TARGET_KINDS } from '../model/ids.ts'
import { entriesOf, meaningOf, type Node } from './tree.ts'

/** A hint for an unknown key, by the title of the schema that contains it. */
export const hintFor = (title: string | undefined, key: string): string | undefined => {
  const hints = HINTS[title ?? ''] ?? {}
  return Object.hasOwn(hints, key) ? hints[key] : undefined
}

const CONNECTION =
  'Use --address and SETPOINT_TOKEN, or the environment. Address and token never come from a file that a pull request can change.'
const SENSITIVE =
  'To make a variable sensitive, write `secret: NAME`. A file never contains the value of a secret.'
const VARIABLES = 'Write variables under `env:` or `terraform:`, as KEY: value.'
const UNDER_ENV = 'HCL has no effect under `env`. Write a plain value, or move the variable to `terraform:`.'
const IN_BASE = 'Write `{ required: true }` here and the secret in each set. A base cannot contain secrets.'
const ONE_LEVEL = 'Write only `env` and `terraform` in a base. A base cannot include another base.'

type KeyHints = Readonly<Record<string, string>>

const variable: KeyHints = {
  sensitive: SENSITIVE,
  category: 'Remove it. The category is the map that contains the variable: `env:` or `terraform:`.',
  key: 'Remove it. The key in the map is the key of the variable.',
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
    variableSets: 'Write sets in their own files: `sets/**/*.yaml`, or the paths under `sets:`.',
    'same-keys': 'Write a rule in `rules/`, as in examples/10-what-workspaces-see.',
  },
  'Set file': {
    organization: 'Write it in setpoint.yaml.',
    varsets: 'Did you mean "variableSets"?',
    sets: 'Did you mean "variableSets"?',
    variables: VARIABLES,
  },
  'Variable set': {
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

/** Whether a text of one line is a form of a value that was quoted as a whole: `"secret: NAME"`. */
export const isQuotedForm = (text: string): boolean =>
  /^(?:secret|external|data|hcl|file): /.test(text) && !text.includes('\n')

/** Keys of a file, a set or a base, with the kind of their value. */
const KEYS_OF_SETS = new Map<string, Node['kind']>([
  ...['variableSets', 'bases', 'env', 'terraform'].map(key => [key, 'map'] as const),
  ...['removed', 'previousNames', ...TARGET_KINDS].map(key => [key, 'list'] as const),
  ...['name', ...DETAIL_NAMES, 'id', 'from'].map(key => [key, 'scalar'] as const),
])
export const isKeyOfSet = (key: string): boolean => KEYS_OF_SETS.has(key)
const KEYS_OF_VARIABLES: ReadonlySet<string> = new Set([
  ...FIELD_NAMES,
  ...'value secret external file data accept required'.split(' '),
])

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
