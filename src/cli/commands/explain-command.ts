import { explanationDoc, explanationJson } from '../../report/explanation-doc.ts'
import { markdownOf } from '../../report/print-markdown.ts'
import { textOf } from '../../report/print-text.ts'
import { type ExplainResult, explain } from '../../run/commands/explain.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { CommandRun } from '../command.ts'
import { type CommandContext, layoutOf } from '../io.ts'

/** Explains what one workspace receives and from which set, or what one Stack may read, or who receives one key. */
export const run: CommandRun = async (io, written) => {
  io.stdout.write(printed(io, await explain(io, written)))
  return EXIT.done
}

function printed(io: CommandContext, { explanation, reads }: ExplainResult): string {
  const { format, verbose } = io.options
  if (format === 'json') return explanationJson(explanation)
  if (format === 'markdown') return markdownOf(explanationDoc(explanation, reads), {})
  return textOf(explanationDoc(explanation, reads, verbose), { width: 80, ...layoutOf(io) })
}
