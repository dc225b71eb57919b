import type { Findings } from '../model/findings.ts'
import { type SourceFile, sourceFile } from './source-file.ts'

/**
 * Bytes of a configuration file as text: UTF-8, a byte order mark and CRLF accepted, no control characters, no
 * conflict markers (docs/fault-model.md F-61, F-69). `undefined` where it cannot be read on. Messages quote nothing.
 */
export function textOfFile(path: string, bytes: Uint8Array, findings: Findings): SourceFile | undefined {
  const text = decode(bytes)
  if (text === undefined) {
    const file = sourceFile(path, new TextDecoder().decode(bytes))
    findings.error(
      'yaml-syntax',
      file.at(firstBadCharacter(bytes)),
      'the file is not valid UTF-8 from here on',
      'Save it as UTF-8.',
    )
    return undefined
  }
  const file = sourceFile(path, text)
  const control = findControl(text)
  if (control >= 0) {
    const code = text.charCodeAt(control).toString(16).toUpperCase().padStart(4, '0')
    findings.error(
      'yaml-syntax',
      file.at(control),
      `the control character U+${code} may not stand in a file`,
      'In a value, write it as an escape in double quotes, such as "\\u001B". A lone carriage return is not a line end.',
    )
    return undefined
  }
  const marker = findConflict(text)
  if (marker >= 0) {
    findings.error(
      'yaml-syntax',
      file.at(marker),
      'a merge conflict is not resolved here',
      'Resolve it and remove the lines of `<<<<<<<`, `=======` and `>>>>>>>`.',
    )
    return undefined
  }
  return file
}

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** Strict UTF-8 without its byte order mark; `undefined` where it is not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes)
  } catch {
    return undefined
  }
}

/** Offset, in the lenient decoding, of the first character that is not UTF-8. */
function firstBadCharacter(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length
  // A cut inside a character is not an error yet: `stream` waits for the rest.
  while (good + 1 < bad) {
    const middle = (good + bad) >>> 1
    if (startsValid(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return new TextDecoder().decode(bytes.subarray(0, good), { stream: true }).length
}

function startsValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Anything below a space but tabs and line ends. */
const CONTROL = /[^\t\n\r -\uffff]|\r(?!\n)/

const findControl = (text: string): number => text.search(CONTROL)

/** At the start of a line nothing else in a map looks like this: a value's lines are indented. */
function findConflict(text: string): number {
  for (const marker of ['<<<<<<<', '>>>>>>>']) {
    if (text.startsWith(marker)) return 0
    const at = text.indexOf(`\n${marker}`)
    if (at >= 0) return at + 1
  }
  return -1
}
