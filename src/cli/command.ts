import type { OptionDefinition } from './arguments.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** The whole program: arguments in, exit code out. */
type Program = (argv: readonly string[], io: Io) => Promise<number>

/** Runs one command and returns its exit code. `program` is for the demo, which runs other commands. */
export type Run = (
  io: Io,
  options: Options,
  argument: string | undefined,
  program: Program,
  /** Arguments after the first, of a command that takes several. */
  others?: readonly string[],
) => Promise<number>

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
    /** It may be repeated. */
    readonly repeatable?: boolean
  }
  readonly options: readonly OptionDefinition[]
  /** `--config` may be a pattern, and the command then runs for each configuration. */
  readonly several?: boolean
  readonly examples: readonly (readonly [command: string, comment: string])[]
  readonly load: () => Promise<{ readonly run: Run }>
}

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The hidden command that the completion scripts run to get candidates. */
export const COMPLETE = '__complete'
