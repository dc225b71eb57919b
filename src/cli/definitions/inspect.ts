import type { CommandDefinition } from '../command.ts'
import { COLOURS, CONNECTION, FILES, FLAGS, OUTPUT } from '../flags.ts'

/** What says what is there, and what a run needs. */
export const INSPECT: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary:
      'Show every variable that a workspace receives, and from where; or the sets that a Stack may read.',
    argument: { name: 'workspace', description: 'its name or its id, or those of a Stack' },
    options: [
      ...FILES,
      ...CONNECTION,
      FLAGS.from,
      { ...FLAGS.format, choices: ['text', 'json', 'markdown'] },
      ...OUTPUT,
    ],
    examples: [
      ['setpoint explain payments-prod', 'all of it, with what an apply would change marked'],
      ['setpoint explain payments-prod --from live', 'why it has the value that it has now'],
    ],
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'secrets',
    summary: 'List the secrets that the files name, and what a pipeline has to hand down.',
    options: [
      ...FILES,
      FLAGS.only,
      FLAGS.secrets,
      {
        ...FLAGS.format,
        description: 'a list, or a block to paste',
        choices: ['text', 'github', 'gitlab', 'dotenv'],
      },
      ...COLOURS,
    ],
    examples: [['setpoint secrets --format github', 'the env: block for a step of GitHub Actions']],
    load: () => import('../commands/secrets.ts'),
  },
  {
    name: 'directory',
    summary: 'Write the names and ids of workspaces, projects and Stacks to directory.yaml.',
    options: [
      ...FILES,
      ...CONNECTION,
      { ...FLAGS.out, description: 'where to (default: as configured; - for stdout)' },
      ...OUTPUT,
    ],
    examples: [['setpoint directory', 'afterwards names resolve without a look-up']],
    load: () => import('../commands/directory.ts'),
  },
]
