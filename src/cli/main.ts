import { resolve } from 'node:path'
import { Command, CommanderError, Option as Flag, InvalidArgumentError } from 'commander'
import type { TypedCommand } from '../report/command-line.ts'
import { harmlessLines } from '../report/neutralise.ts'
import { misuse } from '../run/commands/ending.ts'
import { EXIT } from '../run/exit-codes.ts'
import {
  flagOf,
  isSeveral,
  isSwitch,
  type Option,
  type Options,
  shownDefault,
  withDefaults,
} from '../run/options.ts'
import { sayDiagnostics } from '../run/run.ts'
import { acrossOrganizations } from './all-organizations.ts'
import { contextOf } from './call.ts'
import { COMPLETE, type CommandDefinition, type CommandRun, EXIT_MEANINGS, runCommand } from './command.ts'
import { completionFor } from './commands/completion-command.ts'
import type { CompletedPlace } from './completed-sets.ts'
import { COMMANDS } from './definitions.ts'
import { withConfigurationAbove } from './find-configuration.ts'
import type { Io } from './io.ts'
import { misspelledVariables } from './misspelled-variables.ts'
import { typedWords } from './typed-words.ts'
import { insteadOf } from './words.ts'

/** The program: arguments in, exit code out. Everything else goes through `io`. */
export async function main(typed: readonly string[], io: Io): Promise<number> {
  if (typed[0] === COMPLETE) {
    const words = typed.slice(1)
    // As for a run, options may stand before the command.
    const ordered = [...commandFirst(words.slice(0, -1)), ...words.slice(-1)]
    const setsAt = async (place: CompletedPlace) =>
      (await import('./completed-sets.ts')).completedSets(io.cwd, place)
    io.stdout.write(await completionFor(COMMANDS, ordered, setsAt))
    return EXIT.done
  }
  const argv = unlessHelpOfNothing(commandFirst(typed))
  let code: number = EXIT.done
  let said = ''
  // Making a command costs as much as running a small one.
  const named = COMMANDS.filter(({ name }) => name === argv[0])
  const program = programFor(
    io,
    argv,
    named.length > 0 ? named : COMMANDS,
    exitCode => {
      code = exitCode
    },
    text => {
      said = text
    },
  )
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    code = error.exitCode === 0 ? EXIT.done : EXIT.error
    if (said !== '')
      io.stderr.write(harmlessLines(usageError(withoutValues(said, error.code), adviceFor(error.code, argv))))
  }
  return code
}

/** As in git, options may stand before the command: `setpoint -C infra plan`. What is no option of ours stays where it is. */
function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0
  for (let word = argv[0]; word?.startsWith('-'); word = argv[at]) {
    const [name = ''] = /^--[\w-]+|^-\w/.exec(word) ?? []
    const option = COMMANDS.flatMap(({ options }) => options).find(one => flagOf(one) === name)
    if (option === undefined) return argv
    at += !isSwitch(option) && word === name ? 2 : 1
  }
  const command = argv[at]
  return command === undefined ? argv : [command, ...argv.slice(0, at), ...argv.slice(at + 1)]
}

/** Help for a command that does not exist says so, like the command itself. */
function unlessHelpOfNothing(argv: readonly string[]): readonly string[] {
  const [command, about] = argv
  const isNothing = about !== undefined && COMMAND.test(about) && !COMMANDS.some(({ name }) => name === about)
  return command === 'help' && isNothing && about !== 'help' ? [about] : argv
}

