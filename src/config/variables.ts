import { posix } from 'node:path'
import { type Diagnostic, mistake, type SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { CATEGORIES, type Category, categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import { misplaced, quotedForm } from './form-hints.ts'
import { hclOf } from './hcl.ts'
import { type HclMistake, parseLiteral } from './hcl-literal.ts'
import { isQuotedForm } from './known-keys.ts'
import { lintVariable } from './lint.ts'
import type { GroupsOfFiles } from './named-groups.ts'
import { foldedPem, oddKey, oddValue } from './odd-text.ts'
import type { SourceFile } from './source-file.ts'
import {
  childOf,
  entriesOf,
  entryOf,
  isTrue,
  itemsOf,
  meaningOf,
  type Node,
  type TreeEntry,
  textOf,
  textsIn,
} from './tree.ts'
import { acceptIt, secretLine } from './whole-line.ts'
import { yamlScalar } from './write.ts'

/** The file to read, and where its findings go. */
export interface Reading {
  readonly file: SourceFile
  readonly findings: Findings
  /** Keys of all files so far, by name: most keys are in many sets, and share one string in memory. */
  readonly keys?: Readonly<Record<Category, Map<string, VariableKey>>>
  /** The groups that sets can name; without them, the members of groups are left out. */
  readonly groups?: GroupsOfFiles
  /** Code that is no valid value is left to the plan, which knows whether the service holds exactly this code. */
  readonly leavesCode?: boolean
  /** The text of another file, relative to this one; `undefined`, and a report, if there is none. */
  textOf(path: string, source: SourceRange): string | undefined
}

/** A variable that a base requires of each set that uses it. */
export interface RequiredVariable {
  readonly key: VariableKey
  readonly source: SourceRange
  readonly required: true
}

/** The codes that a set or a variable at `about` accepts. Call this before any check that may find one. */
export function acceptedBy(
  node: Node,
  about: SourceRange,
  { findings }: Pick<Reading, 'findings'>,
): readonly string[] | undefined {
  const list = childOf(node, 'accept')
  if (list === undefined) return undefined
  return itemsOf(list).flatMap(item => {
    const code = textOf(item)
    if (code === undefined) return []
    findings.accept(code, about)
    return [code]
  })
}

/** The variables of a set or a base, in the order of the file. Invalid ones were reported before, and are left out here. */
export const variablesOf = (node: Node, reading: Reading): (DesiredVariable | RequiredVariable)[] =>
  CATEGORIES.flatMap(category =>
    entriesOf(childOf(node, category))
      .map(entry => variableOf(category, entry, reading))
      .filter(variable => variable !== undefined),
  )

function variableOf(
  category: Category,
  { key: name, at, value: node }: TreeEntry,
  reading: Reading,
): DesiredVariable | RequiredVariable | undefined {
  const { file, findings } = reading
  const key = keyOf(category, name, reading)
  const source = file.at(at)
  const short = textOf(node)
  const wording = short !== undefined && category === 'env' ? misplaced(category, name, node) : undefined
  if (wording !== undefined) findings.warning(...wording, source)
  if (short !== undefined && isQuotedForm(short)) findings.error(...quotedForm(category, name, short), source)
  const accept = acceptedBy(node, source, reading)
  if (isTrue(childOf(node, 'required'))) return { key, source, required: true }
  const content = short === undefined ? contentOf(name, node, reading) : plainContent(short)
  if (content === undefined) return undefined
  // Member by member, because spreading takes longer than the rest, and every variable of every file comes here.
  const variable: DesiredVariable = {
    key,
    value: content.value,
    hcl: content.hcl,
    file: content.file,
    doubt: content.doubt,
    description: textOf(childOf(node, 'description')) ?? '',
    source,
    accept,
  }
  checkValue(variable, findings)
  // What is no value is no secret, either.
  if (short === undefined || !isQuotedForm(short)) lintVariable(variable, findings)
  return variable
}

/** What is odd about the value of a variable, whatever it is read from. */
export function checkValue(variable: DesiredVariable, findings: Findings): void {
  checkServiceLimits(variable, findings)
  if (variable.file === undefined) checkReferences(variable, findings)
  checkText(variable, findings)
}

function keyOf(category: Category, name: string, { keys }: Reading): VariableKey {
  const known = keys?.[category].get(name)
  if (known !== undefined) return known
  const key: VariableKey = `${category}/${name}`
  keys?.[category].set(name, key)
  return key
}

type Content = Pick<DesiredVariable, 'value' | 'hcl' | 'file' | 'doubt'>

const plainContent = (text: string): Content => ({ value: { text }, hcl: false })

function contentOf(name: string, node: Node, reading: Reading): Content | undefined {
  const { file, findings } = reading
  const hcl = isTrue(childOf(node, 'hcl'))
  for (const { key, value } of entriesOf(node)) {
    const text = textOf(value)
    switch (key) {
      case 'value':
        return text === undefined ? undefined : plainContent(text)
      case 'data':
        if (value.kind === 'scalar' && meaningOf(value) === 'null') return undefined
        return {
          value: {
            text: hclOf(value, (at, ...words) => findings.error('invalid-hcl', ...words, file.at(at))),
          },
          hcl: true,
        }
      case 'file':
        return text === undefined ? undefined : fileOf(text, value.at, reading)
      case 'external':
        return isTrue(value) ? { value: { external: true }, hcl } : undefined
      case 'secret':
        return secretOf(value, hcl)
    }
  }
  // Last, because beside a secret or an external value it is not code.
  const entry = entryOf(node, 'hcl')
  const code = textOf(entry?.value)
  if (entry === undefined || code === undefined) return undefined
  const parsed = parseLiteral(code)
  if ('value' in parsed) return { value: { text: code }, hcl: true }
  const doubt = notLiteral(name, code, parsed.mistake, file.at(entry.at))
  if (reading.leavesCode === true) return { value: { text: code }, hcl: true, doubt }
  findings.error(doubt.code, doubt.message, doubt.hint, doubt.source)
  return { value: { text: code }, hcl: true }
}

function notLiteral(name: string, code: string, found: HclMistake, source: SourceRange): Diagnostic {
  const line = code.slice(0, found.at).split('\n').length
  const place = code.trimEnd().includes('\n') ? `, in its line ${line}` : ''
  return mistake('invalid-hcl', `The HCL ${found.words}${place}.`, whatToWrite(name, code, found), source)
}

/** A hint for code that is no literal value. Quotes nothing of it. */
function whatToWrite(name: string, code: string, { kind, words }: HclMistake): string {
  const key = yamlScalar(name)
  switch (kind) {
    case 'empty':
      return `For an empty string, write \`${key}: ""\`.`
    case 'late':
      return 'Begin the value on the first line. Write a comment behind or inside it.'
    case 'assignment':
      return 'Write only the value, which is what follows `=`.'
    case 'reference':
      return 'The value of a variable cannot refer to anything. Write the value itself.'
    case 'template':
      return 'Write the text itself. For the characters `${` and `%{`, write `$${` and `%%{`.'
    case 'computed':
      return 'The value of a variable is not computed. Write the result, or write `data:` and let Setpoint write the HCL.'
    case 'word':
      if (/^\s*(?:true|false|null)\s*$/i.test(code)) return 'Write it in lower case.'
      return words.startsWith('is')
        ? `For a string, write \`${key}: …\` without \`hcl\`, or put it in quotes: \`${key}: { hcl: '"…"' }\`.`
        : 'Put the word in quotes.'
    case undefined:
      return 'Correct it, or write `data:` and let Setpoint write the HCL. With this value, every run of a workspace that has the set fails.'
  }
}

function fileOf(path: string, at: number, { file, textOf }: Reading): Content | undefined {
  const text = textOf(path, file.at(at))
  return text === undefined
    ? undefined
    : { value: { text }, hcl: false, file: posix.join(posix.dirname(file.path), path) }
}

function secretOf(node: Node, hcl: boolean): Content | undefined {
  const name = textOf(node) ?? textOf(childOf(node, 'name'))
  if (name === undefined) return undefined
  const version = textOf(childOf(node, 'version'))
  const allowEmpty = isTrue(childOf(node, 'allowEmpty'))
  const accept = textsIn(childOf(node, 'accept'))
  const more = { ...(allowEmpty && { allowEmpty }), ...(accept.length > 0 && { accept }) }
  return { value: { secret: { name, version, ...more } }, hcl }
}

const KEY_CHARACTERS = 128
const VALUE_BYTES = 256 * 1024
const DESCRIPTION_CHARACTERS = 512

/** Limits of HCP Terraform that its interface does not document (docs/service.md 11.2): a warning, because another service may not have them. */
function checkServiceLimits(variable: DesiredVariable, findings: Findings): void {
  const warn = (what: string, hint?: string): void =>
    findings.warning('service-limit', `${what}, which HCP Terraform refuses.`, hint, variable.source)
  const name = nameOf(variable.key)
  if (isLonger(name, KEY_CHARACTERS)) warn(`The key has more than ${KEY_CHARACTERS} characters`)
  if (isLonger(variable.description, DESCRIPTION_CHARACTERS))
    warn(`The description of "${name}" has more than ${DESCRIPTION_CHARACTERS} characters`)
  if (!('text' in variable.value)) return
  const { text } = variable.value
  // A character takes at most three bytes a unit.
  if (text.length > VALUE_BYTES / 3 && Buffer.byteLength(text) > VALUE_BYTES)
    warn(`The value of "${name}" is larger than 256 KB`)
  if (categoryOf(variable.key) !== 'env' || !text.includes('\n')) return
  if (text.indexOf('\n') === text.length - 1)
    warn(
      `The value of the environment variable "${name}" ends with a newline`,
      'Remove the newline. In YAML, write `|-` instead of `|`. With `file:`, delete it at the end of that file.',
    )
  else
    warn(
      `The value of the environment variable "${name}" has several lines`,
      `Write it on one line. If the files are for another service, write ${acceptIt(variable, 'service-limit')}.`,
    )
}

/** Forms of a key, of a value, or of the name of its secret, that are hardly meant. */
function checkText(variable: DesiredVariable, findings: Findings): void {
  const { key, value, hcl, source } = variable
  const odd = oddKey(categoryOf(key), nameOf(key), () => acceptIt(variable, 'odd-text'))
  if (odd !== undefined) findings.warning(...odd, source)
  const name = nameOf(key)
  if ('text' in value) {
    const folded = hcl ? undefined : foldedPem(name, value.text, () => acceptIt(variable, 'odd-text'))
    if (folded !== undefined) findings.warning(...folded, source)
    const oddly =
      variable.file === undefined && !hcl
        ? oddValue(name, value.text, () => acceptIt(variable, 'odd-text'))
        : undefined
    if (oddly !== undefined) findings.warning(...oddly, source)
  } else if ('secret' in value && /^SETPOINT_SECRET_./.test(value.secret.name)) {
    const { name: secret } = value.secret
    const meant = secret.slice('SETPOINT_SECRET_'.length)
    findings.warning(
      'odd-text',
      `The secret "${secret}" has its value in the environment variable SETPOINT_SECRET_${secret}: the prefix is added to each name.`,
      `Write \`${yamlScalar(name)}: { secret: ${meant} }\`. If it is intended: \`${yamlScalar(name)}: { secret: ${secret}, accept: [odd-text] }\`.`,
      source,
    )
  }
}

/**
 * What pipelines and shells replace: `${{ secrets.X }}` and `${NAME}`. Code of the tool and scripts, of several lines, have `${…}` of
 * their own, and `$${` is its escape.
 */
const REFERENCE =
  /\$\{\{[^{}\n]{0,200}\}\}|(?<!\$)\$\{(?:[A-Z_][A-Z0-9_]*|(?:var|local|data|module)\.[\w.-]+)\}/

/** Nothing replaces a reference in a file: the workspaces would receive it as it stands. */
function checkReferences(variable: DesiredVariable, findings: Findings): void {
  const { key, value, hcl, source } = variable
  const text = 'text' in value && !hcl && !value.text.includes('\n') ? value.text : ''
  const [reference] = text.includes('${') ? (REFERENCE.exec(text) ?? []) : []
  if (reference !== undefined)
    findings.warning(
      'literal-reference',
      `The value of "${nameOf(key)}" contains ${reference.startsWith('${{') ? '`${{ … }}`' : '`${…}`'}, which Setpoint does not replace. Workspaces receive it as it stands.`,
      `Write the value. For a secret, write ${secretLine(nameOf(key))} and pass its value to the run. If this text is intended, write ${acceptIt(variable, 'literal-reference')}.`,
      source,
    )
}

/** In characters, which are only counted if there are too many UTF-16 units. */
const isLonger = (text: string, most: number): boolean => text.length > most && [...text].length > most
