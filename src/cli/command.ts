import type { OptionDefinition } from './arguments.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** The whole program: arguments in, exit code out. */
type Program = (argv: readonly string[], io: Io) => Promise<number>

/** Runs one command; the number is its exit code. `program` is for a command that shows others. */
export type Run = (
  io: Io,
  options: Options,
  argument: string | undefined,
  program: Program,
) => Promise<number>

/** A command as data: the parser, the help and the reference page are made from it. */
export interface CommandDefinition {
  readonly name: string
  readonly summary: string
  readonly argument?: {
    readonly name: string
    readonly description: string
    /** What a shell offers. The command itself says what it takes. */
    readonly choices?: readonly string[]
  }
  readonly options: readonly OptionDefinition[]
  /** `--config` may be a pattern, and the command then runs for each configuration. */
  readonly several?: boolean
  readonly examples: readonly (readonly [command: string, comment: string])[]
  readonly load: () => Promise<{ readonly run: Run }>
}

/** Shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The command that scripts of shells ask what may stand at the cursor. It stands in no help. */
export const COMPLETE = '__complete'
