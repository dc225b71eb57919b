import { FIELD_NAMES, FIELDS } from '../model/fields.ts'
import type { Findings, Wording } from '../model/findings.ts'
import type { Category } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { didYouMean } from '../model/names.ts'
import { hintFor, misplaced } from './form-hints.ts'
import type { SourceFile } from './source-file.ts'
import { entriesOf, type LocatedNode, meaningOf, type Node, NodePlaces, plainOf, textOf } from './tree.ts'

/** One mistake, as a generated validator reports it. */
interface FormError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The wrong key, if the mistake is the key and not its value. */
  readonly propertyName?: string
  readonly parentSchema: SchemaPart
}

interface SchemaPart {
  readonly title?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly propertyNames?: SchemaPart
}

export interface Form {
  /** The keys that the document can have at its top level. */
  readonly keys: readonly string[]
  readonly validate: { (value: unknown): boolean; errors?: readonly FormError[] | null }
}

/** Reports where a document violates its schema. Never quotes a value, because it may be a secret. */
export function checkForm(tree: Node, form: Form, file: SourceFile, findings: Findings): void {
  if (form.validate(plainOf(tree))) return
  const groups = grouped(form.validate.errors ?? [], ({ instancePath }) => instancePath)
  const places = new NodePlaces(tree)
  /** Paths that have mistakes below them. */
  const above = new Set([...groups.keys()].flatMap(ancestors))
  const misplacedKeys = new Set<string>()
  const unindented = [...groups].flatMap(([path, errors]) => notIndented(path, errors, places) ?? [])
  for (const { at, wording } of unindented) findings.say(file.at(at), wording)
  const told = new Set(unindented.map(({ category }) => category))
  for (const [path, all] of groups) {
    if (told.has(path)) continue
    const beside = unindented.filter(({ set }) => set === path).flatMap(({ keys }) => keys)
    const errors = all.filter(({ params }) => !beside.includes(String(params.additionalProperty)))
    const variable = path.split('/', 5).join('/')
    const outer = misplacedAt(variable, places)
    if (outer === undefined)
      for (const [at, wording] of mistakesIn(places.locate(path), errors, above.has(path), places))
        findings.say(file.at(at), wording)
    else if (!misplacedKeys.has(variable)) findings.say(file.at(outer[0]), outer[1])
    if (outer !== undefined) misplacedKeys.add(variable)
  }
}

/** Keys of variables beside an empty `env:` or `terraform:` of a set: they have to be indented, and are no mistakes of their own. */
function notIndented(set: string, errors: readonly FormError[], places: NodePlaces) {
  const { node } = places.locate(set)
  const unknown = new Set(errors.map(({ params }) => params.additionalProperty))
  const entries = entriesOf(node)
  const at = entries.findIndex(
    ({ key, value }) => isCategory(key) && value.kind === 'scalar' && meaningOf(value) === 'null',
  )
  const [empty, ...below] = at < 0 ? [] : entries.slice(at)
  const end = below.findIndex(({ key }) => !unknown.has(key))
  const keys = below.slice(0, end < 0 ? undefined : end).map(({ key }) => key)
  if (empty === undefined || keys.length === 0) return undefined
  const wording: Wording = [
    'misplaced-key',
    `"${keys[0]}"${keys.length > 1 ? ` and ${keys.length - 1} more` : ''} ${keys.length > 1 ? 'stand' : 'stands'} beside "${empty.key}", which is empty.`,
    `If they are its variables, indent them by two spaces more than "${empty.key}".`,
  ]
  return { set, category: `${set}/${empty.key}`, keys, at: below[0]?.at ?? empty.at, wording }
}

const isCategory = (key: string): key is Category => key === 'env' || key === 'terraform'

type FormMistake = readonly [at: number, wording: Wording]

/** A path below a misplaced key of a set: it is reported once, at the key, and without its consequences. */
function misplacedAt(path: string, places: NodePlaces): FormMistake | undefined {
  const [, , , category = '', key = ''] = path.split('/')
  if (!isCategory(category)) return undefined
  const { node, at } = places.locate(path)
  const wording = misplaced(category, key, node)
  return wording && [at, wording]
}

