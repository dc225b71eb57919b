import { resolve } from 'node:path'
import { tokenFiles } from '../../api/tokens.ts'
import { type LoadOptions, loadDesired } from '../../config/load.ts'
import { hasErrors, sortDiagnostics } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import { checkRules } from '../rule-judge.ts'
import type { Run } from '../run.ts'
import { required } from './ending.ts'
import { tokenPlaces } from './token-directory.ts'

/** Whether a command says warnings of the files: those that check them, show what they are to change, or write them. */
export type FileWarnings = 'told' | 'left out'

/** The files. Every mistake is reported and ends the command; warnings do not. */
export async function loadFiles(run: Run, warnings: FileWarnings = 'left out'): Promise<DesiredState> {
  const { value, diagnostics, rules } = await loadDesired({ ...loadOptions(run), leavesCode: true })
  // Without a mistake, the expressions of rules are checked where a plan needs them.
  const mistakes = hasErrors(diagnostics) ? await checkRules(rules) : []
  const isTold = warnings === 'told' || value === undefined
  const found = isTold ? diagnostics : diagnostics.filter(one => hasErrors([one]))
  return required(run, { value, diagnostics: sortDiagnostics([...found, ...mistakes]) })
}

export const loadOptions = (run: Run): LoadOptions => ({
  directory: run.cwd,
  config: run.options.config,
  organization: run.env.SETPOINT_ORGANIZATION || undefined,
  limits: run.options.limits,
  environment: run.env,
  secretPlaces: secretPlaces(run),
  rules: run.options.rules.map(shown => ({ path: resolve(run.cwd, shown), shown })),
})

/** The source of `--secrets`, and the files that may contain a token. */
function secretPlaces(run: Run): string[] {
  const { secrets = '-' } = run.options
  return [...(secrets === '-' ? [] : [resolve(run.cwd, secrets)]), ...tokenFiles(tokenPlaces(run))]
}
