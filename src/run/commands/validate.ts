import { loadDesired } from '../../config/load.ts'
import { hasErrors, sortDiagnostics } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import { type Validation, validationOf } from '../../report/diagnostics.ts'
import { configurationOf, staleSchemas } from '../editor-schemas.ts'
import { checkRules } from '../rule-judge.ts'
import type { Run } from '../run.ts'
import { loadOptions } from './load-files.ts'

/** What the files say, or every mistake in them. */
interface Validated {
  readonly validation: Validation
  /** Absent if a diagnostic is an error. */
  readonly desired?: DesiredState
}

/** Checks the files without connecting to the service. Every mistake is in the result. */
export async function validate(run: Run): Promise<Validated> {
  const { value, accepted, ...loaded } = await loadDesired(loadOptions(run))
  const diagnostics = sortDiagnostics([
    ...loaded.diagnostics,
    ...(await checkRules(loaded.rules)),
    ...staleSchemas(configurationOf(run.cwd, run.options.config)),
  ])
  const desired = hasErrors(diagnostics) ? undefined : value
  const validation = run.redactor.in(validationOf(desired, diagnostics, accepted))
  return { validation, desired }
}
