import { FIELD_NAMES, FIELDS } from '../model/fields.ts'
import type { Findings, Wording } from '../model/findings.ts'
import { type Category, TARGET_KINDS } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { didYouMean } from '../model/names.ts'
import { dataAsValue, groupsHint, hintFor, misplaced, type UnknownKey } from './form-hints.ts'
import { isKeyAmongSets, isKeyOfSet, KEYS_OF_VARIABLES } from './known-keys.ts'
import { unusualSpaceIn } from './odd-text.ts'
import type { SourceFile } from './source-file.ts'
import {
  childOf,
  entriesOf,
  isTrue,
  type LocatedNode,
  meaningOf,
  type Node,
  NodePlaces,
  plainOf,
  type TreeEntry,
  textOf,
} from './tree.ts'
import { yamlInline } from './write.ts'

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
  const places = new NodePlaces(tree, file.text)
  /** Paths that have mistakes below them. */
  const above = new Set([...groups.keys()].flatMap(ancestors))
  const shallow = [
    ...[...groups].flatMap(([path, errors]) => notIndented(path, errors, places)),
    ...['/variableSets', '/bases'].flatMap(path => besideSets(path, [...groups.keys()], places)),
  ]
  for (const { at, wording } of shallow) findings.error(...wording, file.at(at))
  const told = shallow.flatMap(({ paths }) => paths)
  for (const [path, all] of groups) {
    if (told.some(one => path === one || path.startsWith(`${one}/`))) continue
    const errors = all.filter(
      ({ params }) => !told.includes(`${path}/${pointed(String(params.additionalProperty))}`),
    )
    const variable = path.split('/', 5).join('/')
    const outer = misplacedAt(variable, places)
    if (outer === undefined)
      for (const [at, wording] of mistakesIn(path, errors, above.has(path), places))
        findings.error(...wording, file.at(at))
    else findings.error(...outer[1], file.at(outer[0]))
  }
}

/** Keys that stand beside what they belong to. `paths`: what is said with them. */
interface Shallow {
  readonly at: number
  readonly paths: readonly string[]
  readonly wording: Wording
}

/** Unknown keys beside an empty map: of variables beside `env:` or `terraform:`, of sets beside `variableSets:`. */
function notIndented(path: string, errors: readonly FormError[], places: NodePlaces): Shallow[] {
  const unknown = new Set(errors.map(({ params }) => params.additionalProperty))
  const isParent = (key: string): boolean =>
    path === '' ? key === 'variableSets' || key === 'bases' : isCategory(key)
  const whose = path === '' ? 'sets' : 'variables'
  return beside(path, isParent, key => unknown.has(key), places).map(
    ({ parent, keys, at, message }): Shallow => ({
      at,
      paths: [parent, ...keys].map(key => `${path}/${pointed(key)}`),
      wording: [
        'misplaced-key',
        message,
        `If they are its ${whose}, indent them by two spaces more than "${parent}".`,
      ],
    }),
  )
}

/** Keys of a set at the level of sets: beside an empty set, or with a value that no set has. */
function besideSets(path: string, wrong: readonly string[], places: NodePlaces): Shallow[] {
  const found = beside(path, () => true, isKeyOfSet, places).map(
    ({ parent, keys, at, message }): Shallow => ({
      at,
      paths: [parent, ...keys].map(key => `${path}/${pointed(key)}`),
      wording: [
        'misplaced-key',
        message,
        `If they belong to "${parent}", indent them by two spaces more than "${parent}".`,
      ],
    }),
  )
  const told = new Set(found.flatMap(({ paths }) => paths))
  let set: string | undefined
  for (const { key, at, value } of entriesOf(places.locate(path).node)) {
    const own = `${path}/${pointed(key)}`
    const isWrong = wrong.some(one => one === own || one.startsWith(`${own}/`))
    if (!isWrong || !isKeyAmongSets(key, value)) set = key
    else if (!told.has(own))
      found.push({
        at,
        paths: [own],
        wording: [
          'misplaced-key',
          `"${key}" is among the names of sets.`,
          set === undefined
            ? 'Write it below the name of its set, indented by two spaces more than the name.'
            : `If it belongs to "${set}", indent it by two spaces more than "${set}".`,
        ],
      })
  }
  return found
}

