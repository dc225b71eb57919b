import { dirname, isAbsolute, resolve } from 'node:path'
import { type SourceRange, startOf } from '../model/diagnostic.ts'
import type { Findings, Wording } from '../model/findings.ts'
import { checkForm, type Form } from './form.ts'
import { type Budget, type Limits, raise } from './loader-limits.ts'
import { parseFile } from './parse.ts'
import { type FileContent, type ReadProblem, type ReadRule, readInside, shownPath } from './read.ts'
import { checkConflicts, decode, type SourceFile, sourceFile, textOfFile } from './source-file.ts'
import { checkKeys, type Node } from './tree.ts'
import type { Reading } from './variables.ts'

/** A file that was read and parsed. */
interface DocumentFile {
  readonly file: SourceFile
  readonly tree: Node
}

interface ReadContext {
  readonly root: string
  readonly rule: ReadRule
  readonly limits: Limits
  /** As in `LoadOptions`. */
  readonly leavesCode?: boolean
  /** One for all files of a load. */
  readonly budget: Budget
  readonly findings: Findings
  /** The root is a directory of `--rules`, outside the repository. */
  readonly isElsewhere?: boolean
}

/** What the parts of one load share. */
export interface LoadContext extends ReadContext {
  /** Absolute path of the configuration. */
  readonly config: string
  readonly documents: Documents
}

/** Reads documents within the limits, and reports the mistakes that each file shows by itself. */
export class Documents {
  /** Documents so far, valid or not. */
  count = 0
  /** Documents that gave no tree. */
  failures = 0
  /** Bytes of all documents so far. */
  bytes = 0
  readonly #context: ReadContext
  readonly #findings: Findings
  /** Real paths of documents so far. */
  readonly #seen: Set<string>
  /** Contents of `file:` by path, or why a file is refused. Each file is read once, however many variables name it. */
  readonly #texts = new Map<string, string | Wording>()
  readonly #keys: Reading['keys'] = { env: new Map(), terraform: new Map() }

  constructor(context: ReadContext, seen = new Set<string>()) {
    this.#context = context
    this.#seen = seen
    this.#findings = context.findings
  }

  /** For the files of another directory, given by its real path, with the same limits and findings. */
  elsewhere(root: string): Documents {
    const rule = this.#context.rule.elsewhere(root)
    return new Documents({ ...this.#context, root, rule, isElsewhere: true }, this.#seen)
  }

  /**
   * `source` is where the path is written, if anywhere; `shown` its name in messages. A file is read once, even if several links
   * lead to it.
   */
  read(
    path: string,
    form: Form,
    source?: SourceRange,
    shown = shownPath(this.#context.root, path),
  ): DocumentFile | undefined {
    const file = this.#open(path, shown, 'document')
    if (!('bytes' in file)) {
      this.failures++
      this.#findings.error(...file, source ?? startOf(shown))
      return undefined
    }
    if (this.#seen.has(file.real)) return undefined
    this.#seen.add(file.real)
    this.count++
    this.bytes += file.bytes.length
    const isWithin = this.#context.budget.take(file.bytes.length, startOf(shown))
    const document = isWithin ? documentIn(shown, file.bytes, form, this.#findings) : undefined
    if (document === undefined) this.failures++
    return document
  }

  /** The paths of `file:` are relative to the file that contains them. */
  reading(path: string, file: SourceFile): Reading {
    const base = dirname(path)
    return {
      file,
      findings: this.#findings,
      keys: this.#keys,
      leavesCode: this.#context.leavesCode === true,
      textOf: (name, source) => this.#text(base, name, source),
    }
  }

  #open(path: string, shown: string, use: 'document' | 'text'): FileContent | Wording {
    const { root, rule, limits } = this.#context
    const result = readInside(root, path, limits.fileBytes)
    if ('problem' in result) return this.#wording(result.problem, shown)
    return rule[use](result.real, shown) ?? result
  }

  #text(base: string, name: string, source: SourceRange): string | undefined {
    const { budget } = this.#context
    if (budget.isSpent) return undefined
    const shown = QUOTABLE.test(name) ? name : '…'
    const path = resolve(base, name)
    const known = isAbsolute(name)
      ? this.#wording('outside', shown)
      : (this.#texts.get(path) ?? this.#textIn(path, shown))
    if (!isAbsolute(name)) this.#texts.set(path, known)
    if (typeof known === 'string') return budget.take(known.length, source) ? known : undefined
    this.#findings.error(...known, source)
    return undefined
  }

  /** A text, or why there is none. */
  #textIn(path: string, shown: string): string | Wording {
    const file = this.#open(path, shown, 'text')
    if (!('bytes' in file)) return file
    const text = decode(file.bytes)
    if (text === undefined || text.includes('\0'))
      return ['unreadable-file', `"${shown}" is not UTF-8 text.`, 'Encode binary content as base64.']
    checkConflicts(sourceFile(shownPath(this.#context.root, file.real), text), this.#findings)
    return text
  }

  #wording(problem: ReadProblem, name: string): Wording {
    const { fileBytes } = this.#context.limits
    switch (problem) {
      case 'outside':
        return this.#context.isElsewhere === true
          ? [
              'outside-repository',
              `"${name}" is outside its directory.`,
              'Copy the file into that directory.',
            ]
          : ['outside-repository', `"${name}" is outside the repository.`, INSIDE]
      case 'too-large':
        return ['file-limit', `"${name}" is larger than ${fileBytes} bytes.`, raise('file-bytes')]
      case 'missing':
        return ['unreadable-file', `The file "${name}" does not exist.`, RELATIVE]
      case 'not-a-file':
        return ['unreadable-file', `"${name}" is not a regular file.`, 'Use a regular file.']
      case 'unreadable':
        return ['unreadable-file', `The file "${name}" cannot be read.`, 'Check its permissions.']
    }
  }
}

/** A document from its bytes, with the mistakes that it shows by itself. `undefined` if it is empty or cannot be parsed. */
export function documentIn(
  path: string,
  bytes: Uint8Array,
  form: Form,
  findings: Findings,
): DocumentFile | undefined {
  const file = textOfFile(path, bytes, findings)
  if (file === undefined) return undefined
  const before = findings.count
  const tree = parseFile(file, findings)
  if (findings.count === before && tree === undefined)
    findings.error(
      'missing-key',
      'The file is empty.',
      `Add at least one of these keys: ${form.keys.join(', ')}.`,
      file.at(0),
    )
  if (tree === undefined) return undefined
  checkKeys(tree, file, findings)
  checkForm(tree, form, file, findings)
  return { file, tree }
}

/** Anything longer may be the content of a file, written in place of its path. */
const QUOTABLE = /^.{1,200}$/

const RELATIVE = 'A path starts at the directory of the file that names it.'
const INSIDE = `Copy the file into the Git repository. ${RELATIVE}`
