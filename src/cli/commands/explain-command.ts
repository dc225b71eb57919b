import { explanationJson, explanationMarkdown, explanationText } from '../../report/explanation-report.ts'
import { type ExplainResult, explain } from '../../run/commands/explain.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { Run } from '../command.ts'
import { type CommandContext, layoutOf } from '../io.ts'

/** Explains what one workspace receives and from which set, or what one Stack may read, or who receives one key. */
export const run: Run = async (io, written) => {
  io.stdout.write(textOf(io, await explain(io, written)))
  return EXIT.done
}

function textOf(io: CommandContext, { explanation, reads }: ExplainResult): string {
  if (io.options.format === 'json') return explanationJson(explanation)
  if (io.options.format === 'markdown') return explanationMarkdown(explanation)
  return explanationText(explanation, reads, { ...layoutOf(io), verbose: io.options.verbose })
}