/** The parser, made from the definitions like the reference page. A command inherits the settings of the program. */
function programFor(
  io: Io,
  argv: readonly string[],
  commands: readonly CommandDefinition[],
  finish: (code: number) => void,
  fault: (text: string) => void,
): Command {
  const program = new Command('setpoint')
    .usage('<command> [options]')
    .description('Keep the variable sets of an organization in sync with YAML files in Git.')
    .version(io.version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'Show help for a command.')
    .configureHelp({ subcommandTerm: command => command.name() })
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(harmlessLines(text)),
      // It may quote an argument, which may come from anywhere.
      outputError: fault,
      getOutHelpWidth: () => Math.min(io.stdout.columns, 80),
      getErrHelpWidth: () => Math.min(io.stderr.columns, 80),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', ({ command }) => exitCodesText(command))
  for (const definition of commands) {
    const command = program.command(definition.name)
    const values = describeCommand(command, definition)
    command.action(async (...given: unknown[]) => {
      const [argument, ...others] = [given[0]].flat().filter(word => typeof word === 'string')
      const options = values()
      const words = typedWords(definition, argv.slice(1), COMMANDS)
      const swallowed = definition.options.find(one => hasSwallowed(one, words))
      if (swallowed !== undefined)
        command.error(notAnotherFlag(swallowed), { code: 'commander.invalidArgument' })
      const repeated = definition.options.find(one => isRepeated(one, words))
      if (repeated !== undefined) command.error(onlyOnce(repeated), { code: 'commander.invalidArgument' })
      const empty = definition.options.find(one => isEmpty(one, words))
      if (empty !== undefined) command.error(notEmpty(empty), { code: 'commander.invalidArgument' })
      const typed = { ...io, cwd: resolve(io.cwd, options.directory ?? '.'), options }
      const isMissing = argument === undefined && definition.argument?.required
      const one = isMissing ? missingArgument(definition) : (await definition.load()).run
      const call =
        !isMissing && readsFiles(definition, argument, options) ? withConfigurationAbove(typed) : typed
      const isMany = definition.several === true && isSeveral(call.options)
      const run = isMany ? acrossOrganizations(one, definition.options) : one
      const context = contextOf(call, call.options, words)
      sayDiagnostics(context, misspelledVariables(io.env))
      finish((await runCommand(run, context, argument, main, others)).code)
    })
  }
  return program
}

/**
 * Whether another flag stands where the argument of this one belongs. Without this, `--only --sandbox` would be a pattern, and the run
 * would go to the real service. A set may be called `--sandbox`, too: `--only=--sandbox`.
 */
const hasSwallowed = (option: Option, { words }: TypedCommand): boolean =>
  words.some(({ flag, text: [, next] }) => flag === flagOf(option) && next?.startsWith('--'))

const notAnotherFlag = (option: Option): string =>
  `error: option '${option.flag}' is invalid. Expected a value, not another flag.\nIf it is the value, write ${flagOf(option)}=VALUE.`

/** What a pipeline passes that has no value for a variable: `--approve "$DIGEST"` would approve whatever is planned now. */
const isEmpty = (option: Option, { words }: TypedCommand): boolean =>
  !isSwitch(option) &&
  words.some(({ flag, text }) => flag === flagOf(option) && (text[1] === '' || text[0] === `${flag}=`))

const notEmpty = (option: Option): string =>
  `error: option '${option.flag}' is empty.\nLeave it out, or write a value: a variable that is not set is empty.`

/** All but the last would count for nothing: an apply with two of `--config` would leave out the first without a word. */
const isRepeated = (option: Option, { words }: TypedCommand): boolean =>
  !option.kind.isRepeatable &&
  !isSwitch(option) &&
  words.filter(({ flag }) => flag === flagOf(option)).length > 1

const onlyOnce = (option: Option): string =>
  `error: option '${option.flag}' is given more than once.\n${option.name === 'config' ? "A pattern names several files: --config 'orgs/*/setpoint.yaml'" : 'Only the last would count: write it once.'}`

const missingArgument = ({ name, argument }: CommandDefinition): CommandRun => {
  const wanted = argument?.name.toUpperCase()
  return async io => misuse(io, `Missing argument: ${wanted}.`, `Run: setpoint ${name} ${wanted}`)
}

/** An export of a named organization or of a Terraform state needs no configuration. */
const readsFiles = (
  { name, options }: CommandDefinition,
  argument: string | undefined,
  typed: Options,
): boolean =>
  options.some(one => one.name === 'config') &&
  !(name === 'export' && (argument !== undefined || typed.terraformState !== undefined))

/**
 * A message of the parser without what may be a secret: the value of an option, or a word that is no name. A shell may have put anything
 * there. A name of one dash may be a letter and its value: `-pVALUE`.
 */
