import type { OptionDefinition } from './arguments.ts'
import type { CommandDefinition } from './command.ts'
import { COLOURS, CONNECTION, FILES, FLAGS, OUTPUT } from './flags.ts'

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
    load: () => import('./commands/explain.ts'),
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
    load: () => import('./commands/secrets.ts'),
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
    load: () => import('./commands/directory.ts'),
  },
]

const secretForms: OptionDefinition = {
  ...FLAGS.secrets,
  flags: '--secrets <how>',
  description:
    'sensitive variables as references (secret: NAME, with a list of names to provide) or as external: true (default; from a state: references)',
  choices: ['references', 'external'],
}

/** How files come from what is there already. */
export const ADOPT: readonly CommandDefinition[] = [
  {
    name: 'init',
    summary: 'Begin: configuration, the sets that the organization has, a pipeline. Overwrites nothing.',
    argument: { name: 'organization', description: 'whose sets to write (default: SETPOINT_ORGANIZATION)' },
    options: [
      FLAGS.C,
      ...CONNECTION,
      { ...FLAGS.only, description: 'only sets whose name matches, which becomes `owns`; repeatable' },
      FLAGS.owner,
      secretForms,
      FLAGS.firstSet,
      FLAGS.pipeline,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint init acme --pipeline github', 'ends with: 60 sets, 0 changes'],
      ['setpoint init acme --secrets references', 'and every sensitive variable names a secret'],
      ['setpoint init acme --sandbox', 'a first set, to try it without an account'],
    ],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'export',
    summary: 'Write what the service holds as files: sets, variables and assignments.',
    argument: { name: 'organization', description: 'instead of the one of the configuration' },
    options: [
      ...FILES,
      ...CONNECTION,
      FLAGS.only,
      {
        ...FLAGS.out,
        flags: '--out <dir>',
        description: 'into this directory, one file a set (default: stdout)',
      },
      FLAGS.oneFile,
      secretForms,
      FLAGS.update,
      FLAGS.terraformState,
      ...OUTPUT,
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
]

/** Published schemas, as `schemas/` has them. */
const SCHEMAS = [
  'setpoint',
  'sets',
  'directory',
  'plan',
  'snapshot',
  'report',
  'several',
  'explanation',
  'event',
  'validation',
] as const

/** What helps beside all of it. */
export const TOOLS: readonly CommandDefinition[] = [
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
      ['setpoint sandbox --port 8080', 'prints one line with its address and token'],
      [
        'setpoint sandbox --data sandbox.journal --rate-limit 30',
        'one that remembers, and limits as the real service does',
      ],
      ['setpoint sandbox --terraform-rc sandbox.tfrc', 'one that terraform can talk to as well'],
    ],
    load: () => import('./commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'A tour on the sandbox: plan, apply, drift, repair. Leaves a small repository behind.',
    argument: { name: 'directory', description: 'where to (default: setpoint-demo)' },
    options: [...COLOURS],
    examples: [['setpoint demo', 'two minutes from nothing to a repaired drift']],
    load: () => import('./commands/demo.ts'),
  },
]
