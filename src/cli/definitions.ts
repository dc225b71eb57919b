import type { CommandDefinition } from './command.ts'
import { ADOPT } from './definitions/adopt.ts'
import { INSPECT } from './definitions/inspect.ts'
import { PIPELINE } from './definitions/pipeline.ts'
import { RECONCILE } from './definitions/reconcile.ts'
import { TOOLS } from './definitions/tools.ts'
import { SHELLS } from './shells.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...RECONCILE,
  ...PIPELINE,
  ...INSPECT,
  ...ADOPT,
  ...TOOLS,
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
    load: () => import('./commands/completion.ts'),
  },
]
