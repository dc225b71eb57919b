import type { OptionDefinition } from '../arguments.ts'
import type { CommandDefinition } from '../command.ts'
import { CONNECTION, FILES, FLAGS, OUTPUT } from '../flags.ts'

const references: OptionDefinition = {
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
      references,
      FLAGS.firstSet,
      FLAGS.pipeline,
      ...OUTPUT,
    ],
    examples: [
      ['setpoint init acme --pipeline github', 'ends with: 60 sets, 0 changes'],
      ['setpoint init acme --secrets references', 'and every sensitive variable names a secret'],
      ['setpoint init acme --sandbox', 'a first set, to try it without an account'],
    ],
    load: () => import('../commands/init.ts'),
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
      references,
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
    load: () => import('../commands/export.ts'),
  },
]
