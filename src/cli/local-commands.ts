import { SCHEMA_NAMES } from '../run/schema-names.gen.ts'
import type { CommandDefinition } from './command.ts'
import { COLOURS, CONNECTION, FILES, FLAGS, type OptionDefinition, OUTPUT, PLANNED } from './flags.ts'

/** Commands that show what exists, and what a run needs. */
export const INSPECT: readonly CommandDefinition[] = [
  {
    name: 'explain',
    summary: 'Show which variables a workspace receives, and from which set; or who receives one variable.',
    argument: { name: 'workspace', description: 'name or id of a workspace or a Stack' },
    options: [
      ...FILES,
      ...CONNECTION,
      FLAGS.key,
      FLAGS.from,
      { ...FLAGS.format, choices: ['text', 'json', 'markdown'] },
      ...OUTPUT,
    ],
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
    summary: 'List the workspaces and Stacks that get other values from an apply.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote (default: plan now)' },
    options: [
      ...FILES,
      ...CONNECTION,
      ...PLANNED,
      FLAGS.verify,
      { ...FLAGS.format, choices: ['text', 'json', 'ids', 'matrix'] },
      ...OUTPUT,
    ],
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
    options: [
      ...FILES,
      ...CONNECTION,
      {
        ...FLAGS.update,
        flags: '--update [pattern]',
        description:
          'rewrite the lists of all groups, or of those with matching names, keeping comments and order; repeatable',
        preset: '*',
      },
      { ...FLAGS.detailedExitcode, description: 'exit 2 if a list differs, or was rewritten' },
      ...OUTPUT,
    ],
    examples: [
      ['setpoint groups', 'show who would enter and leave each group'],
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
    summary: 'Run the cases of rules: changes, and the rules that each should violate.',
    argument: {
      name: 'dir',
      description: 'directories of rules, with cases in tests/ (default: rules next to setpoint.yaml)',
      repeatable: true,
    },
    options: [...FILES, { ...FLAGS.format, choices: ['text', 'json'] }, ...COLOURS],
    examples: [
      ['setpoint test', 'run the cases in rules/tests, and list the rules that no case triggers'],
      ['setpoint test ../platform/rules', 'test the rules of the pipeline'],
    ],
    load: () => import('./commands/test-command.ts'),
  },
  {
    name: 'secrets',
    summary: 'List the secrets that the files reference, as text or as a block for your CI.',
    options: [
      ...FILES,
      FLAGS.only,
      FLAGS.secrets,
      {
        ...FLAGS.format,
        description: 'a list, or a block to paste into your CI configuration',
        choices: ['text', 'github', 'gitlab', 'dotenv'],
      },
      ...COLOURS,
    ],
    examples: [['setpoint secrets --format github', 'print the env: block for a GitHub Actions step']],
    load: () => import('./commands/secrets-command.ts'),
  },
]

const secretForms: OptionDefinition = {
  ...FLAGS.secrets,
  flags: '--secrets <how>',
  description:
    'write sensitive variables as references (secret: NAME) or as external: true (default: external; from a Terraform state: references)',
  choices: ['references', 'external'],
}

/** Commands that write files from what exists. */
export const ADOPT: readonly CommandDefinition[] = [
  {
    name: 'init',
    summary: 'Create setpoint.yaml, export the existing sets, add a CI pipeline. Never overwrites a file.',
    argument: {
      name: 'organization',
      description: 'organization to export (default: SETPOINT_ORGANIZATION)',
    },
    options: [
      FLAGS.C,
      ...CONNECTION,
      {
        ...FLAGS.only,
        description: 'export only the sets whose name matches, and set `owns` to these patterns; repeatable',
      },
      FLAGS.owner,
      secretForms,
      FLAGS.firstSet,
      FLAGS.pipeline,
      // A switch here: the pipeline has the file.
      {
        flags: '--snapshot',
        description: 'plan pull requests from a snapshot, so that they hold no token; requires --pipeline',
      },
      {
        ...FLAGS.onlyThisChange,
        description: 'with --pipeline: a merge writes only its own change, and leaves all other drift',
      },
      ...OUTPUT,
    ],
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
    summary: 'Write the existing sets, variables and assignments to files.',
    argument: { name: 'organization', description: 'organization to export (default: the configured one)' },
    options: [
      ...FILES,
      ...CONNECTION,
      FLAGS.only,
      {
        ...FLAGS.out,
        flags: '--out <dir>',
        description: 'directory to write to, one file for each set (default: stdout)',
      },
      secretForms,
      FLAGS.update,
      FLAGS.terraformState,
      {
        ...FLAGS.format,
        description: 'set files, or a Terraform configuration that imports what exists',
        choices: ['yaml', 'terraform'],
        fallback: 'yaml',
      },
      ...OUTPUT,
    ],
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
    options: [
      FLAGS.C,
      {
        ...FLAGS.out,
        flags: '--out <dir>',
        description: 'directory to write to, one file for each set, never over a file (default: stdout)',
      },
      ...COLOURS,
      { ...FLAGS.quiet, description: 'print no list of the secrets to provide' },
    ],
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
    options: [
      ...FILES,
      ...CONNECTION,
      { ...FLAGS.autoApprove, description: 'do not ask for confirmation' },
      ...OUTPUT,
    ],
    examples: [['setpoint release', 'list the sets that stay, and ask for confirmation']],
    load: () => import('./commands/release-command.ts'),
  },
]

/** All other commands. */
export const TOOLS: readonly CommandDefinition[] = [
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
    options: [
      FLAGS.port,
      FLAGS.seed,
      FLAGS.data,
      FLAGS.terraformRc,
      FLAGS.latency,
      FLAGS.rateLimit,
      FLAGS.faults,
      FLAGS.token,
      FLAGS.profile,
      FLAGS.exposeToNetwork,
    ],
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
    options: [...COLOURS],
    examples: [['setpoint demo', 'takes two minutes, from an empty directory to a repaired drift']],
    load: () => import('./commands/demo-command.ts'),
  },
]
