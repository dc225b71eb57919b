import { dirname, resolve } from 'node:path'
import { loadCases } from '../../config/cases.ts'
import { failedCases, ruleTestsJson, ruleTestsText } from '../../report/rule-tests.ts'
import { testRules } from '../../run/test-rules.ts'
import { EXIT, type Run, required } from '../command.ts'
import { annotate, layoutOf } from '../io.ts'
import { loadOptions } from '../load.ts'

/** Runs the cases of rules: of the directories that are named, or of `rules` beside the configuration. Needs no service. */
export const run: Run = async (io, first, _, others = []) => {
  const beside = dirname(resolve(io.cwd, io.options.config ?? 'setpoint.yaml'))
  const named = first === undefined ? [] : [first, ...others]
  const directories =
    named.length === 0
      ? [{ path: resolve(beside, 'rules'), shown: 'rules' }]
      : named.map(shown => ({ path: resolve(io.cwd, shown), shown }))
  const { rules, cases } = required(io, await loadCases(loadOptions(io), directories))
  const tested = required(io, { value: undefined, ...(await testRules(rules, cases)) })
  const result = io.redactor.in(tested)
  io.stdout.write(io.options.format === 'json' ? ruleTestsJson(result) : ruleTestsText(result, layoutOf(io)))
  // The output names them as well.
  const failed = failedCases(result)
  io.hear?.(failed)
  annotate(io, failed)
  return failed.length === 0 ? EXIT.done : EXIT.error
}
