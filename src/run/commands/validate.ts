import { loadDesired } from '../../config/load.ts'
import { hasErrors, sortDiagnostics } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import { type Validation, validationOf } from '../../report/diagnostics.ts'
import { configurationOf, staleSchemas } from '../editor-schemas.ts'
import { checkRules } from '../rule-judge.ts'
import { loadOptions } from './load-files.ts'
import type { RunContext } from './run-context.ts'

/** What the files say, or every mistake in them. */
interface Validated {
  readonly validation: Validation
  /** Absent if a diagnostic is an error. */
  readonly desired?: DesiredState
}

/** Checks the files without connecting to the service. Every mistake is in the result. */
export async function validate(context: RunContext): Promise<Validated> {
  const { value, accepted, ...loaded } = await loadDesired(loadOptions(context))
  const diagnostics = sortDiagnostics([
    ...loaded.diagnostics,
    ...(await checkRules(loaded.rules)),
    ...staleSchemas(configurationOf(context.cwd, context.options.config)),
  ])
  const desired = hasErrors(diagnostics) ? undefined : value
  const validation = context.redactor.in(validationOf(desired, diagnostics, accepted))
  return { validation, desired }
}