/** The mistakes of one place. Of alternative forms, only those of the one that the node was meant to have. */
function mistakesIn(
  target: LocatedNode,
  errors: readonly FormError[],
  isAbove: boolean,
  places: NodePlaces,
): FormMistake[] {
  const { node, at } = target
  if (node.kind === 'scalar' && node.refused) return []
  if (node.kind === 'scalar' && meaningOf(node) === 'null') return [[at, nullWording(target, errors)]]
  const others = errors.filter(error => !isSaidElsewhere(error) && error.keyword !== 'type')
  if (others.length > 0) return others.map(error => mistakeOf(target, error, places))
  // Only for a map does "exactly one of" make sense.
  const choice = node.kind === 'map' ? errors.find(error => error.keyword === 'oneOf') : undefined
  if (choice !== undefined) return [[at, choiceWording(target, choice)]]
  const types = errors.filter(error => error.keyword === 'type')
  return types.length === 0 || isAbove ? [] : [[at, typeWording(target, types)]]
}

/** Keys that stand beside each form of a value. */
const BESIDE_VALUE: ReadonlySet<string> = new Set([
  'accept',
  ...FIELD_NAMES.filter(name => FIELDS[name].belongsToValue !== true),
])

function mistakeOf({ node, at, label }: LocatedNode, error: FormError, places: NodePlaces): FormMistake {
  const { title, description, properties = {}, propertyNames } = error.parentSchema
  const keys = Object.keys(properties)
  const keyAt = (key: unknown): number => places.entryOf(node, String(key))?.at ?? node.at
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params.additionalProperty)
      const hint = () => hintFor(title, key) ?? joined(didYouMean(key, keys), oneOf(keys))
      return [keyAt(key), ['unknown-key', `"${key}" is not a known key here.`, hint]]
    }
    case 'propertyNames': {
      const key = error.params.propertyName
      const message =
        key === '' ? 'A key must not be empty.' : `${JSON.stringify(key)} is not a valid key here.`
      return [keyAt(key), ['wrong-value', message, propertyNames?.description]]
    }
    case 'required': {
      const key = String(error.params.missingProperty)
      return [at, ['missing-key', `"${key}" is missing in ${label}.`, toAdd(key, properties[key])]]
    }
    case 'minProperties':
      return [at, ['missing-key', `${capital(label)} is empty.`, oneOf(keys)]]
    case 'minItems':
      return [at, ['wrong-value', `${capital(label)} is empty.`, 'Add an item, or remove the key.']]
  }
  const hint =
    error.keyword === 'const'
      ? `Write ${String(error.params.allowedValue)}, or remove the key.`
      : error.keyword === 'enum'
        ? joined(meantValue(node, error.params.allowedValues), toWrite(description))
        : toWrite(description)
  return [at, ['wrong-value', `${capital(label)} cannot have this value.`, hint]]
}

const meantValue = (node: Node, allowed: unknown): string | undefined =>
  didYouMean(textOf(node) ?? '', (Array.isArray(allowed) ? allowed : []).map(String))

const joined = (...hints: readonly (string | undefined)[]): string | undefined =>
  hints.filter(Boolean).join(' ') || undefined

function choiceWording({ node, label }: LocatedNode, { parentSchema }: FormError): Wording {
  const { description, properties = {} } = parentSchema
  const forms = Object.keys(properties).filter(key => !BESIDE_VALUE.has(key))
  const present = entriesOf(node).filter(entry => forms.includes(entry.key))
  // Alone, `accept` is no value either.
  if (present.length < 2) return ['missing-key', `${capital(label)} has no value.`, toWrite(description)]
  const keys = present.map(entry => `"${entry.key}"`).join(' and ')
  return [
    'wrong-value',
    `${capital(label)} has ${keys}, but can have only one of them.`,
    toWrite(description),
  ]
}

