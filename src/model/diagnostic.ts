import type { DiagnosticCode } from './codes.ts'

/** A place in a file. `path` is relative to the repository's root; line and column count from 1. */
export interface SourceRange {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The first character of a file. */
export const startOf = (path: string): SourceRange => ({ path, line: 1, column: 1 })

/** A mistake or warning that the user can act on. Collected, never thrown. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly code: DiagnosticCode
  /** What is wrong, in the user's words. May contain untrusted text, which every output neutralises. */
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  readonly source?: SourceRange
}

/** An error. */
export const mistake = (
  code: DiagnosticCode,
  message: string,
  hint?: string,
  source?: SourceRange,
): Diagnostic => ({ severity: 'error', code, message, hint, source })

export const warning = (...said: Parameters<typeof mistake>): Diagnostic => ({
  ...mistake(...said),
  severity: 'warning',
})

/** A value, or `undefined` if a diagnostic is an error that makes it meaningless. */
export interface Checked<T> {
  readonly value: T | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** No value, because of these. */
export const none = (...diagnostics: readonly Diagnostic[]): Checked<never> => ({
  value: undefined,
  diagnostics,
})

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(diagnostic => diagnostic.severity === 'error')

/** By place, then those without a place. Stable for equal places. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted((a, b) => {
    if (a.source === undefined || b.source === undefined)
      return Number(a.source === undefined) - Number(b.source === undefined)
    return (
      compareText(a.source.path, b.source.path) ||
      a.source.line - b.source.line ||
      a.source.column - b.source.column
    )
  })
}

/** By Unicode code point: `<` on strings compares UTF-16 units, which puts astral characters before U+E000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

/** Ranks surrogates after all other units, as the code points that they encode. */
const codePointRank = (unit: number): number =>
  unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000

/** A name as one word of a POSIX shell, behind its command. Names are untrusted, and users copy commands from hints. */
export const commandWord = (text: string): string =>
  /^[\w./:@%+-][\w./:@%+=-]*$/.test(text) ? text : shellQuoted(text)

/** In single quotes nothing means anything to a shell but the quote itself. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
