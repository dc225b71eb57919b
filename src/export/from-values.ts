import { credentialIn } from '../config/credentials.ts'
import { readDotenv } from '../config/dotenv.ts'
import { hclOf } from '../config/hcl.ts'
import { type HclLiteral, type HclMistake, parseAssignments } from '../config/hcl-literal.ts'
import { parseFile } from '../config/parse.ts'
import { type SourceFile, textOfFile } from '../config/source-file.ts'
import { entriesOf, meaningOf, type Node } from '../config/tree.ts'
import { checkValue } from '../config/variables.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import { NO_DETAILS, NO_FIELDS } from '../model/fields.ts'
import type { Findings } from '../model/findings.ts'
import { type Category, nameOf, type VariableKey } from '../model/ids.ts'
import { parseJson } from '../model/json.ts'
import { holderOf } from '../model/lists.ts'
import type { DesiredSet, DesiredVariable, SecretRef } from '../model/variable-set.ts'
import { NOWHERE, secretRefs } from './desired-set.ts'

/** A file of values: variables of Terraform, those in JSON, or an environment. */
type ValueForm = 'tfvars' | 'json' | 'dotenv'

/** How a file of values is read, and the name of its set. */
export interface ValueFile {
  readonly form: ValueForm
  readonly set: string
}

/** What the name of a file says, in a directory of this name. `undefined` if its ending says nothing. */
export function valueFile(name: string, directory: string): ValueFile | undefined {
  const [, form] = FORMS.find(([ending]) => ending.test(name)) ?? []
  if (form === undefined) return undefined
  const own = name
    .replace(/\.json$|\.env$/i, '')
    .replace(/(?:\.auto)?\.tfvars$/i, '')
    .replace(/^\.env\.?/i, '')
  // `terraform.tfvars` and `.env` are called after nothing.
  return { form, set: own === '' || own === 'terraform' ? directory || 'values' : own }
}

const FORMS: readonly (readonly [ending: RegExp, form: ValueForm])[] = [
  [/\.tfvars$/i, 'tfvars'],
  [/\.tfvars\.json$/i, 'json'],
  [/\.env$|^\.env(?:\.|$)/i, 'dotenv'],
]

/** One value of a file, as a variable set has it. */
interface Value {
  readonly name: string
  readonly at: number
  readonly text: string
  readonly hcl: boolean
}

/**
 * The set of a file, still with values that look like secrets; `undefined` if the file is no text. Mistakes and what is odd have their
 * places in it, named `path`.
 */
export function setOfValues(
  path: string,
  bytes: Uint8Array,
  { form, set }: ValueFile,
  findings: Findings,
): DesiredSet | undefined {
  const file = textOfFile(path, bytes, findings)
  if (file === undefined) return undefined
  const category: Category = form === 'dotenv' ? 'env' : 'terraform'
  const first = new Map<string, Value>()
  const variables: DesiredVariable[] = []
  for (const value of READERS[form](file, findings)) {
    const source = file.at(value.at)
    const earlier = holderOf(first, value.name, value)
    if (earlier === undefined) variables.push(variableOf(category, value, source, findings))
    else
      findings.error(
        'duplicate-key',
        `"${value.name}" is already on line ${file.at(earlier.at).line}.`,
        'Remove one of the two.',
        source,
      )
  }
  if (variables.length === 0 && findings.count === 0)
    findings.error(
      'missing-key',
      'The file has no value.',
      'Check that it is the file that you mean.',
      file.at(0),
    )
  return { name: set, ...NO_DETAILS, variables, previousNames: [], source: file.at(0) }
}

const READERS: Readonly<Record<ValueForm, (file: SourceFile, findings: Findings) => readonly Value[]>> = {
  tfvars: readTfvars,
  json: readTfvarsJson,
  dotenv: (file, findings) => readDotenv(file, findings).map(line => ({ ...line, hcl: false })),
}

