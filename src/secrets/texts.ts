import type { TreeLimits } from '../config/limits.ts'
import { parseFile } from '../config/parse.ts'
import type { SourceFile } from '../config/source-file.ts'
import { textOfFile } from '../config/text.ts'
import { meaningOf, type Node } from '../config/tree.ts'
import { Findings } from '../model/findings.ts'
import { parseJson } from '../model/parse-json.ts'
import { readDotenv } from './dotenv.ts'
import { faultOf } from './fault.ts'

export type Form = 'json' | 'yaml' | 'dotenv'

/** A source is one flat map. What is deeper is refused with its place, so a little more is read. */
const LIMITS: TreeLimits = { depth: 16, keysPerMap: 10_000 }

/**
 * The texts of a source by name. `path`: how the source is named in messages, and what its form is taken from. Neither
 * names nor texts are ever quoted: in a file of the wrong form anything may be the secret.
 */
export function readTexts(path: string, bytes: Uint8Array, findings: Findings): ReadonlyMap<string, string> {
  const file = textOfFile(path, bytes, findings)
  if (file === undefined) return new Map()
  if (file.text.trim() === '') {
    findings.error('missing-key', file.at(0), 'there is nothing in it', 'Did the command that makes it fail?')
    return new Map()
  }
  return collect(entriesIn(file, findings), file, findings)
}

/** By the ending of the name, else by the content. YAML reads JSON too, so JSON is only told by its ending. */
export function formOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): Form {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/\.json$/.test(name)) return 'json'
  if (/\.ya?ml$/.test(name)) return 'yaml'
  if (/\.env$|^\.env(?:\.|$)/.test(name)) return 'dotenv'
  const lines = text.slice(0, FIRST_LINES).split('\n')
  return ASSIGNMENT.test(lines.find(line => !/^\s*(?:#|$)/.test(line)) ?? '') ? 'dotenv' : 'yaml'
}

/** So many characters tell which form a source has. */
const FIRST_LINES = 64 * 1024
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_]*[ \t]*=/

interface Written {
  readonly name: string
  readonly at: number
  /** Absent: it was reported. */
  readonly text: string | undefined
}

function entriesIn(file: SourceFile, findings: Findings): readonly Written[] {
  const form = formOf(file)
  if (form === 'dotenv') return readDotenv(file, findings)
  const tree = form === 'json' ? jsonTree(file, findings) : parse(file, findings)
  if (tree === undefined) return []
  if (tree.kind === 'map')
    return tree.entries.map(({ key, at, value }) => ({ name: key, at, text: textIn(value, file, findings) }))
  findings.error('wrong-type', file.at(tree.at), 'this is not a map of names and texts', FORMS)
  return []
}

const FORMS = 'Write NAME: text (YAML), { "NAME": "text" } (JSON) or NAME=text (dotenv).'

const parse = (file: SourceFile, findings: Findings): Node | undefined =>
  parseFile(file, LIMITS, findings)?.tree

/** Every JSON is YAML, so one parser gives places and the source of numbers; what is only YAML is refused. */
function jsonTree(file: SourceFile, findings: Findings): Node | undefined {
  if (parseJson(file.text) !== undefined) return parse(file, findings)
  const scratch = new Findings()
  parse(file, scratch)
  const [first] = scratch.diagnostics
  findings.error('secret-syntax', first?.source ?? file.at(0), 'this is not JSON')
  return undefined
}

/** Numbers and booleans by their source text. */
function textIn(node: Node, file: SourceFile, findings: Findings): string | undefined {
  if (node.kind !== 'scalar')
    findings.error('wrong-type', file.at(node.at), `this is a ${node.kind}, and a secret is a text`, NESTED)
  else if (node.refused) return undefined
  else if (meaningOf(node) === 'null')
    findings.error('null-value', file.at(node.at), 'there is no value here', 'For the empty text write "".')
  else return node.text
  return undefined
}

const NESTED = 'A source is one flat map of names and texts. Put a value of several parts in quotes.'

/** Each name once, and only what can be sent. */
function collect(
  written: readonly Written[],
  file: SourceFile,
  findings: Findings,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const first = new Map<string, number>()
  for (const { name, at, text } of written) {
    const earlier = first.get(name)
    if (earlier !== undefined) {
      const { line } = file.at(earlier)
      findings.error(
        'duplicate-key',
        file.at(at),
        `this name is already on line ${line}`,
        'Remove one of the two.',
      )
      continue
    }
    first.set(name, at)
    if (text === undefined) continue
    const fault = faultOf(text)
    if (fault === undefined) texts.set(name, text)
    else findings.error('wrong-value', file.at(at), fault.message, fault.hint)
  }
  return texts
}
