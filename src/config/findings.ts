import type { Diagnostic, DiagnosticCode, SourceRange } from '../model/diagnostic.ts'

/** Code, message and hint of a finding whose place is known elsewhere. */
export type Wording = readonly [DiagnosticCode, string, (string | undefined)?]

/** Collects what is wrong, in any order; the loader sorts it at the end. */
export class Findings {
  readonly diagnostics: Diagnostic[] = []

  error(code: DiagnosticCode, source: SourceRange | undefined, message: string, hint?: string): void {
    this.#add('error', code, source, message, hint)
  }

  warning(code: DiagnosticCode, source: SourceRange | undefined, message: string, hint?: string): void {
    this.#add('warning', code, source, message, hint)
  }

  #add(
    severity: Diagnostic['severity'],
    code: DiagnosticCode,
    source: SourceRange | undefined,
    message: string,
    hint: string | undefined,
  ): void {
    this.diagnostics.push({
      severity,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(source === undefined ? {} : { source }),
    })
  }
}
