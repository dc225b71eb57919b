import type { CommandDefinition } from '../command.ts'
import { CONNECTION, FILES, FLAGS, OUTPUT } from '../flags.ts'

/** What a pipeline runs around a plan. */
export const PIPELINE: readonly CommandDefinition[] = [
  {
    name: 'snapshot',
    summary: 'Write what a plan needs to know of the service, for plans without credentials.',
    options: [
      ...FILES,
      ...CONNECTION,
      { ...FLAGS.out, description: 'where to (default: stdout)' },
      ...OUTPUT,
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
    options: [FLAGS.C, FLAGS.number, FLAGS.marker, ...OUTPUT],
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
