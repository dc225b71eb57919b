import type { Diagnostic } from '../model/diagnostic.ts'
import { annotations, diagnosticsText } from '../report/diagnostics.ts'
import { type Io, wantsColor } from './io.ts'
import type { Options } from './options.ts'

/**
 * Diagnostics go to stderr, errors and warnings alike: stdout carries the result and nothing else. In a job of GitHub
 * Actions they are annotated as well.
 */
export function sayDiagnostics(
  io: Io,
  { color, quiet = false }: Pick<Options, 'color'> & Partial<Pick<Options, 'quiet'>>,
  diagnostics: readonly Diagnostic[],
): void {
  const all = io.redactor.in(diagnostics)
  io.hear?.(all)
  const said = quiet ? all.filter(({ severity }) => severity === 'error') : all
  if (said.length === 0) return
  io.stderr.write(diagnosticsText(said, { color: color ?? wantsColor(io, io.stderr) }))
  annotate(io, said)
}

/** Beside the lines of the files, and on the page of the run: GitHub's runner takes it from either stream. */
export function annotate(io: Io, diagnostics: readonly Diagnostic[]): void {
  if (io.env.GITHUB_ACTIONS === 'true') io.stderr.write(annotations(io.redactor.in(diagnostics)))
}

/** A failure of the world: one line, from the error's own words. */
export function sayFailure(io: Io, options: Pick<Options, 'color'>, message: string, hint?: string): void {
  sayDiagnostics(io, options, [
    { severity: 'error', code: 'service-failure', message, ...(hint === undefined ? {} : { hint }) },
  ])
}
