import type { Validation } from '../report/diagnostics.ts'
import { type Ending, untilEnd } from '../run/commands/ending.ts'
import type { Option } from '../run/options.ts'
import type { CommandContext, Io } from './io.ts'

/** The whole program: arguments in, exit code out. */
type Program = (argv: readonly string[], io: Io) => Promise<number>

/** Runs one command and returns its exit code, or how it ended. `program` is for the demo, which runs other commands. */
export type CommandRun = (
  io: CommandContext,
  argument: string | undefined,
  program: Program,
  /** Further arguments, for a command that takes several. */
  others?: readonly string[],
) => Promise<number | RunEnd>

/** A command as data: the parser, the help and the reference page are made from it. */
export interface CommandDefinition {
  readonly name: string
  readonly summary: string
  readonly argument?: {
    readonly name: string
    readonly description: string
    /** Offered by completion. The command itself checks the argument. */
    readonly choices?: readonly string[]
    readonly required?: boolean
    readonly repeatable?: boolean
  }
  readonly options: readonly Option[]
  /** `--config` may be a pattern, and the command then runs for each configuration. */
  readonly several?: boolean
  readonly examples: readonly (readonly [command: string, comment: string])[]
  /** The function of the library that does the same. */
  readonly asFunction?: string
  readonly load: () => Promise<{ readonly run: CommandRun }>
}

/** How a command ended, with what it found if it has a report. */
interface RunEnd extends Ending {
  readonly validation?: Validation
}

/** Runs a command. A failure of the service, the network or a file is reported and becomes an exit code; a bug is thrown. */
export async function runCommand(run: CommandRun, ...args: Parameters<CommandRun>): Promise<RunEnd> {
  const [io] = args
  const end = await untilEnd(io, () => run(...args))
  return typeof end === 'number' ? { code: end } : end
}

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The hidden command that the completion scripts run to get candidates. */
export const COMPLETE = '__complete'

export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [
    0,
    'success: applied and verified, or nothing to do; also a plan with changes, without --detailed-exitcode',
  ],
  [
    1,
    'error (usage, files, authentication, network): nothing was written, or everything was and only a report failed',
  ],
  [
    2,
    'changes pending (plan --detailed-exitcode), drift found (drift), or changes that files cannot express (export --update)',
  ],
  [3, 'partly applied, or the result is unknown'],
  [4, 'refused: blocked by a guard, stale or modified plan, or not confirmed'],
  [130, 'interrupted by SIGINT (143: SIGTERM)'],
]
