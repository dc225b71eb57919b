import { FIELD_NAMES, FIELDS } from '../model/fields.ts'
import type { Findings, Wording } from '../model/findings.ts'
import { grouped } from '../model/lists.ts'
import { suggest } from '../model/names.ts'
import { hintFor, misplaced } from './form-hints.ts'
import type { Form, FormError, SchemaPart } from './forms.ts'
import type { SourceFile } from './source-file.ts'
import { entriesOf, type LocatedNode, meaningOf, type Node, Places, plainOf } from './tree.ts'

/** Reports where a document violates its schema. Never quotes a value, because it may be a secret. */
export function checkForm(tree: Node, form: Form, file: SourceFile, findings: Findings): void {
  if (form.validate(plainOf(tree))) return
  const groups = grouped(form.validate.errors ?? [], ({ instancePath }) => instancePath)
  const mapper = new Mapper(new Places(tree), file, findings, [...groups.keys()])
  for (const [path, errors] of groups) mapper.report(path, errors)
}

/** Keys that stand beside each form of a value. */
const BESIDE_VALUE: ReadonlySet<string> = new Set([
  'accept',
  ...FIELD_NAMES.filter(name => FIELDS[name].belongsToValue !== true),
])

class Mapper {
  readonly #places: Places
  readonly #file: SourceFile
  readonly #findings: Findings
  /** Paths that have mistakes below them. */
  readonly #above: ReadonlySet<string>
  readonly #misplaced = new Set<string>()

  constructor(places: Places, file: SourceFile, findings: Findings, paths: readonly string[]) {
    this.#places = places
    this.#file = file
    this.#findings = findings
    this.#above = new Set(paths.flatMap(ancestors))
  }

  /** Reports the errors of one place. Of alternative forms, only the one that the node was meant to have. */
  report(path: string, errors: readonly FormError[]): void {
    if (this.#isMisplaced(path)) return
    const target = this.#places.locate(path)
    const { node } = target
    if (node.kind === 'scalar' && node.refused) return
    if (node.kind === 'scalar' && meaningOf(node) === 'null') {
      this.#null(target, errors)
      return
    }
    const types = errors.filter(error => error.keyword === 'type')
    // Only for a map does "exactly one of" make sense.
    const choice = node.kind === 'map' ? errors.find(error => error.keyword === 'oneOf') : undefined
    const others = errors.filter(error => !isSaidElsewhere(error) && error.keyword !== 'type')
    for (const error of others) this.#one(target, error)
    if (choice !== undefined && others.length === 0) this.#choice(target, choice)
    if (types.length === 0 || others.length > 0 || choice !== undefined) return
    if (!this.#above.has(path)) this.#type(target, types)
  }

  /** Whether a path is below a misplaced key of a set, which is reported once, at the key, and without its consequences. */
  #isMisplaced(path: string): boolean {
    const [, , , category = '', key = ''] = path.split('/', 5)
    if (category !== 'env' && category !== 'terraform') return false
    const variable = path.split('/', 5).join('/')
    const { node, at } = this.#places.locate(variable)
    const wording = misplaced(category, key, node)
    if (wording === undefined) return false
    const [code, message, hint] = wording
    if (!this.#misplaced.has(variable)) this.#findings.error(code, this.#file.at(at), message, hint)
    this.#misplaced.add(variable)
    return true
  }

  #one(target: LocatedNode, error: FormError): void {
    if (error.keyword === 'additionalProperties') this.#unknownKey(target.node, error)
    else if (error.keyword === 'propertyNames')
      this.#findings.error(
        'wrong-value',
        this.#file.at(this.#keyAt(target.node, error)),
        error.params.propertyName === ''
          ? 'A key must not be empty.'
          : `${JSON.stringify(error.params.propertyName)} is not a valid key here.`,
        error.parentSchema.propertyNames?.description,
      )
    else {
      const [code, message, hint] = this.#wording(target, error)
      this.#findings.error(code, this.#file.at(target.at), message, hint)
    }
  }

