import { loadDesired } from '../../config/load.ts'
import { resolvedYaml } from '../../config/write.ts'
import { hasErrors, sortDiagnostics } from '../../model/diagnostic.ts'
import { toJson } from '../../model/json.ts'
import { plural } from '../../model/lists.ts'
import { type Validation, validationOf } from '../../report/diagnostics.ts'
import { checkRules } from '../../run/rules.ts'
import { EXIT, misuse, type Run } from '../command.ts'
import { annotate, sayDiagnostics } from '../io.ts'
import { loadOptions } from '../load.ts'

/**
 * Reports every mistake at once, on stderr. Prints one line on stdout, or the sets with their bases merged in. As JSON, both
 * are one document on stdout, even if the files are invalid.
 */
export const run: Run = async io => {
  const isData = io.options.format === 'json'
  if (isData && io.options.resolved)
    misuse(io, '--resolved cannot be combined with --format json.', 'Use one of the two.')
  const loaded = await loadDesired(loadOptions(io))
  const diagnostics = sortDiagnostics([...loaded.diagnostics, ...(await checkRules(loaded.rules))])
  const value = hasErrors(diagnostics) ? undefined : loaded.value
  const { accepted } = loaded
  const validation = io.redactor.in(validationOf(value, diagnostics, accepted))
  io.validated?.(validation)
  if (isData) {
    annotate(io, diagnostics)
    io.stdout.write(toJson(validation))
  } else {
    sayDiagnostics(io, diagnostics)
    if (value !== undefined && io.options.resolved) io.stdout.write(resolvedYaml(value))
    else if (value !== undefined && !io.options.quiet) io.stdout.write(summary(validation))
  }
  return value === undefined ? EXIT.error : EXIT.done
}

const summary = ({ sets = 0, variables = 0, files = 0, accepted = 0 }: Validation): string =>
  `Valid: ${plural(sets, 'set')}, ${plural(variables, 'variable')} in ${plural(files, 'file')}.${accepted === 0 ? '' : ` ${plural(accepted, 'warning')} accepted.`}\n`
