import { FORMATS } from '../report/formats.ts'
import type { OptionDefinition } from './arguments.ts'
import type { CommandDefinition } from './command.ts'

/** What may stand somewhere. `pairs`: one of these words, an equals sign, and a file. */
type Value =
  | { readonly kind: 'any' | 'files' | 'directories' }
  | { readonly kind: 'words' | 'pairs'; readonly words: readonly Word[] }

type Word = readonly [word: string, description?: string]

/**
 * The answer to a shell, for the words behind the program's name up to the cursor; the last is what was typed of the word
 * there, and may be empty. The first line is `:KIND N`, with KIND one of words, pairs, files, directories and any: so many
 * characters of the last word stay as they are, and what is offered stands behind them. The others are words, with a tab
 * and a description where there is one. What begins otherwise than what was typed is left to the shell.
 */
export function completionFor(definitions: readonly CommandDefinition[], words: readonly string[]): string {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const at = before.findIndex(word => !word.startsWith('-'))
  const command = at < 0 ? undefined : before[at]
  if (command === undefined)
    return answer({ kind: 'words', words: [...commandWords(definitions), ...FIRST] }, 0)
  const definition = definitions.find(({ name }) => name === command)
  const flags = [...(definition?.options ?? []).flatMap(flagsOf), HELP]
  const [flag = '', ...rest] = typed.split('=')
  const inside = rest.length > 0 ? flags.find(({ name }) => name === flag)?.value : undefined
  if (inside !== undefined) return valueAnswer(inside, rest.join('='), flag.length + 1)
  const open = before.length > at + 1 ? flags.find(({ name }) => name === before.at(-1))?.value : undefined
  if (open !== undefined) return valueAnswer(open, typed, 0)
  if (typed.startsWith('-'))
    return answer({ kind: 'words', words: flags.map(({ name, description }) => [name, description]) }, 0)
  if (command === 'help') return answer({ kind: 'words', words: commandWords(definitions) }, 0)
  return answer(definition?.argument === undefined ? ANY : argumentOf(definition.argument), 0)
}

const ANY: Value = { kind: 'any' }
const HELP: Flag = { name: '--help', description: 'help, with examples', value: undefined }
const FIRST: readonly Word[] = [
  ['help', 'help for a command'],
  ['--help', HELP.description],
  ['--version', 'the version'],
]

const commandWords = (definitions: readonly CommandDefinition[]): Word[] =>
  definitions.map(({ name, summary }) => [name, summary])

/** `kept`: how many characters stand before the value in the same word. */
function valueAnswer(value: Value, typed: string, kept: number): string {
  const sign = typed.indexOf('=')
  return value.kind === 'pairs' && sign >= 0
    ? answer({ kind: 'files' }, kept + sign + 1)
    : answer(value, kept)
}

function answer(value: Value, kept: number): string {
  const words = 'words' in value ? value.words : []
  const sign = value.kind === 'pairs' ? '=' : ''
  const lines = words.map(([word, description]) =>
    description === undefined ? `${word}${sign}` : `${word}${sign}\t${description}`,
  )
  return [`:${value.kind} ${kept}`, ...lines, ''].join('\n')
}

interface Flag {
  /** As it is typed: `--only`, `-C`. */
  readonly name: string
  readonly description: string
  /** `undefined`: the flag is a switch. */
  readonly value: Value | undefined
}

const flagsOf = (option: OptionDefinition): Flag[] =>
  option.flags
    .split(/[ ,]+/)
    .filter(word => word.startsWith('-'))
    .map(name => ({ name, description: option.description, value: takenBy(option) }))

function takenBy({ flags, choices, value }: OptionDefinition): Value | undefined {
  if (choices !== undefined) return { kind: 'words', words: choices.map(choice => [choice]) }
  if (value === undefined) return undefined
  if (value === 'report') return { kind: 'pairs', words: FORMATS.map(form => [form]) }
  return placeholderOf(/<([^>]*)>/.exec(flags)?.[1] ?? '')
}

const argumentOf = ({ name, choices }: NonNullable<CommandDefinition['argument']>): Value =>
  choices === undefined ? placeholderOf(name) : { kind: 'words', words: choices.map(choice => [choice]) }

/** The help names what it expects, and the shell completes what the help names. */
function placeholderOf(name: string): Value {
  if (['file', 'planfile', 'source'].includes(name)) return { kind: 'files' }
  return name === 'dir' || name === 'directory' ? { kind: 'directories' } : ANY
}
