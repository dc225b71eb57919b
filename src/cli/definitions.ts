import type { CommandDefinition } from './command.ts'
import { BESIDE } from './commands-beside.ts'
import { LOOP } from './commands-of-the-loop.ts'
import { SHELLS } from './shells.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...LOOP,
  ...BESIDE,
  {
    name: 'completion',
    summary: 'Print a script that completes commands, flags and values in your shell.',
    argument: { name: 'shell', description: SHELLS.join(', '), choices: SHELLS },
    options: [],
    examples: [
      ['source <(setpoint completion bash)', 'in ~/.bashrc'],
      ['setpoint completion zsh > "${fpath[1]}/_setpoint"', 'once; then start a new zsh'],
      ['setpoint completion fish > ~/.config/fish/completions/setpoint.fish', 'once'],
    ],
    load: async () => ({ run: (await import('./commands/completion.ts')).runFor(COMMANDS) }),
  },
]
