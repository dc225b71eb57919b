import { resolve } from 'node:path'
import { tokenFiles } from '../../api/tokens.ts'
import { type LoadOptions, loadDesired } from '../../config/load.ts'
import { hasErrors, sortDiagnostics } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import { checkRules } from '../rule-judge.ts'
import { required } from './ending.ts'
import type { RunContext } from './run-context.ts'
import { tokenPlaces } from './token-directory.ts'

/** Whether a command says warnings of the files: those that check them, show what they are to change, or write them. */
export type FileWarnings = 'told' | 'left out'

/** The files. Every mistake is reported and ends the command; warnings do not. */
export async function loadFiles(
  context: RunContext,
  warnings: FileWarnings = 'left out',
): Promise<DesiredState> {
  const { value, diagnostics, rules } = await loadDesired({ ...loadOptions(context), leavesCode: true })
  // Without a mistake, the expressions of rules are checked where a plan needs them.
  const mistakes = hasErrors(diagnostics) ? await checkRules(rules) : []
  const isTold = warnings === 'told' || value === undefined
  const found = isTold ? diagnostics : diagnostics.filter(one => hasErrors([one]))
  return required(context, { value, diagnostics: sortDiagnostics([...found, ...mistakes]) })
}

export const loadOptions = (context: RunContext): LoadOptions => ({
  directory: context.cwd,
  config: context.options.config,
  organization: context.env.SETPOINT_ORGANIZATION || undefined,
  limits: context.options.limits,
  environment: context.env,
  secretPlaces: secretPlaces(context),
  rules: context.options.rules.map(shown => ({ path: resolve(context.cwd, shown), shown })),
})

/** The source of `--secrets`, and the files that may contain a token. */
function secretPlaces(context: RunContext): string[] {
  const { secrets = '-' } = context.options
  return [...(secrets === '-' ? [] : [resolve(context.cwd, secrets)]), ...tokenFiles(tokenPlaces(context))]
}
