import type { Diagnostic } from '../model/diagnostic.ts'
import type { AffectedDocument } from '../report/affected-doc.ts'
import type { Validation } from '../report/diagnostics.ts'
import type { ExplanationDocument } from '../report/explanation-doc.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json-report.ts'
import type { RuleTestsDocument } from '../report/tests-doc.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'
import type {
  AffectedOptions,
  ApplyOptions,
  ConnectionOptions,
  DriftOptions,
  ExplainOptions,
  ExportOptions,
  PlanOptions,
  TestOptions,
  ValidateOptions,
} from './inputs.gen.ts'

/** What every function takes beside the options of its command. */
interface CallInput {
  /** Working directory, as `-C`: every other path is relative to it. Default: the current directory. */
  readonly cwd?: string
  /** The organization that the configuration must name, as `SETPOINT_ORGANIZATION`. */
  readonly organization?: string
  /**
   * The environment, such as `process.env`: `SETPOINT_*` and `TFE_*`, secrets, proxies, `HOME` for the credentials file, and
   * the `PATH` to find Git. Default: empty. The library never reads `process.env` by itself.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the run as Ctrl-C does: nothing new starts, and requests under way have five seconds. */
  readonly signal?: AbortSignal
}

/** Options of every function that connects to the service. */
export interface ConnectionInput extends CallInput, ConnectionOptions {
  /** Default: from `env`, as on the command line. */
  readonly token?: string
  /** Sends the requests in place of the network, such as your own proxy or recorder. */
  readonly transport?: Transport
  /** `true`: the embedded sandbox with its file, as `--sandbox`. Or a sandbox from `createSandbox()` of `setpoint/sandbox`. */
  readonly sandbox?: boolean | Sandbox
}

export interface ValidateInput extends CallInput, ValidateOptions {}

export interface TestInput extends CallInput, TestOptions {
  /** Directories of rules with their cases. Default: `rules` next to the configuration. */
  readonly directories?: readonly string[]
}

export interface DriftInput extends ConnectionInput, DriftOptions {}

export interface PlanInput extends ConnectionInput, PlanOptions {}

/** Without `autoApprove`, `approve` or `reviewed`, an apply with changes is refused, as in a run without a terminal. */
export interface ApplyInput extends ConnectionInput, ApplyOptions {
  /** The text of a saved plan, such as `savedPlan`. Exactly this plan is applied, or nothing. */
  readonly reviewed?: string
}

/** Of a saved plan, or of a new plan. */
export interface AffectedInput extends ConnectionInput, AffectedOptions {
  /** The text of a saved plan, such as `savedPlan`: its list is returned, and nothing is read. */
  readonly savedPlan?: string
}

export interface ExplainInput extends ConnectionInput, ExplainOptions {
  /** Name or id of a workspace or a Stack. Either this or `key`. */
  readonly workspace?: string
}

export interface ExportInput extends ConnectionInput, ExportOptions {
  /** The organization to export. Default: that of the configuration. */
  readonly organization?: string
  /** Sensitive variables become references to secrets, as `--secrets references`; otherwise `external`. */
  readonly references?: boolean
}

/** Plain data. Mistakes of users, in files and of the service are never thrown. */
export interface RunOutput {
  /** The exit code of the command (docs/library.md#results-and-errors). */
  readonly exitCode: number
  /** Errors and warnings of the whole run and its report, each with a stable code. */
  readonly diagnostics: readonly Diagnostic[]
  /** The stdout of the command. */
  readonly output: string
}

export interface ValidateOutput extends RunOutput {
  /** The document of `--format json` (`setpoint schema validation`). */
  readonly report?: Validation
}

export interface TestOutput extends RunOutput {
  /** The document of `--format json` (`setpoint schema tests`). Absent if rules or cases have mistakes. */
  readonly report?: RuleTestsDocument
}

export interface PlanOutput extends RunOutput {
  /** The document of `--format json` (`setpoint schema report`). Absent if there is no plan. */
  readonly report?: PlanReport
  /** The text that `plan --out` writes, for `apply({ reviewed })`. It contains no secret. */
  readonly savedPlan?: string
}

export interface ApplyOutput extends RunOutput {
  /** The outcome of each step. If nothing was to be done or the apply was refused, the plan. */
  readonly report?: PlanReport | ApplyReport
}

export interface AffectedOutput extends RunOutput {
  /** The document of `--format json` (`setpoint schema affected`). Absent if the list would be incomplete. */
  readonly report?: AffectedDocument
}

export interface ExplainOutput extends RunOutput {
  /** The document of `--format json` (`setpoint schema explanation`). Absent if there is no such workspace or Stack. */
  readonly report?: ExplanationDocument
}

export interface ExportOutput extends RunOutput {
  /** One set file for each set, with its path below a directory such as `sets`. Absent after an error. */
  readonly files?: readonly { readonly path: string; readonly text: string }[]
}

export interface DriftOutput extends RunOutput {
  readonly report?: DriftReport
}
