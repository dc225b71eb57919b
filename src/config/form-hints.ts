import type { Wording } from '../model/findings.ts'
import { type Category, TARGET_KINDS } from '../model/ids.ts'
import { entriesOf, meaningOf, type Node } from './tree.ts'

/** What to say about a key that is not known, beyond "did you mean": by the title of what it stands in. */
export const hintFor = (title: string | undefined, key: string): string | undefined =>
  HINTS.get(title ?? '')?.get(key)

const CONNECTION =
  'Address and token never come from a file that a pull request can change: use --address and SETPOINT_TOKEN, or the environment.'
const SENSITIVE =
  'A variable is sensitive exactly when it says `secret: NAME`; a secret never stands in a file.'
const VARIABLES = 'Write variables under `env:` or `terraform:`, as KEY: value.'
const UNDER_ENV = 'HCL has no effect under `env`. Write a plain value, or move the variable to `terraform:`.'
const IN_BASE = 'A base holds no secrets. Write `{ required: true }` here and the secret in each set.'
const ONE_LEVEL = 'A base holds only `env` and `terraform`, and builds on no other base.'

const variable: readonly [string, string][] = [
  ['sensitive', SENSITIVE],
  ['category', 'The category is the map that the variable stands in: `env:` or `terraform:`.'],
  ['key', 'The key of the variable is the key of the map.'],
]
const env: readonly [string, string][] = [...variable, ['hcl', UNDER_ENV], ['data', UNDER_ENV]]
const base: readonly [string, string][] = [['secret', IN_BASE]]
const required: readonly [string, string][] = [
  ['required', '`required` stands in a base and asks each set for the variable.'],
]

const HINTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'Setpoint file',
    new Map([
      ['address', CONNECTION],
      ['hostname', CONNECTION],
      ['token', CONNECTION],
      ['variableSets', 'Sets stand in files of their own: `sets/*.yaml`, or what `sets:` says.'],
    ]),
  ],
  [
    'Set file',
    new Map([
      ['organization', 'It stands in setpoint.yaml.'],
      ['varsets', 'Did you mean "variableSets"?'],
      ['sets', 'Did you mean "variableSets"?'],
      ['variables', VARIABLES],
    ]),
  ],
  [
    'Variable set',
    new Map([
      ['variables', VARIABLES],
      ['vars', VARIABLES],
      ['tool', 'Did you mean "terraform"?'],
      ['sensitive', SENSITIVE],
      ['base', 'Did you mean "from"?'],
    ]),
  ],
  [
    'Base',
    new Map(['from', ...TARGET_KINDS, 'global', 'priority', 'description'].map(key => [key, ONE_LEVEL])),
  ],
  ['Environment variable', new Map([...env, ...required])],
  ['Terraform variable', new Map([...variable, ...required])],
  ['Environment variable of a base', new Map([...env, ...base])],
  ['Terraform variable of a base', new Map([...variable, ...base])],
])

/** Keys of a file, a set or a base, by what stands behind them there. */
const KEYS_OF_SETS: ReadonlyMap<string, 'map' | 'list' | 'scalar'> = new Map([
  ...(['variableSets', 'bases', 'env', 'terraform'] as const).map(key => [key, 'map'] as const),
  ...(['removed', 'previousNames', 'workspaces', 'projects', 'stacks'] as const).map(
    key => [key, 'list'] as const,
  ),
  ...(['name', 'description', 'global', 'priority', 'id', 'from'] as const).map(
    key => [key, 'scalar'] as const,
  ),
])
export const isKeyOfSet = (key: string): boolean => KEYS_OF_SETS.has(key)
const KEYS_OF_VARIABLES: ReadonlySet<string> = new Set(
  'value secret external file data hcl notSecret accept required description'.split(' '),
)

/**
 * What is wrong where a key of a set stands among the variables of `category`, as it does when its line is indented too far.
 * `undefined` where it may be a variable. A plain text under `env` makes a file that is valid, and that nobody meant.
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
    `"${key}" stands among the variables of "${category}". Is it indented too far?`,
    `Move it to the left. For a variable of this name, write: ${key}: { ${form} }`,
  ]
}
