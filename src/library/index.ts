/**
 * Setpoint as a library: the commands `validate`, `plan`, `apply`, `drift`, `affected`, `explain`, `export` and `test` as functions
 * (docs/library.md). The sandbox is `setpoint/sandbox`.
 *
 * Each is the function that the command line calls, so it keeps every promise of the command line.
 */

import { exportFiles, exportText } from '../export/new-files.ts'
import { mistake } from '../model/diagnostic.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import { savedPlan } from '../plan/reviewed-plan.ts'
import { affectedJson } from '../report/affected-doc.ts'
import { type Validation, validationText } from '../report/diagnostics.ts'
import { explanationJson } from '../report/explanation-doc.ts'
import { renderers } from '../report/index.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json-report.ts'
import { failedCases, ruleTestsJson } from '../report/tests-doc.ts'
import type { SingleReport } from '../report/view.ts'
import { affected as runAffected } from '../run/commands/affected.ts'
import { apply as runApply } from '../run/commands/apply.ts'
import { drift as runDrift } from '../run/commands/drift.ts'
import { type Ending, fail, untilEnd } from '../run/commands/ending.ts'
import { explain as runExplain } from '../run/commands/explain.ts'
import { exportSets as runExport } from '../run/commands/export.ts'
import { plan as runPlan } from '../run/commands/plan.ts'
import { redactedPlan, redactedSingle } from '../run/commands/reports.ts'
import { sayDiagnostics } from '../run/commands/run-context.ts'
import { test as runTest } from '../run/commands/test.ts'
import { validate as runValidate } from '../run/commands/validate.ts'
import { EXIT } from '../run/exit-codes.ts'
import { isSeveral } from '../run/options.ts'
import { checkInput } from './input.ts'
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
  ExportInput,
  ExportOutput,
  PlanInput,
  PlanOutput,
  RunOutput,
  TestInput,
  TestOutput,
  ValidateInput,
  ValidateOutput,
} from './types.ts'

export type { DiagnosticCode } from '../model/codes.ts'
export type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
export type { Operation, OperationType, Subject } from '../plan/operation.ts'
export type { AffectedDocument } from '../report/affected-doc.ts'
export type { Validation } from '../report/diagnostics.ts'
export type { ExplanationDocument } from '../report/explanation-doc.ts'
export type { Format } from '../report/formats.ts'
export type { ApplyReport, DriftReport, PlanReport } from '../report/json-report.ts'
export type { RuleTestsDocument } from '../report/tests-doc.ts'
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
  const { context, output } = setting
  return await resultOf<Validation>(setting, async () => {
    const { validation: found } = await runValidate(context)
    sayDiagnostics(context, found.diagnostics)
    if (found.valid) output.push(validationText(found))
    return { code: found.valid ? EXIT.done : EXIT.error, found }
  })
}

/**
 * Runs the cases of rules, each a change and the rules that it should violate. Needs no service. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A failed case is in the report and a diagnostic, with the exit code 1.
 */
export async function test(input: TestInput = {}): Promise<TestOutput> {
  const setting = settingFor('test', input)
  const { context } = setting
  return await resultOf(setting, async () => {
    const result = await runTest(context, input.directories ?? [])
    const failed = failedCases(result)
    sayDiagnostics(context, failed)
    return printed(setting, ruleTestsJson(result), failed.length === 0 ? EXIT.done : EXIT.error)
  })
}

/**
 * Shows the changes that an apply would make. Never writes to the service.
 *
 * Throws a `TypeError` if the call itself is wrong. Mistakes in the files, a rejected token and an unreachable service are
 * diagnostics, with the exit code 1 and no `report`.
 */
export async function plan(input: PlanInput = {}): Promise<PlanOutput> {
  const setting = settingFor('plan', input)
  const { context } = setting
  let saved: string | undefined
  const result = await resultOf<PlanReport>(setting, async () => {
    const ending = await runPlan(context)
    if (ending.report?.kind !== 'plan') return ending
    saved = savedPlan(redactedPlan(context, ending.report.plan))
    return withReport(setting, ending, ending.report)
  })
  return saved === undefined ? result : { ...result, savedPlan: saved }
}

