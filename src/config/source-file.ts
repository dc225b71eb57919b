import { LineCounter } from 'yaml'
import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'

/** The text of a file, and how to get from an offset to a line. */
export interface SourceFile {
  /** Relative to the repository's root, with `/`. */
  readonly path: string
  readonly text: string
  at(offset: number): SourceRange
}

export function sourceFile(path: string, text: string): SourceFile {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return {
    path,
    text,
    at(offset) {
      const { line, col: column } = lines.linePos(offset)
      return { path, line, column }
    },
  }
}

/**
 * The text of a configuration file: UTF-8, with or without a byte order mark and CRLF, without control characters and conflict
 * markers (docs/fault-model.md F-61, F-69). Control characters become blank, so that the rest can be checked; `undefined` if that
 * makes no sense, and after a conflict marker, which is the only mistake of its file. Messages quote nothing.
 */
export function textOfFile(path: string, bytes: Uint8Array, findings: Findings): SourceFile | undefined {
  const strict = decode(bytes)
  const file = sourceFile(path, strict ?? new TextDecoder().decode(bytes))
  const marker = MARKER.exec(file.text)
  if (marker !== null) {
    findings.error('yaml-syntax', ...CONFLICT, file.at(marker.index))
    return undefined
  }
  if (strict === undefined)
    findings.error(
      'yaml-syntax',
      'The file is not valid UTF-8 from here on.',
      'Save it as UTF-8.',
      file.at(firstBadCharacter(bytes)),
    )
  // A binary file or a file in UTF-16 is full of them. With other line endings, all of the file is one line.
  const isText = !file.text.includes('\0') && !/\r(?!\n)/.test(file.text)
  if (strict === undefined && !isText) return undefined
  const read = withoutControls(file, isText, findings)
  return isText ? read : undefined
}

/** Reports each line with one, and of a file that is no text the first. */
function withoutControls(file: SourceFile, isText: boolean, findings: Findings): SourceFile {
  if (!CONTROL.test(file.text)) return file
  const lines = new Set<number>()
  for (const { index, 0: control } of file.text.matchAll(CONTROLS)) {
    const source = file.at(index)
    if (lines.has(source.line)) continue
    if (!isText && lines.size > 0) break
    lines.add(source.line)
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    findings.error(
      'yaml-syntax',
      `A file cannot contain the control character U+${code}.`,
      control === '\r'
        ? 'A lone carriage return is not a line break: save the file with Unix or Windows line endings.'
        : 'In a value, write it as an escape in double quotes, such as "\\u001B".',
      source,
    )
  }
  return sourceFile(file.path, file.text.replace(CONTROLS, ' '))
}

/**
 * Checks the text of a value, which may be anything: only a marker as Git writes it counts. A row of `=` alone may underline a
 * heading.
 */
export function checkConflicts(file: SourceFile, findings: Findings): void {
  const marker = GIT_MARKER.exec(file.text)
  if (marker !== null) findings.error('yaml-syntax', ...CONFLICT, file.at(marker.index))
}

const CONFLICT = [
  'This merge conflict is not resolved.',
  'Resolve it, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.',
] as const

/** The text without its byte order mark; `undefined` if it is not valid UTF-8. With `stream`, it may end inside a character. */
export function decode(bytes: Uint8Array, stream = false): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}

/** The offset of the first invalid character in the lenient decoding. */
function firstBadCharacter(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length
  while (good + 1 < bad) {
    const middle = (good + bad) >>> 1
    if (decode(bytes.subarray(0, middle), true) === undefined) bad = middle
    else good = middle
  }
  return decode(bytes.subarray(0, good), true)?.length ?? 0
}

/** Anything below a space but tabs and line breaks. */
const CONTROL = /[^\t\n\r -\uffff]|\r(?!\n)/
const CONTROLS = new RegExp(CONTROL, 'g')

/** In a map, nothing else at the start of a line looks like a marker, because values are indented. */
const MARKER = /^(?:<{7}|>{7})/m
const GIT_MARKER = /^(?:<{7}|>{7}) \S/m
