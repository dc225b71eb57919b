import { COMMANDS } from '../../src/cli/definitions.ts'
import { typedWords } from '../../src/cli/typed-words.ts'
import type { TypedCommand } from '../../src/report/command-line.ts'

/** A command as the command line hands it to a run. */
export function typedAs(command: string, ...words: readonly string[]): TypedCommand {
  const definition = COMMANDS.find(({ name }) => name === command)
  if (definition === undefined) throw new Error(`there is no command ${command}`)
  return typedWords(definition, words, COMMANDS)
}
