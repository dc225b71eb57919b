import type { CommandDefinition } from '../command.ts'
import { connection, files, only, output } from '../flags.ts'
import type { OptionDefinition } from '../options.ts'

const references: OptionDefinition = {
  flags: '--secrets <how>',
  description:
    'sensitive variables as references (secret: NAME, with a list of names to provide) or as external: true (default; from a state: references)',
  value: 'text',
  choices: ['references', 'external'],
}

/** How files come from what is there already. */
export const ADOPT: readonly CommandDefinition[] = [
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
        description:
          'who this repository is among all that manage the organization (default: the name of the directory)',
        value: 'text',
      },
      references,
      {
        flags: '--first-set',
        description: 'an example set where there is none to write (default with --sandbox)',
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
      ...files,
      ...connection,
      only,
      {
        flags: '--out <dir>',
        description: 'into this directory, one file a set (default: stdout)',
        value: 'text',
      },
      { flags: '--one-file', description: 'with --out: all sets in one file' },
      references,
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
    load: () => import('../commands/export.ts'),
  },
]
