import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import { diagnosticRow } from './diagnostics.ts'
import type { Doc, Row, Section } from './doc.ts'
import { name, type Phrase, present, say } from './phrase.ts'
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

const errorsSection = (diagnostics: readonly Diagnostic[]): Section => ({
  form: 'calls',
  rows: sortDiagnostics(diagnostics).map(diagnosticRow),
})

/** `exit 130: interrupted`; what the errors say is not said again. */
function exitRow({ diagnostics, exitCode }: Pick<Failure, 'diagnostics' | 'exitCode'>): Row {
  const why = diagnostics.length > 0 ? '' : `: ${exitCode > 128 ? 'interrupted' : 'internal error'}`
  return { cells: [[`exit ${exitCode}${why}`]] }
}

/** The errors, each with its place, and the exit code. */
export function failureDoc(failure: FailureReport): Doc {
  const { command, organization, owner, diagnostics } = failure
  const who =
    organization !== undefined && say`${name(organization)}${owner !== undefined && say`/${name(owner)}`}`
  return {
    command,
    about: present<Phrase>(who),
    headline: [HEADLINES[command]],
    tone: 'bad',
    sections: [errorsSection(diagnostics), { form: 'lines', rows: [exitRow(failure)] }],
  }
}

/** A report whose command ended with an error or a refusal: the reason stands first. */
export const failedDoc = (doc: Doc, failure: Failure): Doc => ({
  ...doc,
  headline: say`${HEADLINES[failure.command]}; ${failure.command === 'drift' ? 'found' : 'planned'}: ${doc.headline}`,
  tone: 'bad',
  sections: [
    errorsSection(failure.diagnostics),
    ...doc.sections,
    { form: 'lines', rows: [exitRow(failure)] },
  ],
})

/** With the reason, if the command ended otherwise than its report says. */
export const withReason = (
  doc: Doc,
  report: FailureReport | { readonly failure?: Failure } | undefined,
): Doc =>
  report === undefined || !('failure' in report) || report.failure === undefined
    ? doc
    : failedDoc(doc, report.failure)

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