  #wording(target: LocatedNode, error: FormError): Wording {
    const { description, properties = {} } = error.parentSchema
    if (error.keyword === 'required') {
      const key = String(error.params.missingProperty)
      return ['missing-key', `"${key}" is missing in ${target.label}.`, toAdd(key, properties[key])]
    }
    if (error.keyword === 'minProperties')
      return ['missing-key', `${capital(target.label)} is empty.`, oneOf(Object.keys(properties))]
    if (error.keyword === 'minItems')
      return ['wrong-value', `${capital(target.label)} is empty.`, 'Add an item, or remove the key.']
    const hint =
      error.keyword === 'const'
        ? `Write ${String(error.params.allowedValue)}, or remove the key.`
        : toWrite(description)
    return ['wrong-value', `${capital(target.label)} cannot have this value.`, hint]
  }

  #unknownKey(node: Node, error: FormError): void {
    const key = String(error.params.additionalProperty)
    const keys = Object.keys(error.parentSchema.properties ?? {})
    const hint = (): string => {
      const near = suggest(key, keys)
      return (
        hintFor(error.parentSchema.title, key) ??
        (near === undefined ? oneOf(keys) : `Did you mean "${near}"? ${oneOf(keys)}`)
      )
    }
    this.#findings.error(
      'unknown-key',
      this.#file.at(this.#keyAt(node, error)),
      `"${key}" is not a known key here.`,
      hint,
    )
  }

  #keyAt(node: Node, { params }: FormError): number {
    const key = params.additionalProperty ?? params.propertyName
    return this.#places.entryOf(node, String(key))?.at ?? node.at
  }

  #choice(target: LocatedNode, error: FormError): void {
    const { description, properties = {} } = error.parentSchema
    const hint = toWrite(description)
    const forms = Object.keys(properties).filter(key => !BESIDE_VALUE.has(key))
    const present = entriesOf(target.node).filter(entry => forms.includes(entry.key))
    const source = this.#file.at(target.at)
    // Alone, `notSecret` is no value either.
    if (present.length < 2)
      this.#findings.error('missing-key', source, `${capital(target.label)} has no value.`, hint)
    else
      this.#findings.error(
        'wrong-value',
        source,
        `${capital(target.label)} has ${present.map(entry => `"${entry.key}"`).join(' and ')}, but can have only one of them.`,
        hint,
      )
  }

  #type(target: LocatedNode, errors: readonly FormError[]): void {
    const expected = expectedTypes(errors)
    const actual = target.node.kind === 'scalar' ? meaningOf(target.node) : target.node.kind
    const hint = quotingHelps(target.node, errors)
      ? 'Put it in quotes.'
      : expected.has('boolean') && !expected.has('string')
        ? 'Write true or false.'
        : expected.has('array') && !expected.has('string')
          ? 'Write a list, such as [a, b].'
          : toWrite(errors.map(error => error.parentSchema.description).find(text => text !== undefined))
    this.#findings.error(
      'wrong-type',
      this.#file.at(target.at),
      `${capital(target.label)} must be ${words(expected)}, not ${ACTUAL[actual]}.`,
      hint,
    )
  }

  #null(target: LocatedNode, errors: readonly FormError[]): void {
    const expected = expectedTypes(errors)
    const hint = expected.has('number')
      ? 'Null is not a value. Write "" for an empty string, or put the word in quotes.'
      : expected.has('object') && !expected.has('string')
        ? 'Null is not a map. Write {} for an empty one.'
        : expected.has('array')
          ? 'Null is not a list. Write [] for an empty one.'
          : 'Null is not a value. Write one, or remove the key.'
    this.#findings.error(
      'null-value',
      this.#file.at(target.at),
      `${capital(target.label)} has no value.`,
      hint,
    )
  }
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
