import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { harmlessLines } from '../report/neutralise.ts'
import { isRepeatable, isSeveral, type OptionDefinition, READERS } from './arguments.ts'
import { COMPLETE, type CommandDefinition } from './command.ts'
import { COMMANDS } from './definitions.ts'
import { EXIT, EXIT_MEANINGS } from './exit.ts'
import { FLAGS } from './flags.ts'
import type { Io } from './io.ts'
import { type Options, optionsFrom } from './options.ts'

/** The program: arguments in, exit code out. Everything else goes through `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === COMPLETE) {
    const { completionFor } = await import('./commands/completion.ts')
    io.stdout.write(completionFor(COMMANDS, argv.slice(1)))
    return EXIT.done
  }
  let code: number = EXIT.done
  // Making a command costs as much as running a small one.
  const named = COMMANDS.filter(({ name }) => name === argv[0])
  const program = programFor(io, named.length > 0 ? named : COMMANDS, exitCode => {
    code = exitCode
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    code = error.exitCode === 0 ? EXIT.done : EXIT.error
  }
  return code
}

/** The parser, made from the definitions; the reference page is made from the same. */
function programFor(io: Io, commands: readonly CommandDefinition[], finish: (code: number) => void): Command {
  const program = new Command('setpoint')
    .description('Keep the variable sets of an organization equal to YAML files in Git.')
    .version(io.version, '-V, --version', 'the version')
    .helpOption('-h, --help', 'help, with examples')
    .helpCommand('help [command]', 'help for a command')
    .addHelpText('after', `\n${exitText()}`)
  prepare(program, io)
  for (const definition of commands) {
    const command = program.command(definition.name)
    prepare(command, io)
    describeCommand(command, definition)
    command.action(async (...given: unknown[]) => {
      const argument = definition.argument === undefined ? undefined : given[0]
      const { run: one } = await definition.load()
      const typed = optionsFrom(command.opts(), io.cwd)
      const options = readsFiles(definition, argument, typed)
        ? (await import('./upward.ts')).withConfigurationAbove(io, typed)
        : typed
      const isMany = definition.several === true && isSeveral(options.config, options.shard)
      const run = isMany ? (await import('./several.ts')).acrossOrganizations(one) : one
      const inside = { ...io, cwd: options.directory }
      finish(await run(inside, options, typeof argument === 'string' ? argument : undefined, main))
    })
  }
  return program
}

/** An export of an organization or a state that is named needs no configuration. */
const readsFiles = ({ name, options }: CommandDefinition, argument: unknown, typed: Options): boolean =>
  options.includes(FLAGS.config) &&
  !(name === 'export' && (argument !== undefined || typed.terraformState !== undefined))

function prepare(command: Command, io: Io): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      // An argument that is quoted in a mistake may come from anywhere.
      writeErr: text => io.stderr.write(harmlessLines(text)),
      getOutHelpWidth: () => Math.min(io.stdout.columns, 110),
      getErrHelpWidth: () => Math.min(io.stderr.columns, 110),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
}

function describeCommand(command: Command, definition: CommandDefinition): void {
  command.description(definition.summary).helpOption('-h, --help', 'help, with examples')
  if (definition.argument) command.argument(`[${definition.argument.name}]`, definition.argument.description)
  for (const option of definition.options) command.addOption(optionFor(option))
  command.addHelpText('after', `\n${examplesText(definition)}`)
}

function optionFor({ flags, description, value, choices, fallback }: OptionDefinition): Option {
  const option = new Option(flags, description)
  if (choices) option.choices(choices)
  else if (value !== undefined)
    option.argParser((text: string, earlier: unknown) => {
      try {
        const read = READERS[value](text)
        return isRepeatable(value) ? [...(Array.isArray(earlier) ? earlier : []), read] : read
      } catch (error) {
        throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : '')
      }
    })
  if (fallback !== undefined) option.default(fallback)
  return option
}

const examplesText = ({ examples }: CommandDefinition): string =>
  ['Examples:', ...examples.flatMap(([command, comment]) => [`  ${command}`, `      ${comment}`])].join('\n')

const exitText = (): string =>
  ['Exit codes:', ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`)].join(
    '\n',
  )
