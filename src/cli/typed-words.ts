import type { TypedCommand, TypedWord } from '../report/command-line.ts'
import {
  CONNECTION,
  FILES,
  flagOf,
  isSwitch,
  OPTIONS,
  type Option,
  type OptionName,
  PLANNED,
} from '../run/options.ts'
import type { CommandDefinition } from './command.ts'

/** Where files and service are, and what is asked of a plan. */
const PLACES = [...FILES, ...CONNECTION] as const
const ASKED = [...PLANNED, 'rules'] as const

/** Commands that reports print and that take a plan over, and `export`. */
const PLANS = ['plan', 'apply']
const PRINTED = [...PLANS, 'export']

/** The words behind a command, as its parser reads them: each flag with its argument. */
export function typedWords(
  { name, argument, options }: CommandDefinition,
  words: readonly string[],
  commands: readonly CommandDefinition[],
): TypedCommand {
  const takingOver = (flag: string): string[] => {
    if (hasFlag(ASKED, flag)) return PLANS
    if (!hasFlag(PLACES, flag)) return []
    return commands.filter(other => other.options.some(one => flagOf(one) === flag)).map(one => one.name)
  }
  const alike = commands.filter(
    other => PRINTED.includes(other.name) && argument !== undefined && other.argument?.name === argument.name,
  )
  const typed: TypedWord[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    // What follows is no flag.
    if (word === '--') {
      typed.push({ text: words.slice(at), also: alike.map(one => one.name) })
      break
    }
    const option = options.find(one => isFlag(word, flagOf(one)))
    if (option === undefined) {
      typed.push({ text: [word], also: alike.map(one => one.name) })
      continue
    }
    const flag = flagOf(option)
    const takes = word === flag && takesNext(option, words[at + 1])
    typed.push({
      text: words.slice(at, at + (takes ? 2 : 1)),
      flag,
      isPlace: isHinted(flag, words.slice(at, at + (takes ? 2 : 1)).at(-1) ?? ''),
      also: takingOver(flag),
    })
    if (takes) at++
  }
  return { command: name, words: typed }
}

/** A hint may be told before the arguments were checked: one that is a secret by mistake is not repeated. */
const isHinted = (flag: string, last: string): boolean =>
  hasFlag(['directory', 'config', 'sandbox'], flag) ||
  (hasFlag(['address'], flag) && /^(?:--address=)?https?:\/\/[^@\s]+$/.test(last))

/** The same command for one of several configurations. */
export const forConfiguration = ({ command, words }: TypedCommand, file: string): TypedCommand => ({
  command,
  words: [
    ...words.filter(({ flag }) => flag !== '--config' && flag !== '--shard'),
    {
      text: ['--config', file],
      flag: '--config',
      isPlace: true,
      also: words.find(({ flag }) => flag === '--config')?.also ?? PRINTED,
    },
  ],
})

const hasFlag = (options: readonly OptionName[], flag: string): boolean =>
  options.some(one => flagOf(OPTIONS[one]) === flag)

/** `--only`, `--only=a`, `-C`, `-Cdir`. */
const isFlag = (word: string, flag: string): boolean =>
  word === flag || (flag.startsWith('--') ? word.startsWith(`${flag}=`) : word.startsWith(flag))

/** An argument that may be left out does not look like a flag. */
const takesNext = (option: Option, next: string | undefined): boolean =>
  !isSwitch(option) && (!option.flag.includes(' [') || (next !== undefined && !next.startsWith('-')))
