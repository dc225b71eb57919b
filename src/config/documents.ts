import { dirname, isAbsolute, resolve } from 'node:path'
import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings, Wording } from '../model/findings.ts'
import { checkForm } from './form.ts'
import type { Form } from './forms.ts'
import { checkKeys } from './keys.ts'
import type { Limits } from './limits.ts'
import type { Parsed } from './parse.ts'
import { readPlainBlocks } from './plain-blocks.ts'
import { type ReadResult, type ReadRule, RealPaths, readInside, shownPath } from './read.ts'
import { checkConflicts, decode, type SourceFile, sourceFile, textOfFile } from './source-file.ts'
import type { Node } from './tree.ts'
import type { KnownKeys, Reading } from './variables.ts'

/** A file that was read and parsed. */
export interface DocumentFile {
  readonly file: SourceFile
  readonly tree: Node
  /** Trees of further YAML documents, which are errors. */
  readonly further: readonly Node[]
}

/** With `whole`, every file goes through the YAML package. Tests use it to show that both readers give the same trees. */
export type Parser = 'plain-first' | 'whole'

interface DocumentsOptions {
  readonly root: string
  readonly rule: ReadRule
  readonly limits: Limits
  readonly findings: Findings
}

/** Reads documents within the limits, and reports the mistakes that each file shows by itself. */
export class Documents {
  /** Documents so far, valid or not. */
  count = 0
  /** Documents that gave no tree. */
  failures = 0
  /** Bytes of all files so far. */
  bytes = 0
  readonly #root: string
  readonly #rule: ReadRule
  readonly #limits: Limits
  readonly #findings: Findings
  readonly #parser: Parser
  readonly #realPaths = new RealPaths()
  readonly #realOf = (path: string): string | undefined => this.#realPaths.of(path)
  /** Real paths of documents so far. */
  readonly #seen = new Set<string>()
  /** Contents of `file:` by path, or why a file is refused. Each file is read once, however many variables name it. */
  readonly #texts = new Map<string, string | Wording>()
  /** Characters of all values from `file:`. */
  #characters = 0
  readonly #keys: KnownKeys = { env: new Map(), terraform: new Map() }

  constructor({ root, rule, limits, findings }: DocumentsOptions, parser: Parser = 'plain-first') {
    this.#root = root
    this.#rule = rule
    this.#limits = limits
    this.#findings = findings
    this.#parser = parser
  }