function variableOf(
  category: Category,
  { name, text, hcl }: Value,
  source: SourceRange,
  findings: Findings,
): DesiredVariable {
  const key: VariableKey = `${category}/${name}`
  const variable: DesiredVariable = { key, value: { text }, ...NO_FIELDS, hcl, source }
  if (!isSecret(variable)) checkValue(variable, findings)
  return variable
}

function readTfvars(file: SourceFile, findings: Findings): readonly Value[] {
  const { assignments, mistakes } = parseAssignments(file.text)
  for (const { at, words, kind } of mistakes)
    findings.error('invalid-hcl', `The HCL ${words}.`, hintFor(kind), file.at(at))
  return assignments.map(({ name, at, value }) => ({ name, at, ...asWritten(value, file.text) }))
}

/** A string is its text; what Terraform converts from a text is as it was written; everything else is code, to the letter. */
function asWritten(value: HclLiteral, code: string): Pick<Value, 'text' | 'hcl'> {
  switch (value.kind) {
    case 'string':
      return { text: value.text, hcl: false }
    case 'number':
    case 'boolean':
      return { text: code.slice(value.at, value.end), hcl: false }
    case 'null':
    case 'list':
    case 'map':
      return { text: code.slice(value.at, value.end), hcl: true }
  }
}

function hintFor(kind: HclMistake['kind']): string {
  switch (kind) {
    case 'reference':
    case 'template':
    case 'computed':
      return 'A file of values has only literal values, as Terraform itself requires. Write the value.'
    case 'word':
      return 'Put the word in quotes.'
    case 'empty':
    case 'late':
      return 'Write the value on the same line.'
    case 'assignment':
    case undefined:
      return 'Write `name = value`, as in a .tfvars file that Terraform accepts.'
  }
}

/** JSON is YAML, so the same parser gives places and numbers as written. In its texts, Terraform reads no templates. */
function readTfvarsJson(file: SourceFile, findings: Findings): readonly Value[] {
  const tree = parseFile(file, findings)
  if (tree === undefined) return []
  if (parseJson(file.text) === undefined || tree.kind !== 'map') {
    if (findings.count === 0)
      findings.error(
        'wrong-type',
        'This is not a JSON object.',
        'Write `{ "name": value }`.',
        file.at(tree.at),
      )
    return []
  }
  return entriesOf(tree).map(({ key, at, value }) => ({ name: key, at, ...ofJson(value, file, findings) }))
}

function ofJson(node: Node, file: SourceFile, findings: Findings): Pick<Value, 'text' | 'hcl'> {
  if (node.kind === 'scalar' && meaningOf(node) !== 'null') return { text: node.text, hcl: false }
  return {
    text: hclOf(node, (at, ...words) => findings.error('invalid-hcl', ...words, file.at(at))),
    hcl: true,
  }
}

const isSecret = ({ key, value }: DesiredVariable): boolean =>
  'text' in value && credentialIn(nameOf(key), value.text) !== undefined

/** The sets with a reference in place of each value that looks like a secret. `used`: names of secrets that are taken. */
export function withReferences(
  sets: readonly DesiredSet[],
  used: (names: ReadonlySet<string>) => readonly string[],
): readonly DesiredSet[] {
  const texts = new Map<DesiredVariable, string>()
  for (const { variables } of sets)
    for (const variable of variables)
      if ('text' in variable.value && isSecret(variable)) texts.set(variable, variable.value.text)
  const refs: ReadonlyMap<DesiredVariable, SecretRef> = secretRefs(
    sets.map(({ name, variables }) => ({
      name,
      variables: variables.map(variable => ({ id: variable, key: variable.key })),
    })),
    ({ id }) => texts.has(id),
    texts,
    used(new Set(sets.map(({ name }) => name))),
  )
  return sets.map(set => ({
    ...set,
    source: NOWHERE,
    variables: set.variables.map(variable => {
      const secret = refs.get(variable)
      return secret === undefined ? variable : { ...variable, value: { secret } }
    }),
  }))
}
