/**
 * Setpoint as a library: the commands `validate`, `plan`, `apply`, `drift`, `affected`, `explain` and `test` as functions
 * (docs/library.md). The sandbox is `setpoint/sandbox`.
 *
 * Each function runs the command itself, with values in place of flags and data in place of streams, so it keeps every promise of
 * the command line.
 */

import { EXIT, type Run, runCommand } from '../cli/command.ts'
import { run as runAffected } from '../cli/commands/affected.ts'
import { run as runApply } from '../cli/commands/apply.ts'
import { run as runDrift } from '../cli/commands/drift.ts'
import { run as runExplain } from '../cli/commands/explain.ts'
import { run as runPlan } from '../cli/commands/plan.ts'
import { run as runTest } from '../cli/commands/test.ts'
import { run as runValidate } from '../cli/commands/validate.ts'
import { type Call, sayDiagnostics } from '../cli/io.ts'
import { isSeveral } from '../cli/options.ts'
import { redactedPlan, renderFor } from '../cli/publish.ts'
import { mistake } from '../model/diagnostic.ts'
import { savedPlan } from '../plan/reviewed.ts'
import type { SingleReport } from '../report/view.ts'
import { type Setting, settingFor } from './setting.ts'
import type {
  AffectedInput,
  AffectedOutput,
  ApplyInput,
  ApplyOutput,
  DriftInput,
  DriftOutput,
  ExplainInput,
  ExplainOutput,
  PlanInput,
  PlanOutput,
  TestInput,
  TestOutput,
  ValidateInput,
  ValidateOutput,
} from './types.ts'

export type { Diagnostic, DiagnosticCode, SourceRange } from '../model/diagnostic.ts'
export type { Operation, OperationType, Subject } from '../plan/operation.ts'
export type { AffectedDocument } from '../report/affected.ts'
export type { Validation } from '../report/diagnostics.ts'
export type { ExplanationDocument } from '../report/explanation.ts'
export type { Format } from '../report/formats.ts'
export type { ApplyReport, DriftReport, PlanReport } from '../report/json.ts'
export type { RuleTestsDocument } from '../report/rule-tests.ts'
export type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
export { TransportError } from '../wire/transport.ts'
export type * from './types.ts'

/**
 * Checks the files without connecting to the service.
 *
 * Throws a `TypeError` if the call itself is wrong. Every mistake in the files is a diagnostic.
 */
export async function validate(input: ValidateInput = {}): Promise<ValidateOutput> {
  const setting = settingFor('validate', input)
  const output = await runToEnd(setting, runValidate)
  const report = setting.found.validation
  return report === undefined ? output : { ...output, report }
}

/**
 * Runs the cases of rules, each a change and the rules that it should violate. Needs no service. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A failed case is in the report and a diagnostic, with the exit code 1.
 */
export async function test(input: TestInput = {}): Promise<TestOutput> {
  const [first, ...others] = input.directories ?? []
  const setting = settingFor('test', input)
  return await runAsJson(setting, io => runTest(io, first, noProgram, others))
}

/**
 * Shows the changes that an apply would make. Never writes to the service.
 *
 * Throws a `TypeError` if the call itself is wrong. Mistakes in the files, a rejected token and an unreachable service are
 * diagnostics, with the exit code 1 and no `report`.
 */
export async function plan(input: PlanInput = {}): Promise<PlanOutput> {
  const setting = settingFor('plan', input)
  const output = await runToEnd(setting, runPlan)
  const { report } = setting.found
  if (report?.kind !== 'plan') return output
  const text = savedPlan(redactedPlan(setting.io, report.plan))
  return { ...output, report: jsonOf(setting, report), savedPlan: text }
}

/**
 * Makes the service match the files, after consent by `autoApprove`, `approve` or `reviewed`. Without consent the exit code is 4.
 *
 * Throws a `TypeError` if the call itself is wrong. A failed step is an outcome in `report.results`. Success is reported only
 * after it was verified by reading the service back.
 */
export async function apply(input: ApplyInput = {}): Promise<ApplyOutput> {
  const setting = settingFor('apply', input)
  const output = await runToEnd(setting, runApply, input.reviewed === undefined ? undefined : 'reviewed')
  const { report } = setting.found
  if (report?.kind !== 'plan' && report?.kind !== 'apply') return output
  return { ...output, report: jsonOf(setting, report) }
}

/**
 * Checks for drift. The exit code is 2 if the service differs from the files.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function drift(input: DriftInput = {}): Promise<DriftOutput> {
  const setting = settingFor('drift', input)
  const output = await runToEnd(setting, runDrift)
  const { report } = setting.found
  return report?.kind === 'drift' ? { ...output, report: jsonOf(setting, report) } : output
}

/**
 * Lists who gets other values from an apply: of the plan of the moment, or of `savedPlan`. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function affected(input: AffectedInput = {}): Promise<AffectedOutput> {
  const setting = settingFor('affected', input)
  return await runAsJson(setting, runAffected, input.savedPlan === undefined ? undefined : 'savedPlan')
}

/**
 * Explains which variables a workspace receives and from which set, or which sets a Stack may read. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A name that does not exist is a diagnostic.
 */
export async function explain(input: ExplainInput): Promise<ExplainOutput> {
  return await runAsJson(settingFor('explain', input), runExplain, input.workspace)
}

/** Runs a command that prints one document. */
async function runAsJson(setting: Setting, run: Run, argument?: string) {
  const asJson: Run = (io, ...rest) => run({ ...io, options: { ...io.options, format: 'json' } }, ...rest)
  const output = await runToEnd(setting, asJson, argument)
  return output.output === '' ? output : { ...output, report: JSON.parse(output.output) }
}

/** Runs a command. The diagnostics of the run and of its report are in one list. */
async function runToEnd(setting: Setting, run: Run, argument?: string) {
  const { io } = setting
  try {
    const exitCode = isOne(io) ? await runCommand(run, io, argument, noProgram) : EXIT.error
    const { report } = setting.found
    const warnings =
      report === undefined || report.kind === 'apply' || report.kind === 'failure'
        ? []
        : report.plan.diagnostics
    const diagnostics = [...setting.diagnostics, ...io.redactor.in(warnings)]
    return { exitCode, diagnostics, output: setting.output.join('') }
  } finally {
    setting.end()
  }
}

/** The published form of a report, as data: what a program reads from `--format json`. */
const jsonOf = ({ io }: Setting, report: SingleReport) => JSON.parse(renderFor(io, 'json', report))

function isOne(io: Call): boolean {
  const one = !isSeveral(io.options.config, undefined)
  if (!one) sayDiagnostics(io, [ONE_CONFIGURATION])
  return one
}

const ONE_CONFIGURATION = mistake(
  'bad-usage',
  'A call handles one configuration, but "config" is a pattern.',
  'Call it once for each configuration.',
)

/** Only the demo runs other commands. */
const noProgram = (): Promise<number> => Promise.resolve(EXIT.error)