  /**
   * `source` is where the path is written, if anywhere; `shown` its name in messages. A file is read once, even if several links
   * lead to it.
   */
  async read(
    path: string,
    form: Form,
    source?: SourceRange,
    shown = shownPath(this.#root, path),
  ): Promise<DocumentFile | undefined> {
    const result = readInside(this.#root, path, this.#limits.fileBytes, this.#realOf)
    if ('problem' in result) {
      this.failures++
      this.#report(result.problem, shown, source ?? { path: shown, line: 1, column: 1 })
      return undefined
    }
    if (this.#seen.has(result.real)) return undefined
    this.#seen.add(result.real)
    const refusal = this.#rule.document(result.real, shown)
    if (refusal !== undefined) {
      this.failures++
      this.#say(refusal, source ?? { path: shown, line: 1, column: 1 })
      return undefined
    }
    this.count++
    const document = this.#isWithinTotal(result.bytes, shown)
      ? await this.#document(shown, result.bytes, form)
      : undefined
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
      textOf: (name, source) => this.#text(base, name, source),
    }
  }

  /** Whether a `file:` names this path. */
  isValue(path: string): boolean {
    return this.#texts.has(path)
  }

  async #document(shown: string, bytes: Uint8Array, form: Form): Promise<DocumentFile | undefined> {
    const file = textOfFile(shown, bytes, this.#findings)
    if (file === undefined) return undefined
    const before = this.#findings.count
    const plain = this.#plainTree(file.text)
    const parsed = plain ? { tree: plain, further: [] } : await this.#parsed(file)
    if (parsed === undefined) {
      if (this.#findings.count === before)
        this.#findings.error(
          'missing-key',
          file.at(0),
          'The file is empty.',
          `Add at least one of these keys: ${form.keys.join(', ')}.`,
        )
      return undefined
    }
    const { tree, further } = parsed
    for (const one of [tree, ...further]) {
      checkKeys(one, file, this.#findings)
      checkForm(one, form, file, this.#findings)
    }
    return { file, tree, further }
  }

  #plainTree(text: string): Node | undefined {
    return this.#parser === 'whole' ? undefined : readPlainBlocks(text, this.#limits)
  }

  /** Imported only when needed: loading the parser takes longer than reading most files. */
  async #parsed(file: SourceFile): Promise<Parsed | undefined> {
    const { parseFile } = await import('./parse.ts')
    return parseFile(file, this.#limits, this.#findings)
  }

  #text(base: string, name: string, source: SourceRange): string | undefined {
    const shown = QUOTABLE.test(name) ? name : '…'
    if (isAbsolute(name)) {
      this.#report('outside', shown, source)
      return undefined
    }
    const path = resolve(base, name)
    const known = this.#texts.get(path) ?? this.#textIn(path, shown)
    if (known === undefined) return undefined
    this.#texts.set(path, known)
    if (typeof known === 'string') return this.#isWithinValues(known, source) ? known : undefined
    this.#say(known, source)
    return undefined
  }

  /** A text, or why there is none; `undefined` past the limit of all files, which is reported once. */
  #textIn(path: string, shown: string): string | Wording | undefined {
    const result = readInside(this.#root, path, this.#limits.fileBytes, this.#realOf)
    if ('problem' in result) return this.#wording(result.problem, shown)
    const refusal = this.#rule.text(result.real, shown)
    if (refusal !== undefined) return refusal
    if (!this.#isWithinTotal(result.bytes, shown)) return undefined
    const text = decode(result.bytes)
    if (text !== undefined && !text.includes('\0')) {
      checkConflicts(sourceFile(shownPath(this.#root, result.real), text), this.#findings)
      return text
    }
    return ['unreadable-file', `"${shown}" is not UTF-8 text.`, 'Encode binary content as base64.']
  }

  /** A long file that many variables name would make a huge plan. */
  #isWithinValues(text: string, source: SourceRange): boolean {
    const most = this.#limits.valueCharacters
    const before = this.#characters
    this.#characters += text.length
    if (this.#characters <= most) return true
    if (before <= most)
      this.#findings.error(
        'file-limit',
        source,
        `The values from \`file:\` have more than ${most} characters in total.`,
        raise('value-characters'),
      )
    return false
  }

  #isWithinTotal(bytes: Uint8Array, shown: string): boolean {
    const before = this.bytes
    this.bytes += bytes.length
    if (this.bytes <= this.#limits.totalBytes) return true
    // Reported once, not for every further file.
    if (before <= this.#limits.totalBytes)
      this.#findings.error(
        'file-limit',
        { path: shown, line: 1, column: 1 },
        `The files are larger than ${this.#limits.totalBytes} bytes in total.`,
        raise('total-bytes'),
      )
    return false
  }

  #report(problem: ReadProblem, name: string, source: SourceRange): void {
    this.#say(this.#wording(problem, name), source)
  }

  #say([code, message, hint]: Wording, source: SourceRange): void {
    this.#findings.error(code, source, message, hint)
  }

  #wording(problem: ReadProblem, name: string): Wording {
    switch (problem) {
      case 'outside':
        return ['outside-repository', `"${name}" is outside the repository.`, INSIDE]
      case 'too-large':
        return [
          'file-limit',
          `"${name}" is larger than ${this.#limits.fileBytes} bytes.`,
          raise('file-bytes'),
        ]
      case 'missing':
        return ['unreadable-file', `The file "${name}" does not exist.`]
      case 'not-a-file':
        return ['unreadable-file', `"${name}" is not a regular file.`]
      case 'unreadable':
        return ['unreadable-file', `The file "${name}" cannot be read.`]
    }
  }
}

/** Anything longer may be the content of a file, written in place of its path. */
const QUOTABLE = /^.{1,200}$/

type ReadProblem = Extract<ReadResult, { problem: string }>['problem']

const INSIDE = 'Copy the file into the Git repository, or use a relative path.'

const raise = (limit: string): string => `To raise the limit, pass \`--limit ${limit}=NUMBER\`.`