/** The keys after an empty map, as far as they are `theirs`. */
function beside(
  path: string,
  isParent: (key: string) => boolean,
  isTheirs: (key: string) => boolean,
  places: NodePlaces,
) {
  const entries = entriesOf(places.locate(path).node)
  const at = entries.findIndex(
    ({ key, value }) => isParent(key) && value.kind === 'scalar' && meaningOf(value) === 'null',
  )
  const [parent, ...below] = at < 0 ? [] : entries.slice(at)
  const end = below.findIndex(({ key }) => !isTheirs(key))
  const keys = below.slice(0, end < 0 ? undefined : end).map(({ key }) => key)
  if (parent === undefined || keys.length === 0) return []
  const more = keys.length > 1 ? ` and ${keys.length - 1} more are` : ' is'
  const message = `"${keys[0]}"${more} next to "${parent.key}", which is empty.`
  return [{ parent: parent.key, keys, at: below[0]?.at ?? parent.at, message }]
}

/** As a part of a JSON pointer. */
const pointed = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

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
  path: string,
  errors: readonly FormError[],
  isAbove: boolean,
  places: NodePlaces,
): FormMistake[] {
  const target = places.locate(path)
  const { node, at } = target
  const instead = dataIn(path, places) ?? groupItem(path, node)
  if (instead !== undefined) return [[at, instead]]
  if (node.kind === 'scalar' && node.refused) return []
  if (node.kind === 'scalar' && meaningOf(node) === 'null')
    return [[at, nullWording(path, target, errors, places.isComment(target))]]
  const unknown = errors.flatMap(({ params }) => params.additionalProperty ?? [])
  // A key that is missing because it is written another way is one mistake.
  const isWrittenOtherwise = ({ keyword, params }: FormError): boolean =>
    keyword === 'required' &&
    unknown.some(key => didYouMean(String(key), [String(params.missingProperty)]) !== undefined)
  const others = errors.filter(
    error => !isSaidElsewhere(error) && error.keyword !== 'type' && !isWrittenOtherwise(error),
  )
  if (others.length > 0) return others.map(error => mistakeOf(target, error, places))
  // Only for a map does "exactly one of" make sense.
  const choice = node.kind === 'map' ? errors.find(error => error.keyword === 'oneOf') : undefined
  if (choice !== undefined) return [[at, choiceWording(target, choice)]]
  const types = errors.filter(error => error.keyword === 'type')
  return types.length === 0 || isAbove ? [] : [[at, typeWording(target, types)]]
}

/** A map or list as the value of a variable, itself or under `value`. */
function dataIn(path: string, places: NodePlaces): Wording | undefined {
  const [, , , category = '', key = '', form, ...more] = path.split('/')
  if (!isCategory(category) || key === '' || more.length > 0) return undefined
  if (form !== undefined && form !== 'value') return undefined
  const { label } = places.locate(path.split('/', 5).join('/'))
  return dataAsValue(category, label.slice(1, -1), places.locate(path).node, form === 'value')
}

/** `[group: NAME]` is a map in YAML. */
function groupItem(path: string, node: Node): Wording | undefined {
  const name = entriesOf(node).length === 1 ? textOf(childOf(node, 'group')) : undefined
  if (name === undefined || !/\/workspaces\/\d+$/.test(path)) return undefined
  return [
    'wrong-value',
    'A group in a list of workspaces is one string.',
    `Write \`${yamlInline(`group:${name}`)}\`, in quotes and without a space.`,
  ]
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
      const unknown = { key, value: childOf(node, key), beside: node, name: label.replaceAll('"', '') }
      const hint = () =>
        hintFor(title, unknown) ??
        unusualSpaceIn(key) ??
        joined(didYouMean(key, keys) ?? variableOfSet(title, unknown), oneOf(keys))
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
      return [
        at,
        [
          'missing-key',
          `${capital(label)} is empty.`,
          keys.length === 0 ? 'Write names below it, indented by two spaces more.' : oneOf(keys),
        ],
      ]
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

/** A key of a set that looks like a variable. */
const variableOfSet = (title: string | undefined, { key, value }: UnknownKey): string | undefined =>
  title === 'Variable set' &&
  (value?.kind === 'scalar' || entriesOf(value).some(entry => KEYS_OF_VARIABLES.has(entry.key)))
    ? `If it is a variable, write it under \`env:\` or \`terraform:\`: \`${/^[A-Z0-9_]+$/.test(key) ? 'env' : 'terraform'}: { ${yamlInline(key)}: … }\`.`
    : undefined

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
    hclSwitch(present) ?? toWrite(description),
  ]
}

