import type { CommandDefinition } from './command.ts'
import { connection, files, only, output, secrets } from './flags.ts'

/** Published schemas, as `schemas/` has them. */
const SCHEMAS = [
  'setpoint',
  'sets',
  'directory',
  'plan',
  'snapshot',
  'report',
  'explanation',
  'event',
] as const

/** What is run once, or beside the loop of plan and apply. */
export const BESIDE: readonly CommandDefinition[] = [
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
    load: () => import('./commands/snapshot.ts'),
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
    load: () => import('./commands/comment.ts'),
  },
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
    load: () => import('./commands/explain.ts'),
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
    load: () => import('./commands/secrets.ts'),
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
    load: () => import('./commands/directory.ts'),
  },
  {
    name: 'init',
    summary: 'Begin: configuration, the sets that the organization has, a pipeline. Overwrites nothing.',
    argument: { name: 'organization', description: 'whose sets to write (default: SETPOINT_ORGANIZATION)' },
    options: [
      ...files.slice(0, 1),
      ...connection,
      { ...only, description: 'only sets whose name matches, which becomes `owns`; repeatable' },
      {
        flags: '--owner <name>',
        description: 'who this repository is among several (default: the name of the directory)',
        value: 'text',
      },
      {
        flags: '--pipeline <forge>',
        description: 'a pipeline for plan, apply and drift',
        value: 'text',
        choices: ['github', 'gitlab', 'none'],
        fallback: 'none',
      },
      ...output,
    ],
    examples: [
      ['setpoint init acme --pipeline github', 'ends with: 60 sets, 0 changes'],
      ['setpoint init acme --sandbox', 'a first set, to try it without an account'],
    ],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'export',
    summary: 'Write what the service holds as files: sets, variables and assignments.',
    argument: { name: 'organization', description: 'instead of the one of the configuration' },
    options: [
      ...files,
      ...connection,
      only,
      {
        flags: '--out <dir>',
        description: 'into this directory, one file a set (default: stdout)',
        value: 'text',
      },
      { flags: '--one-file', description: 'with --out: all sets in one file' },
      {
        flags: '--update <pattern>',
        description:
          'live values into the files of sets whose name matches, with comments and order kept; repeatable',
        value: 'texts',
      },
      {
        flags: '--terraform-state <file>',
        description: 'what a Terraform or OpenTofu state manages, without a connection; - for stdin',
        value: 'text',
      },
      ...output,
    ],
    examples: [
      ['setpoint export --out sets', 'a plan of these files has nothing to do'],
      ['setpoint export --only "aws-*"', 'a part, on stdout'],
      ['setpoint export --update payments-prod', 'accept what was changed by hand'],
      [
        'terraform state pull | setpoint export --terraform-state - --out sets',
        'from Terraform, with the steps to let it go',
      ],
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'schema',
    summary: 'Print a JSON Schema, or their names.',
    argument: { name: 'name', description: SCHEMAS.join(', '), choices: SCHEMAS },
    options: [],
    examples: [
      ['setpoint schema', 'the names'],
      ['setpoint schema sets > sets.schema.json', 'for an editor without network'],
    ],
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Serve a complete variable-sets service on this machine.',
    options: [
      { flags: '--port <n>', description: 'port (default: a free one)', value: 'port' },
      {
        flags: '--seed <file>',
        description: 'organizations, projects, workspaces, sets and tokens to begin with',
        value: 'text',
      },
      { flags: '--data <file>', description: 'keep everything acknowledged in this file', value: 'text' },
      { flags: '--latency <ms>', description: 'delay each answer, such as 50ms', value: 'milliseconds' },
      { flags: '--rate-limit <n>', description: 'answer 429 above n requests a second', value: 'count' },
      { flags: '--faults <file>', description: 'a schedule of faults to rehearse', value: 'text' },
      {
        flags: '--token <token=permission>',
        description: 'accept this token; none, read-variables, manage-workspaces or admin; repeatable',
        value: 'texts',
      },
      {
        flags: '--profile <axis=value>',
        description: 'behave otherwise where the interface is silent; repeatable',
        value: 'texts',
      },
      {
        flags: '--expose-to-network <host>',
        description: 'listen on this address: anyone who reaches it and has the token may write',
        value: 'text',
      },
    ],
    examples: [
      ['setpoint sandbox --port 8080', 'prints one line with its address and token'],
      [
        'setpoint sandbox --data sandbox.journal --rate-limit 30',
        'one that remembers, and limits as the real service does',
      ],
    ],
    load: () => import('./commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'A tour on the sandbox: plan, apply, drift, repair. Leaves a small repository behind.',
    argument: { name: 'directory', description: 'where to (default: setpoint-demo)' },
    options: [...output.slice(0, 2)],
    examples: [['setpoint demo', 'two minutes from nothing to a repaired drift']],
    load: () => import('./commands/demo.ts'),
  },
]
