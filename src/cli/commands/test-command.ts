import { textOf } from '../../report/print-text.ts'
import { failedCases, ruleTestsDoc, ruleTestsJson } from '../../report/tests-doc.ts'
import { test } from '../../run/commands/test.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { CommandRun } from '../command.ts'
import { annotate, layoutOf } from '../io.ts'

/** Runs the cases of rules: of the directories that are named, or of `rules` beside the configuration. */
export const run: CommandRun = async (io, first, _, others = []) => {
  const result = await test(io, first === undefined ? [] : [first, ...others])
  io.stdout.write(
    io.options.format === 'json' ? ruleTestsJson(result) : textOf(ruleTestsDoc(result), layoutOf(io)),
  )
  // The output names them as well.
  const failed = failedCases(result)
  annotate(io, failed)
  return failed.length === 0 ? EXIT.done : EXIT.error
}
