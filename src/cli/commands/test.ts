import { dirname, resolve } from 'node:path'
import { loadCases } from '../../config/cases.ts'
import { ruleTestsJson, ruleTestsText } from '../../report/rule-tests.ts'
import { testRules } from '../../run/test-rules.ts'
import { EXIT, type Run } from '../command.ts'
import { sayDiagnostics, wantsColor } from '../io.ts'
import { loadOptions } from '../load.ts'

/** Runs the cases of rules: of the directories that are named, or of `rules` beside the configuration. Needs no service. */
export const run: Run = async (io, options, first, _, others = []) => {
  const beside = dirname(resolve(options.directory, options.config ?? 'setpoint.yaml'))
  const named = first === undefined ? [] : [first, ...others]
  const directories =
    named.length === 0
      ? [{ path: resolve(beside, 'rules'), shown: 'rules' }]
      : named.map(shown => ({ path: resolve(options.directory, shown), shown }))
  const loaded = await loadCases(loadOptions(io, options), directories)
  const tested = loaded.value && (await testRules(loaded.value.rules, loaded.value.cases))
  sayDiagnostics(io, options, [...loaded.diagnostics, ...(tested?.diagnostics ?? [])])
  if (tested?.value === undefined) return EXIT.error
  const result = io.redactor.in(tested.value)
  io.stdout.write(
    options.format === 'json'
      ? ruleTestsJson(result)
      : ruleTestsText(result, {
          color: options.color ?? wantsColor(io, io.stdout),
          width: io.stdout.columns,
          fits: io.stdout.terminal,
        }),
  )
  return result.cases.every(({ passed }) => passed) ? EXIT.done : EXIT.error
}
