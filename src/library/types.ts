import type { Limits } from '../config/loader-limits.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { ExplainedState } from '../plan/effective/explanation.ts'
import type { AffectedDocument } from '../report/affected-report.ts'
import type { Validation } from '../report/diagnostics.ts'
import type { ExplanationDocument } from '../report/explanation-report.ts'
import type { FileKind, Format } from '../report/formats.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json-report.ts'
import type { RuleTestsDocument } from '../report/rule-tests.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'

/** Where the files are, and how they are read. Each option means the same as the flag or variable of that name. */
interface FilesInput {
  /** Working directory, as `-C`: every other path is relative to it. Default: the current directory. */
  readonly cwd?: string
  /** The configuration file, as `--config`, but not a pattern. Default: `setpoint.yaml`. */
  readonly config?: string
  /** The organization that the configuration must name, as `SETPOINT_ORGANIZATION`. */
  readonly organization?: string
  /** Raised limits of the loader, as `--limit`. */
  readonly limits?: Partial<Limits>
  /**
   * The environment, such as `process.env`: `SETPOINT_*` and `TFE_*`, secrets, proxies, `HOME` for the credentials file, and
   * the `PATH` to find Git. Default: empty. The library never reads `process.env` by itself.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the run as Ctrl-C does: nothing new starts, and requests under way have five seconds. */
  readonly signal?: AbortSignal
}

/** Directories of rules that the pipeline chooses, as `--rules`. */
interface WithRules {
  readonly rules?: readonly string[]
}

export interface ValidateInput extends FilesInput, WithRules {}

export interface TestInput extends FilesInput {
  /** Directories of rules with their cases. Default: `rules` next to the configuration. */
  readonly directories?: readonly string[]
}

/** Options of every function that connects to the service. */
export interface ConnectionInput extends FilesInput {
  /** Address of the service, as `--address`. Default: from `env`. */
  readonly address?: string
  /** Default: from `env`, as on the command line. */
  readonly token?: string
  /** A directory with the token of each organization in a file with its name, as `--tokens`. */
  readonly tokens?: string
  /** Sends the requests in place of the network, such as your own proxy or recorder. */
  readonly transport?: Transport
  /** `true`: the embedded sandbox with its file, as `--sandbox`. Or a sandbox from `createSandbox()` of `setpoint/sandbox`. */
  readonly sandbox?: boolean | Sandbox
  /** Maximum number of parallel requests. */
  readonly concurrency?: number
  /** Maximum number of requests per second. */
  readonly rate?: number
}

/** Options of every function that plans. */
interface PlanningInput extends ConnectionInput {
  /** Values of secrets by name, or a file or directory, as `--secrets`. */
  readonly secrets?: string | Readonly<Record<string, string>>
  /** Patterns or ids of sets, as `--only`. */
  readonly only?: readonly string[]
  /** As `--adopt`. */
  readonly adopt?: readonly string[]
  /** Format of `output`. Default: `text`. */
  readonly format?: Format
  readonly markdownLimit?: number
  /** Reports to write to files, as `--report KIND=FILE`. */
  readonly reports?: readonly { readonly format: FileKind; readonly path: string }[]
}

export interface DriftInput extends PlanningInput {}

export interface PlanInput extends PlanningInput, WithRules {
  /** As `--rewrite`: `SET`, `SET/KEY` or `SET/env/KEY`, with the name or the id of a set. */
  readonly rewrite?: readonly string[]
  /** A Git ref, as `--base`. */
  readonly base?: string
  /** As `--only-this-change`. */
  readonly onlyThisChange?: boolean
  /** A file that `setpoint snapshot` wrote, in place of the service. */
  readonly snapshot?: string
  /** The exit code is 2 if there are changes, and 4 if a guard blocks them. */
  readonly detailedExitcode?: boolean
}

/** Without `autoApprove`, `approve` or `reviewed`, an apply with changes is refused, as in a run without a terminal. */
export interface ApplyInput extends PlanningInput, WithRules {
  /** As `--rewrite`: `SET`, `SET/KEY` or `SET/env/KEY`, with the name or the id of a set. */
  readonly rewrite?: readonly string[]
  readonly base?: string
  /** As `--only-this-change`. */
  readonly onlyThisChange?: boolean
  /** Consent to any plan. A guard still blocks. */
  readonly autoApprove?: boolean
  /**
   * Consent to exactly the plan with this digest (all 64 digits), including what guards block; together with `reviewed`, to what is
   * left of that plan.
   */
  readonly approve?: string
  /** A file in which the approved plan is saved before the first write, as `--out`. */
  readonly out?: string
  /** The text of a saved plan, such as `savedPlan`. Exactly this plan is applied, or nothing. */
  readonly reviewed?: string
  readonly expectNoDrift?: boolean
  readonly failFast?: boolean
}

/** Of a saved plan, or of a plan of the moment. */
export interface AffectedInput extends Omit<PlanningInput, 'format' | 'markdownLimit' | 'reports'> {
  readonly rewrite?: readonly string[]
  readonly base?: string
  /** As `--only-this-change`. */
  readonly onlyThisChange?: boolean
  /** As `--verify`. */
  readonly verify?: boolean
  /** The text of a saved plan, such as `savedPlan`: its list is returned, and nothing is read. */
  readonly savedPlan?: string
}

export interface ExplainInput extends ConnectionInput {
  /** Name or id of a workspace or a Stack. Either this or `key`. */
  readonly workspace?: string
  /** As `--key`: who receives this variable. */
  readonly key?: string
  /** As `--from`. Default: `difference`. */
  readonly from?: ExplainedState
}

export interface ExportInput extends Omit<ConnectionInput, 'organization'> {
  /** The organization to export. Default: that of the configuration. */
  readonly organization?: string
  /** Patterns or ids of sets, as `--only`. */
  readonly only?: readonly string[]
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
  /** The document of `--format json` (`setpoint schema affected`). Absent if somebody would be missing in the list. */
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