function typeWording({ node, label }: LocatedNode, errors: readonly FormError[]): Wording {
  const expected = expectedTypes(errors)
  const actual = node.kind === 'scalar' ? meaningOf(node) : node.kind
  const hint = typeHint(node, errors, expected)
  return ['wrong-type', `${capital(label)} must be ${words(expected)}, not ${ACTUAL[actual]}.`, hint]
}

function typeHint(
  node: Node,
  errors: readonly FormError[],
  expected: ReadonlySet<string>,
): string | undefined {
  if (quotingHelps(node, errors)) return 'Put it in quotes.'
  if (expected.has('boolean') && !expected.has('string')) return 'Write true or false.'
  if (expected.has('array') && !expected.has('string')) return 'Write a list, such as [a, b].'
  const isOfTool = errors.some(({ parentSchema }) => parentSchema.properties?.data !== undefined)
  if (node.kind === 'list' && isOfTool) return LIST_OF_TOOL
  return toWrite(errors.map(error => error.parentSchema.description).find(text => text !== undefined))
}

const LIST_OF_TOOL =
  'For a list, write `{ data: […] }`, which becomes HCL. In quotes, the module would receive a string.'

function nullWording({ label }: LocatedNode, errors: readonly FormError[]): Wording {
  const expected = expectedTypes(errors)
  const hint = expected.has('number')
    ? 'Null is not a value. Write "" for an empty string, or put the word in quotes.'
    : expected.has('object') && !expected.has('string')
      ? 'Null is not a map. Write {} for an empty one.'
      : expected.has('array')
        ? 'Null is not a list. Write [] for an empty one.'
        : 'Null is not a value. Write one, or remove the key.'
  return ['null-value', `${capital(label)} has no value.`, hint]
}

/** Errors that another error of the same place covers: branches of a choice, and why a key is refused. */
const isSaidElsewhere = (error: FormError): boolean =>
  error.keyword === 'anyOf' ||
  error.keyword === 'oneOf' ||
  error.schemaPath.includes('/oneOf/') ||
  error.propertyName !== undefined

const oneOf = (keys: readonly string[]): string => `Use one of these keys: ${keys.join(', ')}.`

/** A description of a schema names what belongs in a place; a hint says what to do. */
const toWrite = (description: string | undefined): string | undefined =>
  description === undefined ? undefined : `Write ${uncapital(description)}`

const toAdd = (key: string, part: SchemaPart | undefined): string =>
  part?.description === undefined ? `Add "${key}".` : `Add "${key}": ${uncapital(part.description)}`

/** Names such as HCL and YAML keep their capitals. */
const uncapital = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function expectedTypes(errors: readonly FormError[]): Set<string> {
  return new Set(
    errors.flatMap(({ params: { type } }) => (Array.isArray(type) ? type.map(String) : [String(type)])),
  )
}

/** `/a`, `/a/b` and nothing for `/a/b/c` itself. */
function ancestors(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, count) => parts.slice(0, count + 1).join('/'))
}

/** Whether the value would be valid as a string. */
const quotingHelps = (node: Node, errors: readonly FormError[]): boolean =>
  node.kind === 'scalar' &&
  (meaningOf(node) === 'number' || meaningOf(node) === 'boolean') &&
  errors.some(
    ({ params, parentSchema }) =>
      params.type === 'string' && new RegExp(parentSchema.pattern ?? '', 'u').test(node.text),
  )

/** Any plain scalar counts as a string where the schema allows all of them. */
function words(expected: ReadonlySet<string>): string {
  const parts = [
    ...(expected.has('string') ? ['a string'] : expected.has('boolean') ? ['true or false'] : []),
    ...(expected.has('number') && !expected.has('string') ? ['a number'] : []),
    ...(expected.has('array') ? ['a list'] : []),
    ...(expected.has('object') ? ['a map'] : []),
  ]
  return parts.join(' or ')
}

const ACTUAL = {
  map: 'a map',
  list: 'a list',
  text: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
} as const
