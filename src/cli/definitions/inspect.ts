import type { CommandDefinition } from '../command.ts'
import { connection, files, only, output, secrets } from '../flags.ts'

/** What says what is there, and what a run needs. */
export const INSPECT: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary: 'Show every variable that a workspace receives, from where, and what it shadows.',
    argument: { name: 'workspace', description: 'its name or its id' },
    options: [
      ...files,
      ...connection,
      {
        flags: '--from <moment>',
        description: 'live: as it is; files: as they will have it; difference: from the one to the other',
        value: 'text',
        choices: ['difference', 'files', 'live'],
        fallback: 'difference',
      },
      {
        flags: '--format <format>',
        description: 'form of the output',
        value: 'text',
        choices: ['text', 'json', 'markdown'],
        fallback: 'text',
      },
      ...output,
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
      ...files,
      only,
      secrets,
      {
        flags: '--format <format>',
        description: 'a list, or a block to paste',
        value: 'text',
        choices: ['text', 'github', 'gitlab', 'dotenv'],
        fallback: 'text',
      },
      ...output.slice(0, 2),
    ],
    examples: [['setpoint secrets --format github', 'the env: block for a step of GitHub Actions']],
    load: () => import('../commands/secrets.ts'),
  },
  {
    name: 'directory',
    summary: 'Write the names and ids of workspaces and projects to directory.yaml.',
    options: [
      ...files,
      ...connection,
      {
        flags: '--out <file>',
        description: 'where to (default: as configured; - for stdout)',
        value: 'text',
      },
      ...output,
    ],
    examples: [['setpoint directory', 'afterwards names resolve without a look-up']],
    load: () => import('../commands/directory.ts'),
  },
]
