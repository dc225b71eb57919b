import type { Diagnostic } from '../model/diagnostic.ts'
import { shellWord, terminalText } from './neutralise.ts'
import { command, type Quote } from './phrase.ts'

/** A command as it was typed. Plain data, so that secrets can be removed from it. */
export interface TypedCommand {
  readonly command: string
  readonly words: readonly TypedWord[]
}

/** A word that was typed; a flag together with its argument. */
export interface TypedWord {
  readonly text: readonly string[]
  /** The flag, without an argument behind `=`. Absent for any other word. */
  readonly flag?: string
  /** Whether it says where the files or the service are, and may be repeated in a hint. */
  readonly isPlace?: boolean
  /** Other commands for which it says the same: where files and service are, or what is asked of a plan. */
  readonly also: readonly string[]
}

/** Whether a name can be copied from a report, and selects only itself: no invisible character, no part of a pattern, no flag. */
export const isCopied = (name: string): boolean => terminalText(name) === name && !/^-|[*?]/.test(name)

/**
 * The command that was typed, with a flag added or left out, and as another command only with the words that say the same there. So
 * a printed command needs no other place, no other quotes and no other order than the one that worked.
 */
export function commandLine(typed: TypedCommand): CommandLine {
  return new CommandLine(typed)
}

/**
 * The commands that a hint names go to the files and to the service of the command that was typed: `setpoint groups --update` becomes
 * `setpoint groups --sandbox --update`.
 */
export function inThisPlace(found: readonly Diagnostic[], typed: TypedCommand | undefined): Diagnostic[] {
  return found.map(one => (one.hint === undefined ? one : { ...one, hint: placed(one.hint, typed) }))
}

/** The same for the commands in one text. */
export function placed(text: string, typed: TypedCommand | undefined): string {
  const places = typed?.words.filter(({ isPlace }) => isPlace) ?? []
  return text.replace(/(?<=^|[\s`])setpoint ([a-z]+)(?= |`|$)/gm, (named, verb: string, at: number) => {
    const [rest = ''] = /^[^`\n]*/.exec(text.slice(at)) ?? []
    // A command that was made from the typed one has them.
    const words = places
      .filter(({ flag, also }) => also.includes(verb) && !rest.split(' ').includes(flag ?? ''))
      .flatMap(({ text: said }) => said)
    return [named, ...words.map(shellWord)].join(' ')
  })
}

export class CommandLine {
  readonly #typed: TypedCommand

  constructor(typed: TypedCommand) {
    this.#typed = typed
  }

  as(command: string): CommandLine {
    const { words } = this.#typed
    if (command === this.#typed.command) return this
    return new CommandLine({ command, words: words.filter(({ also }) => also.includes(command)) })
  }

  has(flag: string): boolean {
    return this.#typed.words.some(word => word.flag === flag)
  }

  /** Each of these flags, as often as it was typed. */
  without(...flags: readonly string[]): CommandLine {
    const { command, words } = this.#typed
    return new CommandLine({
      command,
      words: words.filter(({ flag }) => flag === undefined || !flags.includes(flag)),
    })
  }

  /** The flag once for each argument, at the end. */
  with(flag: string, ...values: readonly string[]): CommandLine {
    return this.#and(
      values.map(value => ({
        text: value.startsWith('-') ? [`${flag}=${value}`] : [flag, value],
        flag,
        also: [],
      })),
    )
  }

  withSwitch(flag: string): CommandLine {
    return this.has(flag) ? this : this.#and([{ text: [flag], flag, also: [] }])
  }

  /** This file in place of those that were typed. */
  withFile(file: string): CommandLine {
    const { command, words } = this.#typed
    const flags = words.filter(({ flag }) => flag !== undefined)
    return new CommandLine({ command, words: flags }).#and([{ text: [file], also: [] }])
  }

  #and(more: readonly TypedWord[]): CommandLine {
    const { command, words } = this.#typed
    // Behind a bare `--`, nothing is a flag.
    const end = words.findIndex(({ text }) => text[0] === '--')
    const at = end < 0 ? words.length : end
    return new CommandLine({ command, words: [...words.slice(0, at), ...more, ...words.slice(at)] })
  }

  /** Quoted for a POSIX shell. */
  get quote(): Quote {
    const { command: verb, words } = this.#typed
    return command(['setpoint', verb, ...words.flatMap(({ text }) => text.map(shellWord))].join(' '))
  }

  get typed(): TypedCommand {
    return this.#typed
  }
}
