import type { Diagnostic } from '../model/diagnostic.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json.ts'
import type { Validation } from '../report/validation.ts'

/** Plain data. Nothing that a user, a file or the service can cause is thrown. */
interface RunOutput {
  /** That of the command (docs/library.md, "What is returned and what is thrown"). */
  readonly exitCode: number
  /** Errors and warnings of the whole run, those of the report included, each with a code that is stable. */
  readonly diagnostics: readonly Diagnostic[]
  /** What the command prints on stdout. */
  readonly output: string
}

export interface ValidateOutput extends RunOutput {
  /** What `--format json` prints (schemas/validation.schema.json). */
  readonly report?: Validation
}

export interface PlanOutput extends RunOutput {
  /** What `--format json` prints (schemas/report.schema.json). None where no plan came about. */
  readonly report?: PlanReport
  /** The text that `plan --out` writes, for `apply({ reviewed })`. It holds no secret. */
  readonly savedPlan?: string
}

export interface ApplyOutput extends RunOutput {
  /** The plan where nothing was to be done or the apply was refused; what became of each step where it ran. */
  readonly report?: PlanReport | ApplyReport
}

export interface DriftOutput extends RunOutput {
  readonly report?: DriftReport
}
