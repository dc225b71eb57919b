/** A place in a file. `path` is relative to the repository's root; line and column count from 1. */
export interface SourceRange {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The first character of a file. */
export const startOf = (path: string): SourceRange => ({ path, line: 1, column: 1 })

/**
 * All diagnostic codes, under the headings of the reference. Stable and safe to match on: messages may be reworded, codes may
 * not.
 */
export const DIAGNOSTIC_CODES = {
  'Files and YAML': [
    'no-configuration',
    'unreadable-file',
    'file-limit',
    'yaml-syntax',
    'yaml-feature',
    'no-set-files',
    'outside-repository',
    'untracked-file',
    'secret-file',
  ],
  'Structure of a document': [
    'unknown-key',
    'misplaced-key',
    'missing-key',
    'wrong-type',
    'wrong-value',
    'null-value',
    'duplicate-key',
    'invalid-hcl',
    'service-limit',
    'literal-reference',
    'odd-text',
    'looks-like-a-secret',
  ],
  'Across documents': [
    'duplicate-set',
    'duplicate-target',
    'global-conflict',
    'global-with-assignments',
    'global-with-project',
    'unknown-base',
    'required-value',
    'empty-group',
    'removed-and-declared',
    'previous-name-declared',
    'not-owned',
    'owned-by-another',
    'moved-to-another',
    'reserved-name',
    'needs-owner',
  ],
  Rules: [
    'no-rules',
    'unknown-rule',
    'case-failed',
    'rule-expression',
    'rule-violated',
    'rule-failed',
    'rule-too-expensive',
  ],
  'Names and ids': [
    'unknown-name',
    'unknown-id',
    'ambiguous-name',
    'renamed-member',
    'no-look-up',
    'no-stacks',
    'no-projects',
    'no-project-sets',
    'unknown-audience',
  ],
  'Comparison with the live state': [
    'unknown-set-id',
    'ambiguous-set',
    'rename-both-exist',
    'probable-rename',
    'missing-inventory',
    'name-clash',
    'name-cycle',
    'foreign-set',
    'outside-project',
    'stored-otherwise',
    'not-sent',
    'hcl-of-secret',
    'unmatched-selection',
    'nothing-to-remove',
    'incomplete-listing',
    'left-behind',
    'behind-base',
    'unknown-base-commit',
    'broken-base',
    'needs-drift',
    'not-in-snapshot',
    'snapshot-age',
    'bad-snapshot',
    'readable-values',
    'no-permission',
  ],
  Exports: [
    'not-written',
    'file-exists',
    'owner-in-use',
    'second-configuration',
    'stale-schema',
    'state-format',
    'state-incomplete',
    'half-owned-set',
    'several-hosts',
  ],
  'Values and connection': [
    'missing-secret',
    'placeholder',
    'secret-syntax',
    'secret-white-space',
    'no-token',
    'bad-address',
    'service-failure',
    'refused',
    'bad-usage',
    'port-in-use',
    'organization-mismatch',
    'missing-organization',
    'unwritable-file',
  ],
} as const

export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[keyof typeof DIAGNOSTIC_CODES][number]

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