/** What to write instead of `hcl: true` beside a value, as the service and its provider have it. */
function hclSwitch(forms: readonly TreeEntry[]): string | undefined {
  const [other, hcl] = forms.toSorted((a, b) => Number(a.key === 'hcl') - Number(b.key === 'hcl'))
  if (forms.length !== 2 || hcl?.key !== 'hcl' || hcl.value.kind !== 'scalar') return undefined
  if (meaningOf(hcl.value) !== 'boolean') return undefined
  if (other?.key === 'data') return 'Remove `hcl`. Data always becomes HCL.'
  if (!isTrue(hcl.value)) return 'Remove `hcl`.'
  return other?.key === 'value' ? 'Write the code under `hcl`, and remove `value`.' : undefined
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
  const space = node.kind === 'scalar' && node.plain ? unusualSpaceIn(node.text) : undefined
  if (space !== undefined) return space
  const sign = node.kind === 'scalar' && node.plain ? signWithoutSpace(node.text, expected) : undefined
  if (sign !== undefined) return `Write a space after \`${sign}\`.`
  if (expected.has('boolean') && !expected.has('string')) return 'Write true or false.'
  if (expected.has('array') && !expected.has('string')) {
    const group = childOf(node, 'group') ?? childOf(node, 'groups')
    return group === undefined ? 'Write a list, such as [a, b].' : groupsHint(group)
  }
  const beside = /^\/(workspaces|projects)$/.exec(errors[0]?.instancePath ?? '')?.[1]
  if (node.kind === 'list' && beside !== undefined)
    return `If it is the list of a set, indent it by four spaces, below the name of the set. Here, write which sets each gets: \`${beside}: { NAME: [SET] }\`.`
  return toWrite(errors.map(error => error.parentSchema.description).find(text => text !== undefined))
}

/** The sign of a map or list that makes none without a space: `A:x` and `-a` are texts. */
function signWithoutSpace(text: string, expected: ReadonlySet<string>): string | undefined {
  if (expected.has('object') && /^[^\s:]+:[^\s/]/.test(text)) return ':'
  return expected.has('array') && /^-[^\s-]/.test(text) ? '-' : undefined
}

function nullWording(
  path: string,
  { label }: LocatedNode,
  errors: readonly FormError[],
  isComment: boolean,
): Wording {
  const hint = isComment
    ? 'A `#` behind a blank begins a comment. If what follows is the value, put it in quotes.'
    : nullHint(path, expectedTypes(errors))
  return ['null-value', `${capital(label)} has no value.`, hint]
}

const TARGETS_OF_SET = new RegExp(`^/variableSets/[^/]+/(?:${TARGET_KINDS.join('|')})$`)

/** An empty map or list in place of what is missing would delete variables or assignments. */
function nullHint(path: string, expected: ReadonlySet<string>): string {
  if (expected.has('number'))
    return 'Null is not a value. Write "" for an empty string, or put the word in quotes.'
  if (expected.has('object') && !expected.has('string')) {
    const [, root = '', ...names] = path.split('/')
    if (names.length === 2 && isCategory(names[1] ?? ''))
      return 'Write its variables below it, indented by two spaces more. Without the line, the variables that the service has are deleted.'
    if (names.length > 1 || (root !== 'variableSets' && root !== 'bases'))
      return 'Null is not a map. Write {} for an empty one.'
    return names.length === 0
      ? 'Write names below it, indented by two spaces more, or remove the line.'
      : 'Write its variables and settings below it, indented by two spaces more. With `{}`, it has no variables: those that the service has are deleted.'
  }
  if (expected.has('array')) {
    const end = TARGETS_OF_SET.test(path)
      ? 'With `[]`, the assignments that the service has are removed. Without the line, they are left as they are.'
      : 'Without the line, there are none.'
    return `Write its items below it, each after \`- \` on a line of its own. ${end}`
  }
  return 'Null is not a value. Write one, or remove the key.'
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
