import { isSeveral } from '../cli/arguments.ts'
import { applyReviewed } from '../cli/commands/apply.ts'
import { run as runDrift } from '../cli/commands/drift.ts'
import { run as runPlan } from '../cli/commands/plan.ts'
import { run as runValidate } from '../cli/commands/validate.ts'
import { EXIT } from '../cli/exit.ts'
import { type Io, sayDiagnostics } from '../cli/io.ts'
import { redactedPlan, renderFor } from '../cli/publish.ts'
import { parsePlan } from '../cli/saved-plan.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { savedPlan } from '../plan/reviewed.ts'
import type { Validation } from '../report/diagnostics.ts'
import type { SingleReport } from '../report/index.ts'
import { type Setting, settingFor } from './setting.ts'
import type {
  ApplyInput,
  ApplyOutput,
  DriftInput,
  DriftOutput,
  PlanInput,
  PlanOutput,
  ValidateInput,
  ValidateOutput,
} from './types.ts'

/*
 * The commands as functions: each runs the command itself, with values in place of flags and data in place of streams. So
 * whatever the command line promises holds here, and there is nothing that could come to differ.
 */

/**
 * Checks the files, without a connection.
 *
 * Throws a `TypeError` where the call itself is wrong; every mistake in the files is a diagnostic.
 */
export async function validate(input: ValidateInput = {}): Promise<ValidateOutput> {
  const setting = settingFor('validate', input)
  let report: Validation | undefined
  const io: Io = {
    ...setting.io,
    validated: validation => {
      report = validation
    },
  }
  const run = await inside(setting, () => runValidate(io, setting.options, undefined, noProgram))
  return report === undefined ? run : { ...run, report }
}

/**
 * Shows what an apply would do. Cannot write to the service.
 *
 * Throws a `TypeError` where the call itself is wrong. Files with mistakes, a refused token, a service that does not answer: each
 * is a diagnostic, with the exit code 1 and no `report`.
 */
export async function plan(input: PlanInput = {}): Promise<PlanOutput> {
  const setting = settingFor('plan', input)
  const { exitCode, diagnostics, output } = await inside(setting, () =>
    runPlan(setting.io, setting.options, undefined, noProgram),
  )
  const found = setting.report()
  if (found?.kind !== 'plan') return { exitCode, diagnostics, output }
  const text = savedPlan(redactedPlan(setting.io, found.plan))
  return { exitCode, diagnostics, output, report: jsonOf(setting, found), savedPlan: text }
}

/**
 * Makes the service equal to the files, after consent: `autoApprove`, `approve` or `reviewed`. Without one it is refused, with exit
 * code 4.
 *
 * Throws a `TypeError` where the call itself is wrong. A step that failed is an outcome in `report.results`; success is reported only
 * after the service was read back.
 */
export async function apply(input: ApplyInput = {}): Promise<ApplyOutput> {
  const setting = settingFor('apply', input)
  const { reviewed } = input
  const { exitCode, diagnostics, output } = await inside(setting, () =>
    applyReviewed(setting.io, setting.options, reviewed === undefined ? [] : ['reviewed'], (_, name) =>
      parsePlan(name, reviewed ?? ''),
    ),
  )
  const found = setting.report()
  if (found === undefined || found.kind === 'drift') return { exitCode, diagnostics, output }
  return { exitCode, diagnostics, output, report: jsonOf(setting, found) }
}

/**
 * Says whether the service differs from the files: exit code 2 where it does.
 *
 * Throws a `TypeError` where the call itself is wrong.
 */
export async function drift(input: DriftInput = {}): Promise<DriftOutput> {
  const setting = settingFor('drift', input)
  const { exitCode, diagnostics, output } = await inside(setting, () =>
    runDrift(setting.io, setting.options, undefined, noProgram),
  )
  const found = setting.report()
  if (found?.kind !== 'drift') return { exitCode, diagnostics, output }
  return { exitCode, diagnostics, output, report: jsonOf(setting, found) }
}

/** Runs a command to its end; what it said and what its report warns of are one list. */
async function inside(setting: Setting, command: () => Promise<number>) {
  try {
    const exitCode = isOne(setting) ? await command() : EXIT.error
    const report = setting.report()
    const warnings = report === undefined || report.kind === 'apply' ? [] : report.plan.diagnostics
    const diagnostics = [...setting.diagnostics, ...setting.io.redactor.in(warnings)]
    return { exitCode, diagnostics, output: setting.output() }
  } finally {
    setting.end()
  }
}

/** The published form of a report, as data: what a program reads from `--format json`. */
const jsonOf = ({ io, options }: Setting, report: SingleReport) =>
  JSON.parse(renderFor(io, 'json', options, report))

function isOne({ io, options }: Setting): boolean {
  const one = !isSeveral(options.config, undefined)
  if (!one) sayDiagnostics(io, options, [ONE_CONFIGURATION])
  return one
}

const ONE_CONFIGURATION: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'A call is about one configuration, and "config" is a pattern.',
  hint: 'Call it once for each configuration.',
}

/** None of these commands shows others. */
const noProgram = (): Promise<number> => Promise.resolve(EXIT.error)
