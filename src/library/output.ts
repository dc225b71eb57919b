import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json.ts'

/** Plain data. Nothing that a user, a file or the service can cause is thrown. */
export interface ValidateOutput {
  /** That of the command (docs/library.md, "Exit codes"). */
  readonly exitCode: number
  /** Errors and warnings, each with a code that is stable. */
  readonly diagnostics: readonly Diagnostic[]
  /** Empty where the files have errors. */
  readonly sets: readonly {
    readonly name: string
    readonly variables: number
    readonly source: SourceRange
  }[]
}

interface RunOutput {
  readonly exitCode: number
  /** Errors and warnings of the whole run, those of the report included. */
  readonly diagnostics: readonly Diagnostic[]
  /** What the command prints on stdout. */
  readonly output: string
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