/**
 * Makes the service match the files, after consent by `autoApprove`, `approve` or `reviewed`. Without consent the exit code is 4.
 *
 * Throws a `TypeError` if the call itself is wrong. A failed step is an outcome in `report.results`. Success is reported only
 * after it was verified by reading the service back.
 */
export async function apply(input: ApplyInput = {}): Promise<ApplyOutput> {
  const setting = settingFor('apply', input)
  const reviewed = input.reviewed === undefined ? [] : [{ file: 'reviewed', text: input.reviewed }]
  return await resultOf<PlanReport | ApplyReport>(setting, async () => {
    const ending = await runApply(setting.context, { reviewed })
    const isReport = ending.report?.kind === 'plan' || ending.report?.kind === 'apply'
    return isReport ? withReport(setting, ending, ending.report) : ending
  })
}

/**
 * Checks for drift. The exit code is 2 if the service differs from the files.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function drift(input: DriftInput = {}): Promise<DriftOutput> {
  const setting = settingFor('drift', input)
  return await resultOf<DriftReport>(setting, async () => {
    const ending = await runDrift(setting.context)
    return ending.report?.kind === 'drift' ? withReport(setting, ending, ending.report) : ending
  })
}

/**
 * Lists who gets other values from an apply: of the plan of the moment, or of `savedPlan`. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function affected(input: AffectedInput = {}): Promise<AffectedOutput> {
  const setting = settingFor('affected', input)
  const saved = input.savedPlan === undefined ? undefined : { file: 'savedPlan', text: input.savedPlan }
  return await resultOf(setting, async () => {
    const result = await runAffected(setting.context, saved)
    return 'code' in result ? result : printed(setting, affectedJson(result.affected), EXIT.done)
  })
}

/**
 * Explains which variables a workspace receives and from which set, or which sets a Stack may read, or who receives one key.
 * `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A name that does not exist is a diagnostic.
 */
export async function explain(input: ExplainInput): Promise<ExplainOutput> {
  const setting = settingFor('explain', input)
  return await resultOf(setting, async () => {
    const { explanation } = await runExplain(setting.context, input.workspace)
    return printed(setting, explanationJson(explanation), EXIT.done)
  })
}

/**
 * Returns the live sets as set files, and writes nothing. `output` is one document with all of them.
 *
 * Throws a `TypeError` if the call itself is wrong. A pattern without a match is a diagnostic, with the exit code 1.
 */
export async function exportSets(input: ExportInput = {}): Promise<ExportOutput> {
  checkInput('exportSets', input)
  // No configuration has to name it.
  const { organization, references = false, ...others } = input
  const setting = settingFor('exportSets', others)
  const { report: sets, ...result } = await resultOf<readonly DesiredSet[]>(setting, async () => {
    const found = await runExport(setting.context, { organization, references })
    setting.output.push(exportText(found))
    return { code: EXIT.done, found }
  })
  return sets === undefined ? result : { ...result, files: exportFiles(sets) }
}

/** How a function ended, and the document that it returns. */
interface Found<T> {
  readonly code: number
  readonly found?: T
}

/** Calls a function of a command. What it told is in the result, also if it ended early. */
async function resultOf<T>(
  { context, output, end }: Setting,
  call: () => Promise<Found<T>>,
): Promise<RunOutput & { readonly report?: T }> {
  try {
    const result: Found<T> = await untilEnd(context, () => {
      if (isSeveral(context.options)) fail(context, ONE_CONFIGURATION)
      return call()
    })
    const report = result.found === undefined ? {} : { report: result.found }
    return { exitCode: result.code, diagnostics: context.told, output: output.join(''), ...report }
  } finally {
    end()
  }
}

/** A document that the command prints as JSON. */
function printed<T>({ output }: Setting, text: string, code: number): Found<T> {
  output.push(text)
  return { code, found: JSON.parse(text) }
}

/** The published form of a report, as `--format json` prints it. Its warnings are diagnostics of the result. */
function withReport<T>({ context }: Setting, { code }: Ending, report: SingleReport): Found<T> {
  if (report.kind !== 'apply') sayDiagnostics(context, report.plan.diagnostics)
  return { code, found: JSON.parse(renderers.json(redactedSingle(context, report))) }
}

const ONE_CONFIGURATION = mistake(
  'bad-usage',
  'A call handles one configuration, but "config" is a pattern.',
  'Call it once for each configuration.',
)
