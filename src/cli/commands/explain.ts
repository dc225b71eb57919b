import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Explanation, Moment } from '../../plan/effective/explanation.ts'
import { explanationJson, explanationMarkdown, explanationText } from '../../report/explanation.ts'
import { explainWorkspace } from '../../run/explain.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { type Io, wantsColor } from '../io.ts'
import type { Options } from '../options.ts'
import { sayDiagnostics } from '../say.ts'
import { withService } from '../with-service.ts'

/** What one workspace receives, and from where. Reads and nothing else. */
export const run: Run = async (io, options, workspace) => {
  if (workspace === undefined) {
    sayDiagnostics(io, options, [NO_WORKSPACE])
    return EXIT.error
  }
  return await withService(io, options, async ({ desired, service }) => {
    const { value, diagnostics } = await explainWorkspace(
      desired,
      service,
      workspace,
      momentOf(options.from),
      io.stop,
    )
    sayDiagnostics(io, options, diagnostics)
    if (value === undefined) return EXIT.error
    io.stdout.write(textOf(io, options, io.redactor.in(value), service.requests().reads))
    return EXIT.done
  })
}

function textOf(io: Io, options: Options, explanation: Explanation, reads: number): string {
  if (options.format === 'json') return explanationJson(explanation)
  if (options.format === 'markdown') return explanationMarkdown(explanation)
  return explanationText(explanation, reads, {
    color: options.color ?? wantsColor(io, io.stdout),
    width: Math.max(40, Math.min(io.stdout.columns, 140)),
    fits: io.stdout.terminal,
  })
}

/** The parser lets nothing else through. */
const momentOf = (text: string): Moment => (text === 'files' || text === 'live' ? text : 'difference')

const NO_WORKSPACE: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'Which workspace?',
  hint: 'setpoint explain WORKSPACE, by name or id',
}
