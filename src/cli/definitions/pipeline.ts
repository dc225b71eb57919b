import type { CommandDefinition } from '../command.ts'
import { connection, files, output } from '../flags.ts'

/** What a pipeline runs around a plan. */
export const PIPELINE: readonly CommandDefinition[] = [
  {
    name: 'snapshot',
    summary: 'Write what a plan needs to know of the service, for plans without credentials.',
    options: [
      ...files,
      ...connection,
      { flags: '--out <file>', description: 'where to (default: stdout)', value: 'text' },
      ...output,
    ],
    examples: [
      ['setpoint snapshot --out snapshot.json', 'in a job that has the token'],
      ['setpoint plan --snapshot snapshot.json', 'in one that has not, such as for a fork'],
    ],
    load: () => import('../commands/snapshot.ts'),
  },
  {
    name: 'comment',
    summary: 'Put a report into the pull or merge request of this pipeline: one comment, kept up to date.',
    argument: { name: 'file', description: 'a report in Markdown, a saved plan, or - for stdin' },
    options: [
      ...files.slice(0, 1),
      {
        flags: '--number <n>',
        description: 'of the pull or merge request (default: the one that this pipeline belongs to)',
        value: 'number',
      },
      {
        flags: '--marker <name>',
        description: 'keep a comment of its own, where several would share one, such as those of shards',
        value: 'text',
      },
      ...output,
    ],
    examples: [
      ['setpoint plan --report markdown=plan.md', 'first the report'],
      [
        'setpoint comment plan.md',
        'then the comment, with the token of the job: GITHUB_TOKEN or GITLAB_TOKEN',
      ],
    ],
    load: () => import('../commands/comment.ts'),
  },
]
