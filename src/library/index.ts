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
import { apply as runApply } from '../run/apply.ts'
import { affected as runAffected } from '../run/commands/affected.ts'
import { type Ending, fail, untilEnd } from '../run/commands/ending.ts'
import { explain as runExplain } from '../run/commands/explain.ts'
import { exportSets as runExport } from '../run/commands/export.ts'
import { redactedPlan, redactedSingle } from '../run/commands/reports.ts'
import { test as runTest } from '../run/commands/test.ts'
import { validate as runValidate } from '../run/commands/validate.ts'
import { EXIT } from '../run/exit-codes.ts'
import { isSeveral } from '../run/options.ts'
import { drift as runDrift, plan as runPlan } from '../run/plan.ts'
import { sayDiagnostics } from '../run/run.ts'
import { type AnyInput, checkInput } from './input.ts'
import type { FunctionName } from './inputs.gen.ts'
import { type Call, callOf } from './library-call.ts'
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
  return await called<Validation>('validate', input, async ({ context, output }) => {
    const { validation } = await runValidate(context)
    sayDiagnostics(context, validation.diagnostics)
    if (validation.valid) output.push(validationText(validation))
    return { code: validation.valid ? EXIT.done : EXIT.error, found: validation }
  })
}

/**
 * Runs the cases of rules, each a change and the rules that it should violate. Needs no service. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A failed case is in the report and a diagnostic, with the exit code 1.
 */
export async function test(input: TestInput = {}): Promise<TestOutput> {
  return await called('test', input, async call => {
    const result = await runTest(call.context, input.directories ?? [])
    const failed = failedCases(result)
    sayDiagnostics(call.context, failed)
    return printed(call, ruleTestsJson(result), failed.length === 0 ? EXIT.done : EXIT.error)
  })
}

/**
 * Shows the changes that an apply would make. Never writes to the service.
 *
 * Throws a `TypeError` if the call itself is wrong. Mistakes in the files, a rejected token and an unreachable service are
 * diagnostics, with the exit code 1 and no `report`.
 */
export async function plan(input: PlanInput = {}): Promise<PlanOutput> {
  let saved: string | undefined
  const result = await called<PlanReport>('plan', input, async call => {
    const ending = await runPlan(call.context)
    if (ending.report?.kind === 'plan') saved = savedPlan(redactedPlan(call.context, ending.report.plan))
    return reported(call, ending)
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
  const reviewed = input.reviewed === undefined ? [] : [{ file: 'reviewed', text: input.reviewed }]
  return await called<PlanReport | ApplyReport>('apply', input, async call =>
    reported(call, await runApply(call.context, { reviewed })),
  )
}

/**
 * Checks for drift. The exit code is 2 if the service differs from the files.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function drift(input: DriftInput = {}): Promise<DriftOutput> {
  return await called<DriftReport>('drift', input, async call => reported(call, await runDrift(call.context)))
}

/**
 * Lists the workspaces and Stacks whose values an apply changes: of a new plan, or of `savedPlan`. `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong.
 */
export async function affected(input: AffectedInput = {}): Promise<AffectedOutput> {
  const saved = input.savedPlan === undefined ? undefined : { file: 'savedPlan', text: input.savedPlan }
  return await called('affected', input, async call => {
    const result = await runAffected(call.context, saved)
    return 'code' in result ? result : printed(call, affectedJson(result.affected), EXIT.done)
  })
}

/**
 * Explains which variables a workspace receives and from which set, or which sets a Stack may read, or who receives one key.
 * `output` is JSON.
 *
 * Throws a `TypeError` if the call itself is wrong. A name that does not exist is a diagnostic.
 */
export async function explain(input: ExplainInput): Promise<ExplainOutput> {
  return await called('explain', input, async call => {
    const { explanation } = await runExplain(call.context, input.workspace)
    return printed(call, explanationJson(explanation), EXIT.done)
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
  const { report: sets, ...result } = await called<readonly DesiredSet[]>(
    'exportSets',
    others,
    async call => {
      const exported = await runExport(call.context, { organization, references })
      call.output.push(exportText(exported))
      return { code: EXIT.done, found: exported }
    },
  )
  return sets === undefined ? result : { ...result, files: exportFiles(sets) }
}

/** How a function ended, and the document that it returns. */
interface Found<T> {
  readonly code: number
  readonly found?: T
}

/** Calls a function of a command. Its diagnostics are in the result, also if it ended early. */
async function called<T>(
  name: FunctionName,
  input: AnyInput,
  body: (call: Call) => Promise<Found<T>>,
): Promise<RunOutput & { readonly report?: T }> {
  const call = callOf(name, input)
  const { context, output, end } = call
  try {
    const result: Found<T> = await untilEnd(context, () => {
      if (isSeveral(context.options)) fail(context, ONE_CONFIGURATION)
      return body(call)
    })
    const report = result.found === undefined ? {} : { report: result.found }
    return { exitCode: result.code, diagnostics: context.told, output: output.join(''), ...report }
  } finally {
    end()
  }
}

/** A document that the command prints as JSON. */
function printed<T>({ output }: Call, text: string, code: number): Found<T> {
  output.push(text)
  return { code, found: JSON.parse(text) }
}

/** The published form of a report, as `--format json` prints it. Its warnings are diagnostics of the result. */
function reported<T>({ context }: Call, { code, report }: Ending): Found<T> {
  if (report === undefined || report.kind === 'failure') return { code }
  if (report.kind !== 'apply') sayDiagnostics(context, report.plan.diagnostics)
  return { code, found: JSON.parse(renderers.json(redactedSingle(context, report))) }
}

const ONE_CONFIGURATION = mistake(
  'bad-usage',
  'A call handles one configuration, but "config" is a pattern.',
  'Call it once for each configuration.',
)
