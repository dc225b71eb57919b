import { parseFile } from '../config/parse.ts'
import { type SourceFile, textOfFile } from '../config/source-file.ts'
import { meaningOf, type Node } from '../config/tree.ts'
import { Findings } from '../model/findings.ts'
import { parseJson } from '../model/json.ts'
import { holderOf } from '../model/lists.ts'
import { Secret } from '../model/secret.ts'

/**
 * The values of a source by name. `path` names the source in messages, and its ending decides the format. Names and values are
 * never quoted, because in a malformed file anything may be the secret.
 */
export function readSecretFile(
  path: string,
  bytes: Uint8Array,
  findings: Findings,
): ReadonlyMap<string, Secret> {
  const file = textOfFile(path, bytes, findings)
  if (file === undefined) return new Map()
  if (file.text.trim() === '') {
    findings.error(
      'missing-key',
      file.at(0),
      'The source of secrets is empty.',
      'Check the command that writes it.',
    )
    return new Map()
  }
  return collect(entriesIn(file, findings), file, findings)
}

/** By the ending of the name, else by the content. Only an ending tells JSON, because YAML includes it. */
export function formatOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): 'json' | 'yaml' | 'dotenv' {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/\.json$/.test(name)) return 'json'
  if (/\.ya?ml$/.test(name)) return 'yaml'
  if (/\.env$|^\.env(?:\.|$)/.test(name)) return 'dotenv'
  const lines = text.slice(0, FIRST_LINES).split('\n')
  return ASSIGNMENT.test(lines.find(line => !/^\s*(?:#|$)/.test(line)) ?? '') ? 'dotenv' : 'yaml'
}

/** As many characters as are needed to tell the format. */
const FIRST_LINES = 64 * 1024
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_]*[ \t]*=/

/** A name and its value, with the offset of the name. Duplicates are kept. */
interface WrittenSecret {
  readonly name: string
  readonly at: number
  /** Absent if it was reported. */
  readonly value: Secret | undefined
}

function entriesIn(file: SourceFile, findings: Findings): readonly WrittenSecret[] {
  const form = formatOf(file)
  if (form === 'dotenv') return readDotenv(file, findings)
  const tree = form === 'json' ? jsonTree(file, findings) : parse(file, findings)
  if (tree === undefined) return []
  if (tree.kind === 'map')
    return tree.entries.map(({ key, at, value }) => ({
      name: key,
      at,
      value: secretIn(value, file, findings),
    }))
  findings.error('wrong-type', file.at(tree.at), 'This is not a map of names to strings.', FORMS)
  return []
}

const FORMS = 'Write `NAME: value` (YAML), `{ "NAME": "value" }` (JSON) or `NAME=value` (dotenv).'

const parse = (file: SourceFile, findings: Findings): Node | undefined => parseFile(file, findings)

/** JSON is YAML, so the same parser gives places and numbers as written. YAML that is not JSON is refused. */
function jsonTree(file: SourceFile, findings: Findings): Node | undefined {
  if (parseJson(file.text) !== undefined) return parse(file, findings)
  const scratch = new Findings()
  parse(file, scratch)
  const [first] = scratch.diagnostics
  findings.error('secret-syntax', first?.source ?? file.at(0), 'This is not JSON.')
  return undefined
}

/** Numbers and booleans are taken as written. */
function secretIn(node: Node, file: SourceFile, findings: Findings): Secret | undefined {
  if (node.kind !== 'scalar')
    findings.error('wrong-type', file.at(node.at), `A secret must be a string, not a ${node.kind}.`, NESTED)
  else if (node.refused) return undefined
  else if (meaningOf(node) === 'null')
    findings.error('null-value', file.at(node.at), 'A value is missing.', 'For an empty string, write "".')
  else return new Secret(node.text)
  return undefined
}

const NESTED = 'Write one flat map of names to strings. Put a value with structure in quotes.'

/** Keeps each name once, and only values that can be sent. */
function collect(
  written: readonly WrittenSecret[],
  file: SourceFile,
  findings: Findings,
): ReadonlyMap<string, Secret> {
  const values = new Map<string, Secret>()
  const first = new Map<string, WrittenSecret>()
  for (const secret of written) {
    const { name, at, value } = secret
    const earlier = holderOf(first, name, secret)
    if (earlier !== undefined)
      findings.error(
        'duplicate-key',
        file.at(at),
        `This name is already on line ${file.at(earlier.at).line}.`,
        'Remove one of the two.',
      )
    else if (value?.problem !== undefined)
      findings.error('wrong-value', file.at(at), value.problem.message, value.problem.hint)
    else if (value !== undefined) values.set(name, value)
  }
  return values
}

/**
 * Reads a dotenv file. There is no standard, so this grammar is all that is accepted. Everything else is an error, never a
 * guess, and `$NAME` is never expanded:
 *
 *     file  = line*
 *     line  = blank | "#" comment | ["export" blank] NAME "=" value
 *     NAME  = letters, digits and "_", not beginning with a digit; blanks may surround the "="
 *     value = "'" all up to the next "'", over several lines, as it stands "'"
 *           | '"' all up to the next '"', the same, without a backslash, which is an escape elsewhere
 *           | the rest of the line as it stands, without a "#" behind a blank, and without the blanks around it
 *
 * After a closing quote, only blanks and a comment may follow. Nothing is dropped: what may be a comment or a value is refused.
 */
function readDotenv(file: SourceFile, findings: Findings): readonly WrittenSecret[] {
  const { text } = file
  const assignments: WrittenSecret[] = []
  let at = 0

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at = pattern.lastIndex
    return found
  }

  /** Reports a mistake, and continues on the next line. */
  function mistake(place: number, message: string, hint?: string): void {
    findings.error('secret-syntax', file.at(place), message, hint)
    at = endOf(text, '\n', place) + 1
  }

  function valueText(): string | undefined {
    const start = at
    const [blanks = '', quote] = take(OPENING) ?? []
    if (quote === undefined) {
      at = endOf(text, '\n', start)
      const line = text.slice(start, at)
      const sign = /[ \t]#/.exec(line)
      if (sign === null) return bare(line)
      mistake(
        start + sign.index + 1,
        'After a blank, a `#` may begin a comment or belong to the value.',
        QUOTE_IT,
      )
      return undefined
    }
    const open = at
    at = endOf(text, quote, open)
    const backslash = quote === '"' ? text.slice(open, at).indexOf('\\') : -1
    if (backslash >= 0) {
      mistake(open + backslash, 'Double quotes do not support escapes.', SINGLE_QUOTES)
    } else if (text[at] === quote) {
      const inside = text.slice(open, at++)
      if (take(NOTHING) !== null) return inside
      mistake(at, 'Something follows the closing quote.', quote === '"' ? SINGLE_QUOTES : DOUBLE_QUOTES)
    } else {
      mistake(start + blanks.length - 1, 'A quote is opened here and never closed.')
      at = text.length
    }
    return undefined
  }

  while (at < text.length) {
    if (take(NOTHING) !== null) continue
    const start = at
    const [head, name] = take(HEAD) ?? []
    if (head === undefined || name === undefined) {
      mistake(start, 'This line is not NAME=value.')
      continue
    }
    const written = valueText()
    if (written === undefined) continue
    assignments.push({ name, at: start + head.lastIndexOf(name), value: new Secret(written) })
  }
  return assignments
}

const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const HEAD = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y
const OPENING = /[ \t]*(['"])/y

const QUOTE_IT = "Quote the value: NAME='value'. A comment may follow the closing quote."
const SINGLE_QUOTES =
  'Use single quotes, in which every character stands for itself, also over several lines. For a value with both kinds of quotes, use a JSON or YAML file.'
const DOUBLE_QUOTES =
  'Use double quotes if the value has a single one. For a value with both kinds of quotes, use a JSON or YAML file.'

/** Without surrounding blanks; other white space is part of the value. */
function bare(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t\r'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function endOf(text: string, sign: string, from: number): number {
  const end = text.indexOf(sign, from)
  return end < 0 ? text.length : end
}
