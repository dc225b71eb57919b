import type { OptionDefinition } from './arguments.ts'
import { type CommandDefinition, SHELLS } from './command.ts'
import { ADOPT, INSPECT, TOOLS } from './definitions-by-hand.ts'
import { COLOURS, CONNECTION, FILES, FLAGS, OUTPUT, REPORTS } from './flags.ts'

/** What a plan is made from: the same for the command that shows it and the one that carries it out. */
const planning: readonly OptionDefinition[] = [
  ...FILES,
  FLAGS.shard,
  ...CONNECTION,
  FLAGS.only,
  FLAGS.adopt,
  FLAGS.rewrite,
  FLAGS.secrets,
  FLAGS.base,
]

/** What a pipeline runs again and again. */
export const RECONCILE: readonly CommandDefinition[] = [
  {
    name: 'validate',
    summary: 'Check the files, without a connection.',
    several: true,
    options: [
      ...FILES,
      FLAGS.shard,
      FLAGS.resolved,
      { ...FLAGS.format, choices: ['text', 'json'] },
      ...COLOURS,
      {
        ...FLAGS.quiet,
        description: 'say nothing where the files are valid, and only errors where they are not',
      },
    ],
    examples: [
      ['setpoint validate', 'every mistake at once, each with its place'],
      ['setpoint validate --quiet', 'in a hook: nothing, or what is wrong'],
      ['setpoint validate --format json', 'the same for programs: schemas/validation.schema.json'],
      ['setpoint validate --resolved', 'what the files say once bases are merged in'],
    ],
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'plan',
    summary: 'Show what an apply would do. Cannot write.',
    several: true,
    options: [...planning, FLAGS.snapshot, FLAGS.out, ...REPORTS, FLAGS.detailedExitcode, ...OUTPUT],
    examples: [
      ['setpoint plan', 'what would change, and why'],
      ['setpoint plan --out plan.json --detailed-exitcode', 'save it; exit 2 if there is something to do'],
      ['setpoint plan --base origin/main', 'what this branch changes, apart from what differed before it'],
      ['setpoint plan --only "aws-*" --format markdown', 'a part, as a comment for a pull request'],
    ],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'apply',
    summary: 'Make the service equal to the files.',
    argument: { name: 'planfile', description: 'a reviewed plan: exactly this is done, or nothing' },
    several: true,
    options: [
      ...planning,
      FLAGS.autoApprove,
      FLAGS.approve,
      FLAGS.expectNoDrift,
      FLAGS.failFast,
      FLAGS.events,
      ...REPORTS,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint apply', 'shows the plan and asks'],
      ['setpoint apply plan.json', 'the reviewed plan, or a refusal that says what moved'],
      ['setpoint apply --approve DIGEST', 'the plan of this digest, without carrying a file'],
      ['sops -d secrets.yaml | setpoint apply --auto-approve --secrets -', 'values from a vault of any kind'],
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'drift',
    summary: 'Say whether the service differs from the files: exit 2 if it does.',
    several: true,
    options: [
      ...FILES,
      FLAGS.shard,
      ...CONNECTION,
      FLAGS.only,
      FLAGS.adopt,
      FLAGS.secrets,
      ...REPORTS,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint drift', 'for a schedule: exit 0 equal, 2 drift, 1 could not tell'],
      ['setpoint drift --format json', 'the same for a program'],
    ],
    load: () => import('./commands/drift.ts'),
  },
  {
    name: 'show',
    summary: 'Print a saved plan.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote' },
    options: [FLAGS.C, FLAGS.format, ...COLOURS],
    examples: [['setpoint show plan.json --format markdown', 'a saved plan as a comment']],
    load: () => import('./commands/show.ts'),
  },
]

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
    load: () => import('./commands/snapshot.ts'),
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
    load: () => import('./commands/comment.ts'),
  },
]

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
