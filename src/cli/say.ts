import type { Diagnostic } from '../model/diagnostic.ts'
import { diagnosticsText } from '../report/diagnostics.ts'
import { type Io, wantsColor } from './io.ts'
import type { Options } from './options.ts'

/** Diagnostics go to stderr, errors and warnings alike: stdout carries the result and nothing else. */
export function sayDiagnostics(
  io: Io,
  options: Pick<Options, 'color'>,
  diagnostics: readonly Diagnostic[],
): void {
  if (diagnostics.length === 0) return
  io.stderr.write(diagnosticsText(diagnostics, { color: options.color ?? wantsColor(io, io.stderr) }))
}

/** A failure of the world: one line, from the error's own words. */
export function sayFailure(io: Io, options: Pick<Options, 'color'>, message: string, hint?: string): void {
  sayDiagnostics(io, options, [
    { severity: 'error', code: 'service-failure', message, ...(hint === undefined ? {} : { hint }) },
  ])
}
