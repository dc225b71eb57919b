import type { CommandDefinition, Run } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { type CompletedCommand, completedCommands } from '../completion/model.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { EXIT } from '../exit.ts'
import { sayDiagnostics } from '../say.ts'
import { SHELLS } from '../shells.ts'

const SCRIPTS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<(typeof SHELLS)[number], (commands: readonly CompletedCommand[]) => string>

/** The script of one shell, made from the definitions that the parser is made from. */
export const runFor =
  (definitions: readonly CommandDefinition[]): Run =>
  async (io, options, given) => {
    const shell = SHELLS.find(name => name === given)
    if (shell === undefined) {
      const message =
        given === undefined ? 'Which shell?' : `There is no completion for ${JSON.stringify(given)}.`
      sayDiagnostics(io, options, [
        { severity: 'error', code: 'bad-usage', message, hint: `setpoint completion ${SHELLS.join('|')}` },
      ])
      return EXIT.error
    }
    io.stdout.write(SCRIPTS[shell](completedCommands(definitions)))
    return EXIT.done
  }
