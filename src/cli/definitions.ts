import { COLOURS, CONNECTION, FILES, OUTPUT, optionsOf, own, PLANNED, REPORTS } from '../run/options.ts'
import { SCHEMA_NAMES } from '../run/schema-names.gen.ts'
import { type CommandDefinition, SHELLS } from './command.ts'

/** Options of every plan, whether it is shown or applied. */
const PLANNING = [...FILES, 'shard', ...CONNECTION, ...PLANNED, 'rules'] as const

const SECRET_FORMS = own('secrets', {
  flag: '--secrets <how>',
  description:
    'write sensitive variables as references (secret: NAME) or as external: true (default: external; from a Terraform state: references)',
  choices: ['references', 'external'],
})

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  // What a pipeline runs regularly.
  {
    name: 'validate',
    asFunction: 'validate',
    summary: 'Check the files without connecting to the service.',
    several: true,
    options: optionsOf(
      ...FILES,
      'shard',
      own('rules', { description: 'also check the rules in this directory' }),
      'resolved',
      'fixSchema',
      own('format', { choices: ['text', 'json'] }),
      ...COLOURS,
      own('quiet', { description: 'print errors only, and nothing if the files are valid' }),
    ),
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
    asFunction: 'plan',
    summary: 'Show the changes that an apply would make. Never writes.',
    several: true,
    options: optionsOf(...PLANNING, 'snapshot', 'out', ...REPORTS, 'detailedExitcode', ...OUTPUT),
    examples: [
      ['setpoint plan', 'show what would change, and why'],
      ['setpoint plan --out plan.json --detailed-exitcode', 'save the plan; exit 2 if there are changes'],
      ['setpoint plan --base origin/main', 'separate the changes of this branch from earlier drift'],
      [
        'setpoint plan --only "aws-*" --format markdown',
        'plan some of the sets, formatted for a pull request',
      ],
    ],
    load: async () => ({ run: (await import('../run/plan.ts')).plan }),
  },
  {
    name: 'apply',
    asFunction: 'apply',
    summary: 'Make the service match the files.',
    argument: {
      name: 'planfile',
      description: 'reviewed plan files: apply exactly their operations, or nothing',
      repeatable: true,
    },
    several: true,
    options: optionsOf(
      ...PLANNING,
      'autoApprove',
      'approve',
      own('out', {
        description:
          'save the approved plan in this file first: with --approve DIGEST, it finishes an apply that stopped halfway',
      }),
      'expectNoDrift',
      'failFast',
      ...REPORTS,
      ...OUTPUT,
    ),
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
    asFunction: 'drift',
    summary: 'Check for drift. Exits 2 if the service differs from the files.',
    several: true,
    options: optionsOf(...FILES, 'shard', ...CONNECTION, 'only', 'adopt', 'secrets', ...REPORTS, ...OUTPUT),
    examples: [
      ['setpoint drift', 'for a schedule: exit 0 without drift, 2 with drift, 1 after an error'],
      ['setpoint drift --format json', 'for a program: setpoint schema report'],
    ],
    load: async () => ({ run: (await import('../run/plan.ts')).drift }),
  },
  {
    name: 'show',
    summary: 'Print a saved plan.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote', required: true },
    options: optionsOf('directory', 'format', ...COLOURS),
    examples: [['setpoint show plan.json --format markdown', 'format a saved plan for a pull request']],
    load: () => import('./commands/show-command.ts'),
  },

  // What a pipeline runs around a plan.
  {
    name: 'ci',
    summary: 'Run a job of a pipeline: plan, apply or report. What it does follows from the event.',
    argument: {
      name: 'step',
      description:
        'plan reads the service, apply writes to it, report writes comments and issues; tip only checks that this is the newest commit',
      choices: ['plan', 'apply', 'reports', 'tip'],
      required: true,
    },
    options: optionsOf(
      'directory',
      'config',
      'guard',
      own('onlyThisChange', { description: 'with plan: a merge writes only its own change' }),
      'withSnapshot',
      'secrets',
      ...OUTPUT,
    ),
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
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      own('out', { description: 'file to write (default: stdout)' }),
      ...OUTPUT,
    ),
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
    options: optionsOf('directory', 'number', 'merged', 'marker', ...OUTPUT),
    examples: [
      ['setpoint plan --report markdown=plan.md', 'first write the report'],
      ['setpoint comment plan.md', 'then post it with the token of the job: GITHUB_TOKEN or GITLAB_TOKEN'],
    ],
    load: () => import('./commands/comment-command.ts'),
  },

  // What shows what exists, and what a run needs.
  {
    name: 'explain',
    asFunction: 'explain',
    summary: 'Show which variables a workspace receives, and from which set; or who receives one variable.',
    argument: { name: 'workspace', description: 'name or id of a workspace or a Stack' },
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      'key',
      'from',
      own('format', { choices: ['text', 'json', 'markdown'] }),
      ...OUTPUT,
    ),
    examples: [
      ['setpoint explain payments-prod', 'show all variables, and mark what an apply would change'],
      ['setpoint explain payments-prod --from live', 'show where the current values come from'],
      [
        'setpoint explain --key DB_PASSWORD',
        'show who receives a variable, from which set, and what that set overrides',
      ],
      ['setpoint explain payments-prod --verbose', 'name the line of the files that gives each value'],
    ],
    load: () => import('./commands/explain-command.ts'),
  },
  {
    name: 'affected',
    asFunction: 'affected',
    summary: 'List the workspaces and Stacks whose values an apply changes.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote (default: plan now)' },
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      ...PLANNED,
      'verify',
      own('format', { choices: ['text', 'json', 'ids', 'matrix'] }),
      ...OUTPUT,
    ),
    examples: [
      ['setpoint affected', 'list all workspaces that may see a change, without further requests'],
      ['setpoint affected --verify', 'also read workspace variables, and drop workspaces that see no change'],
      ['setpoint affected plan.json --format ids', 'for a script: one id per line, from a saved plan'],
      ['setpoint affected plan.json --format matrix', 'for a matrix of GitHub Actions'],
    ],
    load: () => import('./commands/affected-command.ts'),
  },
  {
    name: 'groups',
    summary: 'Compare the groups of workspaces with what their selections match in the service.',
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      own('update', {
        flag: '--update [pattern]',
        description:
          'rewrite the lists of all groups, or of those with matching names, keeping comments and order',
        preset: '*',
      }),
      own('detailedExitcode', { description: 'exit 2 if a list differs, or was rewritten' }),
      ...OUTPUT,
    ),
    examples: [
      ['setpoint groups', 'show which workspaces would enter or leave each group'],
      ['setpoint groups --update', 'rewrite the lists in groups.yaml, for a review in Git'],
      [
        'setpoint groups --update --detailed-exitcode',
        'for a schedule: exit 2 if there is something to review',
      ],
    ],
    load: () => import('./commands/groups-command.ts'),
  },
  {
    name: 'test',
    asFunction: 'test',
    summary: 'Run the cases of rules: changes, and the rules that each should violate.',
    argument: {
      name: 'dir',
      description: 'directories of rules, with cases in tests/ (default: rules next to setpoint.yaml)',
      repeatable: true,
    },
    options: optionsOf(...FILES, own('format', { choices: ['text', 'json'] }), ...COLOURS),
    examples: [
      ['setpoint test', 'run the cases in rules/tests, and list the rules that no case triggers'],
      ['setpoint test ../platform/rules', 'test the rules of the pipeline'],
    ],
    load: () => import('./commands/test-command.ts'),
  },
  {
    name: 'secrets',
    summary: 'List the secrets that the files reference, as text or as a block for your CI.',
    options: optionsOf(
      ...FILES,
      'only',
      'secrets',
      own('format', {
        description: 'a list, or a block to paste into your CI configuration',
        choices: ['text', 'github', 'gitlab', 'dotenv'],
      }),
      ...COLOURS,
    ),
    examples: [['setpoint secrets --format github', 'print the env: block for a GitHub Actions step']],
    load: () => import('./commands/secrets-command.ts'),
  },

  // What writes files from what exists.
  {
    name: 'init',
    summary: 'Create setpoint.yaml, export the existing sets, add a CI pipeline. Never overwrites a file.',
    argument: {
      name: 'organization',
      description: 'organization to export (default: SETPOINT_ORGANIZATION)',
    },
    options: optionsOf(
      'directory',
      ...CONNECTION,
      own('only', {
        description: 'export only the sets whose name matches, and set `owns` to these patterns',
      }),
      'owner',
      SECRET_FORMS,
      'firstSet',
      'pipeline',
      own('withSnapshot', {
        description: 'plan pull requests from a snapshot, so that they hold no token; requires --pipeline',
      }),
      own('onlyThisChange', {
        description: 'with --pipeline: a merge writes only its own change, and leaves all other drift',
      }),
      ...OUTPUT,
    ),
    examples: [
      ['setpoint init acme --pipeline github', 'export everything; the last line is: 60 sets, 0 changes'],
      [
        'setpoint init --pipeline github',
        'write only the pipeline, in a repository that has a setpoint.yaml',
      ],
      [
        'setpoint init acme --pipeline github --snapshot',
        'with a pipeline whose pull requests hold no token of the service',
      ],
      ['setpoint init acme --secrets references', 'reference a secret in every sensitive variable'],
      ['setpoint init acme --sandbox', 'try it without an account, with an example set'],
    ],
    load: () => import('./commands/init-command.ts'),
  },
  {
    name: 'export',
    asFunction: 'exportSets',
    summary: 'Write the existing sets, variables and assignments to files.',
    argument: { name: 'organization', description: 'organization to export (default: the configured one)' },
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      'only',
      own('out', {
        flag: '--out <dir>',
        description: 'directory to write to, one file for each set (default: stdout)',
      }),
      SECRET_FORMS,
      'update',
      'terraformState',
      own('format', {
        description: 'set files, or a Terraform configuration that imports what exists',
        choices: ['yaml', 'terraform'],
        fallback: 'yaml',
      }),
      ...OUTPUT,
    ),
    examples: [
      ['setpoint export --out sets', 'export all sets; a plan of the new files has no changes'],
      ['setpoint export --only "aws-*"', 'print some of the sets'],
      ['setpoint export --update payments-prod', 'accept a change that was made by hand'],
      [
        'terraform state pull | setpoint export --terraform-state - --out sets',
        'migrate from Terraform; prints the next steps',
      ],
      ['setpoint export --format terraform --out terraform', 'go back to Terraform; prints the next steps'],
    ],
    load: () => import('./commands/export-command.ts'),
  },
  {
    name: 'import',
    summary: 'Write a set from .tfvars, .tfvars.json and .env files. Reads nothing from the service.',
    argument: {
      name: 'file',
      description: 'files of values; each becomes a set with its name',
      required: true,
      repeatable: true,
    },
    options: optionsOf(
      'directory',
      own('out', {
        flag: '--out <dir>',
        description: 'directory to write to, one file for each set, never over a file (default: stdout)',
      }),
      ...COLOURS,
      own('quiet', { description: 'print no list of the secrets to provide' }),
    ),
    examples: [
      [
        'setpoint import prod.tfvars',
        'print the set; what looks like a secret is a reference, and is listed',
      ],
      ['setpoint import prod.tfvars .env --out sets', 'write a file for each set'],
    ],
    load: () => import('./commands/import-command.ts'),
  },
  {
    name: 'release',
    summary: 'Stop managing the sets without changing them: delete the inventory, and nothing else.',
    options: optionsOf(
      ...FILES,
      ...CONNECTION,
      own('autoApprove', { description: 'do not ask for confirmation' }),
      ...OUTPUT,
    ),
    examples: [['setpoint release', 'list the sets that stay, and ask for confirmation']],
    load: () => import('./commands/release-command.ts'),
  },

  // All others.
  {
    name: 'schema',
    summary: 'Print a JSON Schema, or list the schemas.',
    argument: { name: 'name', description: SCHEMA_NAMES.join(', '), choices: SCHEMA_NAMES },
    options: [],
    examples: [
      ['setpoint schema', 'list the schemas'],
      ['setpoint schema sets > sets.schema.json', 'for an editor without a network'],
    ],
    load: () => import('./commands/schema-command.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Run a variable-sets service on this machine, for tests.',
    options: optionsOf(
      'port',
      'seed',
      'data',
      'terraformRc',
      'latency',
      'rateLimit',
      'faults',
      'token',
      'profile',
      'exposeToNetwork',
    ),
    examples: [
      ['setpoint sandbox --port 8080', 'start it, and print its address and token'],
      [
        'setpoint sandbox --data sandbox.json --rate-limit 30',
        'keep its state between runs, and limit requests like the real service',
      ],
      ['setpoint sandbox --terraform-rc sandbox.tfrc', 'let Terraform use it too'],
    ],
    load: () => import('./commands/sandbox-command.ts'),
  },
  {
    name: 'demo',
    summary: 'Tour plan, apply and drift in the sandbox, in a new directory.',
    argument: { name: 'directory', description: 'directory to create (default: setpoint-demo)' },
    options: optionsOf(...COLOURS),
    examples: [['setpoint demo', 'takes two minutes, from an empty directory to a repaired drift']],
    load: () => import('./commands/demo-command.ts'),
  },
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
