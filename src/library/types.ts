import type { Limits } from '../config/limits.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Validation } from '../report/diagnostics.ts'
import type { Format } from '../report/formats.ts'
import type { ApplyReport, DriftReport, PlanReport } from '../report/json.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'

/** Where the files are, and how they are read. Each option means what the flag or variable of its name means. */
export interface ValidateInput {
  /** Directory of the run, as `-C`: every other path is relative to it. Left out: the current directory. */
  readonly cwd?: string
  /** The configuration, as `--config`. One, and no pattern. Left out: `setpoint.yaml`. */
  readonly config?: string
  /** The organization that the configuration has to name, as `SETPOINT_ORGANIZATION`. */
  readonly organization?: string
  /** Raised limits of the loader, as `--limit`. */
  readonly limits?: Partial<Limits>
  /**
   * The environment, such as `process.env`: `SETPOINT_*` and `TFE_*`, secrets, proxies, `HOME` for the credentials file, and the
   * `PATH` on which Git is found. Left out: empty. The library never looks at `process.env` by itself.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the run as Ctrl-C does: nothing new starts, and what is under way has five seconds. */
  readonly signal?: AbortSignal
}

/** What a plan is made from beside the files. */
interface PlanningInput extends ValidateInput {
  /** Origin of the service, as `--address`. Left out: from `env`. */
  readonly address?: string
  /** Left out: from `env`, as the command line finds it. */
  readonly token?: string
  /** Carries the requests instead of the network: a proxy of your own, a recorder. */
  readonly transport?: Transport
  /** `true`: the embedded sandbox with its file, as `--sandbox`. Or one from `createSandbox()` of `setpoint/sandbox`. */
  readonly sandbox?: boolean | Sandbox
  /** Texts of secrets by name. Or a file or directory, as `--secrets`. */
  readonly secrets?: string | Readonly<Record<string, string>>
  /** Patterns of set names, or ids of sets, as `--only`. */
  readonly only?: readonly string[]
  /** As `--adopt`. */
  readonly adopt?: readonly string[]
  /** Requests at once, at the most. */
  readonly concurrency?: number
  /** Requests a second, at the most. */
  readonly rate?: number
  /** Form of `output`. Left out: `text`. */
  readonly format?: Format
  readonly markdownLimit?: number
  /** Reports that are written into files, as `--report KIND=FILE`. */
  readonly reports?: readonly { readonly format: Format; readonly path: string }[]
}

export interface DriftInput extends PlanningInput {}

export interface PlanInput extends PlanningInput {
  /** As `--rewrite`: `SET`, `SET/KEY` or `SET/env/KEY`, with the name or the id of a set. */
  readonly rewrite?: readonly string[]
  /** A commit of Git, as `--base`. */
  readonly base?: string
  /** A file that `setpoint snapshot` wrote, in place of the service. */
  readonly snapshot?: string
  /** The exit code is 2 with changes, and 4 where a guard blocks them. */
  readonly detailedExitcode?: boolean
}

/** Without `autoApprove`, `approve` or `reviewed` an apply with something to do is refused, as in a run without a terminal. */
export interface ApplyInput extends PlanningInput {
  /** As `--rewrite`: `SET`, `SET/KEY` or `SET/env/KEY`, with the name or the id of a set. */
  readonly rewrite?: readonly string[]
  readonly base?: string
  /** Consent to whatever the plan of the moment is. A guard still blocks. */
  readonly autoApprove?: boolean
  /** Consent to exactly the plan of this digest, guards included: all 64 digits. */
  readonly approve?: string
  /** The text of a saved plan, such as `savedPlan` of a plan: exactly this is done, or nothing. */
  readonly reviewed?: string
  readonly expectNoDrift?: boolean
  readonly failFast?: boolean
  /** A file for events, as `--events`. */
  readonly events?: string
}

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
