import { readDotenv } from '../config/dotenv.ts'
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
      'The source of secrets is empty.',
      'Check the command that writes it.',
      file.at(0),
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
  if (form === 'dotenv')
    return readDotenv(file, findings).map(({ name, at, text }) => ({ name, at, value: new Secret(text) }))
  const tree = form === 'json' ? jsonTree(file, findings) : parse(file, findings)
  if (tree === undefined) return []
  if (tree.kind === 'map')
    return tree.entries.map(({ key, at, value }) => ({
      name: key,
      at,
      value: secretIn(value, file, findings),
    }))
  findings.error('wrong-type', 'This is not a map of names to strings.', FORMS, file.at(tree.at))
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
  findings.error('secret-syntax', 'This is not JSON.', undefined, first?.source ?? file.at(0))
  return undefined
}

/** Numbers and booleans are taken as written. */
function secretIn(node: Node, file: SourceFile, findings: Findings): Secret | undefined {
  if (node.kind !== 'scalar')
    findings.error('wrong-type', `A secret must be a string, not a ${node.kind}.`, NESTED, file.at(node.at))
  else if (node.refused) return undefined
  else if (meaningOf(node) === 'null')
    findings.error('null-value', 'A value is missing.', 'For an empty string, write "".', file.at(node.at))
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
        `This name is already on line ${file.at(earlier.at).line}.`,
        'Remove one of the two.',
        file.at(at),
      )
    else if (value?.problem !== undefined)
      findings.error('wrong-value', value.problem.message, value.problem.hint, file.at(at))
    else if (value !== undefined) values.set(name, value)
  }
  return values
}
