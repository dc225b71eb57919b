import type { Diagnostic } from '../model/diagnostic.ts'
import { diagnosticsText } from './diagnostics.ts'
import { type RunInfo, runDocument } from './run-info.ts'

/** Why a command ended with an error or a refusal. */
export interface Failure {
  readonly command: ReportingCommand
  readonly exitCode: number
  /** The errors that were printed. Empty if a signal or a bug ended the run. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The report of a command that ended before it had anything else to report. */
export interface FailureReport extends Failure {
  readonly kind: 'failure'
  /** As far as the configuration says it. */
  readonly organization?: string
  readonly owner?: string
  readonly run?: RunInfo
}

export type ReportingCommand = 'plan' | 'apply' | 'drift'

export const HEADLINES: Readonly<Record<ReportingCommand, string>> = {
  plan: 'The plan failed',
  apply: 'Nothing was applied',
  drift: 'The check for drift failed',
}

/** The errors as they are printed, or the exit code if there are none. */
export const reasonText = ({ diagnostics, exitCode }: Failure): string =>
  diagnostics.length > 0
    ? diagnosticsText(diagnostics, { color: false })
    : `exit ${exitCode}: ${exitCode > 128 ? 'interrupted' : 'internal error'}\n`

export const failureText = (failure: FailureReport): string =>
  `${HEADLINES[failure.command]}${failure.organization === undefined ? '' : `: ${failure.organization}`}\n\n${reasonText(failure)}exit ${failure.exitCode}\n`

/** Version of `schemas/parts/failure.json`: new members raise the second number, breaking changes the first. */
const FAILURE_FORMAT = '1.0'

/** What `schemas/parts/failure.json` describes. */
export const failureDocument = (failure: FailureReport) => ({
  format: FAILURE_FORMAT,
  ...failure,
  run: runDocument(failure.run),
})

/** Without the numbers that GitLab requires, its widget says that the report failed. Zeros would look like no changes. */
export const failureGitlab = ({ diagnostics }: FailureReport): string =>
  `${JSON.stringify({ errors: diagnostics.map(({ code }) => code) })}\n`
