import { type CommandDefinition, SHELLS } from './command.ts'
import {
  COLOURS,
  CONNECTION,
  FILES,
  FLAGS,
  type OptionDefinition,
  OUTPUT,
  PLANNED,
  REPORTS,
} from './flags.ts'
import { ADOPT, INSPECT, TOOLS } from './local-commands.ts'

/** Flags of every plan, whether it is shown or applied. */
const planning: readonly OptionDefinition[] = [...FILES, FLAGS.shard, ...CONNECTION, ...PLANNED, FLAGS.rules]

/** Commands that a pipeline runs regularly. */
const RECONCILE: readonly CommandDefinition[] = [
  {
    name: 'validate',
    summary: 'Check the files without connecting to the service.',
    several: true,
    options: [
      ...FILES,
      FLAGS.shard,
      { ...FLAGS.rules, description: 'also check the rules in this directory; repeatable' },
      FLAGS.resolved,
      FLAGS.fixSchema,
      { ...FLAGS.format, choices: ['text', 'json'] },
      ...COLOURS,
      { ...FLAGS.quiet, description: 'print errors only, and nothing if the files are valid' },
    ],
    examples: [
      ['setpoint validate', 'report every mistake with its position'],
      ['setpoint validate --quiet', 'for a hook: print nothing but errors'],
      ['setpoint validate --format json', 'for a program: setpoint schema validation'],
      ['setpoint validate --fix-schema', 'after an upgrade: refresh the schemas for editors'],
      ['setpoint validate --resolved', 'print the sets with their bases merged in'],
    ],
    load: () => import('./commands/validate-command.ts'),
  },
  {
    name: 'plan',
    summary: 'Show the changes that an apply would make. Never writes.',
    several: true,
    options: [...planning, FLAGS.snapshot, FLAGS.out, ...REPORTS, FLAGS.detailedExitcode, ...OUTPUT],
    examples: [
      ['setpoint plan', 'show what would change, and why'],
      ['setpoint plan --out plan.json --detailed-exitcode', 'save the plan; exit 2 if there are changes'],
      ['setpoint plan --base origin/main', 'separate the changes of this branch from earlier drift'],
      [
        'setpoint plan --only "aws-*" --format markdown',
        'plan some of the sets, formatted for a pull request',
      ],
    ],
    load: async () => ({ run: (await import('../run/commands/plan.ts')).plan }),
  },
  {
    name: 'apply',
    summary: 'Make the service match the files.',
    argument: {
      name: 'planfile',
      description: 'reviewed plan files: apply exactly their operations, or nothing',
      repeatable: true,
    },
    several: true,
    options: [
      ...planning,
      FLAGS.autoApprove,
      FLAGS.approve,
      {
        ...FLAGS.out,
        description:
          'save the approved plan in this file first: with --approve DIGEST, it finishes an apply that stopped halfway',
      },
      FLAGS.expectNoDrift,
      FLAGS.failFast,
      ...REPORTS,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint apply', 'show the plan and ask for confirmation'],
      ['setpoint apply plan.json', 'apply the reviewed plan, or refuse and show what changed since'],
      ['setpoint apply --approve DIGEST', 'apply the plan with this digest, without a plan file'],
      [
        'setpoint apply plan.json --approve DIGEST',
        'apply what is left of the approved plan, including what guards block',
      ],
      [
        'sops -d secrets.yaml | setpoint apply --auto-approve --secrets -',
        'read the values of secrets from any vault',
      ],
    ],
    load: () => import('./commands/apply-command.ts'),
  },
  {
    name: 'drift',
    summary: 'Check for drift. Exits 2 if the service differs from the files.',
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
      ['setpoint drift', 'for a schedule: exit 0 without drift, 2 with drift, 1 after an error'],
      ['setpoint drift --format json', 'for a program: setpoint schema report'],
    ],
    load: async () => ({ run: (await import('../run/commands/drift.ts')).drift }),
  },
  {
    name: 'show',
    summary: 'Print a saved plan.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote', required: true },
    options: [FLAGS.C, FLAGS.format, ...COLOURS],
    examples: [['setpoint show plan.json --format markdown', 'format a saved plan for a pull request']],
    load: () => import('./commands/show-command.ts'),
  },
]

/** Commands that a pipeline runs around a plan. */
const PIPELINE: readonly CommandDefinition[] = [
  {
    name: 'ci',
    summary: 'Run a job of a pipeline: plan, apply or report. What it does follows from the event.',
    argument: {
      name: 'step',
      description:
        'plan reads the service, apply writes it, report writes to the forge; tip only checks that this is the newest commit',
      choices: ['plan', 'apply', 'report', 'tip'],
      required: true,
    },
    options: [
      FLAGS.C,
      FLAGS.config,
      FLAGS.guard,
      { ...FLAGS.onlyThisChange, description: 'with plan: a merge writes only its own change' },
      // A switch here: the job hands the file over.
      {
        flags: '--snapshot',
        description: 'with plan, on the default branch: hand over a snapshot, for jobs without a token',
      },
      FLAGS.secrets,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint ci plan', 'in the job with the token that reads'],
      ['setpoint ci apply', 'in the job with the token that writes, on the default branch'],
      ['setpoint ci report', 'in the job that may write to pull requests and issues'],
    ],
    load: () => import('./commands/ci-command.ts'),
  },
  {
    name: 'snapshot',
    summary: 'Save the live state, so that forks can plan without credentials.',
    options: [
      ...FILES,
      ...CONNECTION,
      { ...FLAGS.out, description: 'file to write (default: stdout)' },
      ...OUTPUT,
    ],
    examples: [
      ['setpoint snapshot --out snapshot.json', 'in a job with the token'],
      ['setpoint plan --snapshot snapshot.json', 'in a job without it, such as for a fork'],
    ],
    load: () => import('./commands/snapshot-command.ts'),
  },
  {
    name: 'comment',
    summary: 'Post a report as a comment on the pull or merge request.',
    argument: {
      name: 'file',
      description: 'a Markdown report, a saved plan, or - for stdin',
      required: true,
    },
    options: [FLAGS.C, FLAGS.number, FLAGS.merged, FLAGS.marker, ...OUTPUT],
    examples: [
      ['setpoint plan --report markdown=plan.md', 'first write the report'],
      ['setpoint comment plan.md', 'then post it with the token of the job: GITHUB_TOKEN or GITLAB_TOKEN'],
    ],
    load: () => import('./commands/comment-command.ts'),
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
    summary: 'Print a completion script for your shell.',
    argument: { name: 'shell', description: SHELLS.join(', '), choices: SHELLS, required: true },
    options: [],
    examples: [
      ['source <(setpoint completion bash)', 'in ~/.bashrc'],
      ['setpoint completion zsh > "${fpath[1]}/_setpoint"', 'once; then start a new zsh'],
      ['setpoint completion fish > ~/.config/fish/completions/setpoint.fish', 'once'],
    ],
    load: () => import('./commands/completion-command.ts'),
  },
]