function withoutValues(text: string, code: string): string {
  const guess = /\n(\(Did you mean [^\n']*\))\s*$/.exec(text)?.[1]
  const end = guess === undefined ? '' : `\n${guess}`
  if (code === 'commander.invalidArgument')
    return text.replace(/ argument '.*' is invalid\./s, ' is invalid.')
  const [, word = ''] = /^error: unknown (?:option|command) '(.*)'/s.exec(text) ?? []
  if (code === 'commander.unknownCommand')
    return `error: unknown command${COMMAND.test(word) ? ` '${word}'` : ''}${end}`
  if (code !== 'commander.unknownOption') return text
  const [, dashes = '', name = ''] = /^(--?)([A-Za-z][\w-]{0,40})?/.exec(word) ?? []
  const isLong = dashes === '--' || isKnown(name)
  return `error: unknown option${name === '' ? '' : ` '${dashes}${isLong ? name : name.charAt(0)}'`}${end}`
}

const COMMAND = /^[A-Za-z][\w-]{0,30}$/

/** Whether this name is an option of any command, or a word with an advice. */
const isKnown = (name: string): boolean =>
  insteadOf('', `--${name}`) !== undefined ||
  COMMANDS.some(({ options }) => options.map(flagOf).includes(`--${name}`))

/** The errors of the parser, in the form of every other diagnostic. */
function usageError(text: string, advice?: string): string {
  const [first = '', guess] = text.trim().split('\n')
  const message = capital(first.replace(/^error: /, '').replace(/\.$/, ''))
  const hint = advice ?? guess?.replace(/^\((.*)\)$/, '$1') ?? 'Add --help to list commands and options.'
  return `error bad-usage\n  ${message}.\n  ${hint}\n`
}

/** What to do instead of a command, option or argument that does not exist; `undefined` if the guess of the parser is better. */
function adviceFor(code: string, [command = '', ...words]: readonly string[]): string | undefined {
  if (code === 'commander.unknownCommand') return insteadOf(command)
  const known = COMMANDS.find(({ name }) => name === command)?.options ?? []
  const options = known.map(flagOf)
  const switches = known.filter(isSwitch).map(flagOf)
  if (code === 'commander.excessArguments')
    return options.includes('--only')
      ? 'To select sets: --only NAME.'
      : options.includes('--config')
        ? 'The files are those of a configuration: -C DIRECTORY or --config FILE.'
        : undefined
  if (code !== 'commander.unknownOption') return undefined
  const flags = [command, ...words].filter(word => /^-./.test(word))
  const names = flags.map(word => word.replace(/=.*/s, ''))
  for (const name of names.filter(one => !options.includes(one))) {
    const instead = insteadOf(command, name)
    if (instead !== undefined) return instead
    const long = `--${name.replace(/^-+/, '')}`
    if (options.includes(long)) return `Did you mean ${long}?`
    const others = COMMANDS.filter(other => other.options.map(flagOf).includes(long))
    if (others.length > 0) return `${long} is an option of ${others.map(other => other.name).join(', ')}.`
  }
  // What takes a value is no unknown option with one.
  const valued = names.find((name, at) => name !== flags[at] && switches.includes(name))
  return valued && `${valued} takes no value: write it alone.`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The help and the options of a command. Returns how to get their values, once they were parsed. */
export function describeCommand(
  command: Command,
  { summary, argument, options, examples }: CommandDefinition,
): () => Options {
  command.description(summary).helpOption('-h, --help', 'show help and examples')
  command.usage(
    [...(options.length > 0 ? ['[options]'] : []), ...(argument ? [usageOf(argument)] : [])].join(' '),
  )
  if (argument)
    command.argument(`[${argument.name}${argument.repeatable ? '...' : ''}]`, argument.description)
  const flags = options.map(option => ({ ...option, parsed: flagFor(option) }))
  // What everyone needs first.
  for (const { parsed } of flags.toSorted((a, b) => Number(a.isRare ?? 0) - Number(b.isRare ?? 0)))
    command.addOption(parsed)
  const lines = examples.flatMap(([line, comment]) => [`  ${line}`, `      ${comment}`])
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
  return () =>
    withDefaults(
      Object.fromEntries(
        flags.map(({ name, parsed }) => [name, command.getOptionValue(parsed.attributeName())]),
      ),
    )
}

const usageOf = ({ name, required, repeatable }: NonNullable<CommandDefinition['argument']>): string => {
  const shown = repeatable ? `${name}...` : name
  return required ? `<${shown}>` : `[${shown}]`
}

function flagFor(option: Option): Flag {
  const { flag, kind, description, choices, preset } = option
  const made = new Flag(flag, description)
  if (choices) made.choices(choices)
  else if (!isSwitch(option))
    made.argParser((word: string, earlier: unknown) => {
      try {
        return kind.read(word, earlier)
      } catch (error) {
        throw new InvalidArgumentError(error instanceof Error ? `${capital(error.message)}.` : '')
      }
    })
  const fallback = shownDefault(option)
  if (fallback !== undefined) made.default(fallback)
  if (preset !== undefined) made.preset(preset)
  return made
}

/** In two columns, wrapped like the lists above it. */
function exitCodesText(command: Command): string {
  const help = command.createHelp()
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() })
  const lines = EXIT_MEANINGS.map(([code, meaning]) => help.formatItem(String(code), 3, meaning, help))
  return `\nExit codes:\n${lines.join('\n')}`
}
