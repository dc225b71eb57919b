import type { Diagnostic } from '../model/diagnostic.ts'
import type { TypedCommand } from '../report/command-line.ts'
import { diagnosticsText } from '../report/diagnostics.ts'
import type { Options } from '../run/options.ts'
import type { Listener } from '../run/run.ts'
import { annotate, type CommandContext, type Io, type Printed, wantsColor } from './io.ts'
import { progressOf } from './progress.ts'
import { renderReport } from './publish.ts'

/** A run of a command that prints what it tells. */
export function contextOf(io: Io, options: Options, typed?: TypedCommand): CommandContext {
  return { ...io, options, typed, told: [], listener: printerOf(io, options) }
}

/** Prints what a run tells: reports on stdout, everything else on stderr. */
function printerOf(io: Io, options: Options): Listener {
  const { stdout, stderr } = io
  const call = { ...io, options }
  return {
    diagnostics: found => printDiagnostics(call, found),
    note: (text, kind) => {
      if ((kind !== 'usual' || !options.quiet) && (kind !== 'detail' || options.verbose)) stderr.write(text)
    },
    report: (report, links) => {
      // What a failure says in text is on stderr.
      if (report.kind !== 'failure' || options.format !== 'text')
        stdout.write(renderReport(call, options.format, report, links))
    },
    findings: found => annotate(call, found),
    progress: () => progressOf(io, options),
  }
}

/** Diagnostics go to stderr, because stdout contains only the result. GitHub Actions gets them as annotations too. */
function printDiagnostics(io: Printed, diagnostics: readonly Diagnostic[]): void {
  const { color, quiet } = io.options
  const said = quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics
  if (said.length === 0) return
  io.stderr.write(diagnosticsText(said, { color: color ?? wantsColor(io, io.stderr) }))
  annotate(io, said)
}
