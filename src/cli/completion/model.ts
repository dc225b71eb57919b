import { FORMATS } from '../../report/formats.ts'
import type { CommandDefinition } from '../command.ts'
import type { OptionDefinition } from '../options.ts'

/** What may stand where a value is expected. `pairs`: one of these, an equals sign, and a file. */
export type Value =
  | { readonly kind: 'any' | 'file' | 'directory' }
  | { readonly kind: 'choices' | 'pairs'; readonly choices: readonly string[] }

export interface CompletedFlag {
  /** As it is typed: `--only`, `-C`. */
  readonly name: string
  readonly description: string
  readonly repeatable: boolean
  /** None: the flag is a switch. */
  readonly value?: Value
}

export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  readonly argument?: Value
}

/** What a shell may complete, from the definitions that the parser and the help are made from. */
export function completedCommands(definitions: readonly CommandDefinition[]): CompletedCommand[] {
  const commands = definitions.map(
    ({ name, summary, options, argument }): CompletedCommand => ({
      name,
      summary,
      flags: [...options.flatMap(flagsOf), HELP],
      ...(argument === undefined ? {} : { argument: argumentOf(argument) }),
    }),
  )
  const names = commands.map(({ name }) => name)
  const help = { name: 'help', summary: 'help for a command', flags: [HELP] }
  return [...commands, { ...help, argument: { kind: 'choices', choices: names } }]
}

const HELP: CompletedFlag = { name: '--help', description: 'help, with examples', repeatable: false }

function flagsOf(option: OptionDefinition): CompletedFlag[] {
  const { flags, description, value } = option
  const repeatable = value === 'texts' || value === 'report' || value === 'limit'
  return flags
    .split(/[ ,]+/)
    .filter(word => word.startsWith('-'))
    .map(name => ({ name, description, repeatable, ...takenBy(option) }))
}

function takenBy({ flags, choices, value }: OptionDefinition): { value?: Value } {
  if (choices !== undefined) return { value: { kind: 'choices', choices } }
  if (value === undefined) return {}
  if (value === 'report') return { value: { kind: 'pairs', choices: FORMATS } }
  return { value: placeholderOf(/<([^>]*)>/.exec(flags)?.[1] ?? '') }
}

const argumentOf = ({ name, choices }: NonNullable<CommandDefinition['argument']>): Value =>
  choices === undefined ? placeholderOf(name) : { kind: 'choices', choices }

/** The help names what it expects, and the shell completes what the help names. */
function placeholderOf(name: string): Value {
  if (['file', 'planfile', 'source'].includes(name)) return { kind: 'file' }
  return { kind: name === 'dir' || name === 'directory' ? 'directory' : 'any' }
}
