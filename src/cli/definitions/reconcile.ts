import type { CommandDefinition } from '../command.ts'
import { base, connection, files, format, only, output, owning, reports, secrets, shard } from '../flags.ts'
import type { OptionDefinition } from '../options.ts'

/** What a plan is made from: the same for the command that shows it and the one that carries it out. */
const planning: readonly OptionDefinition[] = [...files, shard, ...connection, only, ...owning, secrets, base]

/** What a pipeline runs again and again. */
export const RECONCILE: readonly CommandDefinition[] = [
  {
    name: 'validate',
    summary: 'Check the files, without a connection.',
    several: true,
    options: [
      ...files,
      shard,
      { flags: '--resolved', description: 'print the sets with their bases merged in' },
      ...output.slice(0, 2),
    ],
    examples: [
      ['setpoint validate', 'every mistake at once, each with its place'],
      ['setpoint validate --resolved', 'what the files say once bases are merged in'],
    ],
    load: () => import('../commands/validate.ts'),
  },
  {
    name: 'plan',
    summary: 'Show what an apply would do. Cannot write.',
    several: true,
    options: [
      ...planning,
      {
        flags: '--snapshot <file>',
        description: 'plan from what setpoint snapshot wrote: no credentials, no network',
        value: 'text',
      },
      { flags: '--out <file>', description: 'save the plan, for review and for apply', value: 'text' },
      format,
      ...reports,
      { flags: '--detailed-exitcode', description: 'exit 2 with changes, 4 where a guard blocks them' },
      ...output,
    ],
    examples: [
      ['setpoint plan', 'what would change, and why'],
      ['setpoint plan --out plan.json --detailed-exitcode', 'save it; exit 2 if there is something to do'],
      ['setpoint plan --base origin/main', 'what this branch changes, apart from what differed before it'],
      ['setpoint plan --only "aws-*" --format markdown', 'a part, as a comment for a pull request'],
    ],
    load: () => import('../commands/plan.ts'),
  },
  {
    name: 'apply',
    summary: 'Make the service equal to the files.',
    argument: { name: 'planfile', description: 'a reviewed plan: exactly this is done, or nothing' },
    several: true,
    options: [
      ...planning,
      { flags: '--auto-approve', description: 'do not ask; a guard still blocks' },
      {
        flags: '--approve <digest>',
        description:
          'consent to exactly the plan of this digest, guards included: all 64 digits, at a terminal 12 are enough; A,B for several organizations',
        value: 'text',
      },
      {
        flags: '--expect-no-drift',
        description: 'refuse where something was changed outside; needs an owner in the configuration',
      },
      { flags: '--fail-fast', description: 'start nothing new after the first failure' },
      {
        flags: '--events <file>',
        description: 'what happens, a line of JSON each, at the end of this file',
        value: 'text',
      },
      format,
      ...reports,
      ...output,
    ],
    examples: [
      ['setpoint apply', 'shows the plan and asks'],
      ['setpoint apply plan.json', 'the reviewed plan, or a refusal that says what moved'],
      ['setpoint apply --approve DIGEST', 'the plan of this digest, without carrying a file'],
      ['sops -d secrets.yaml | setpoint apply --auto-approve --secrets -', 'values from a vault of any kind'],
    ],
    load: () => import('../commands/apply.ts'),
  },
  {
    name: 'drift',
    summary: 'Say whether the service differs from the files: exit 2 if it does.',
    several: true,
    options: [
      ...files,
      shard,
      ...connection,
      only,
      ...owning.slice(0, 1),
      secrets,
      format,
      ...reports,
      ...output,
    ],
    examples: [
      ['setpoint drift', 'for a schedule: exit 0 equal, 2 drift, 1 could not tell'],
      ['setpoint drift --format json', 'the same for a program'],
    ],
    load: () => import('../commands/drift.ts'),
  },
  {
    name: 'show',
    summary: 'Print a saved plan.',
    argument: { name: 'planfile', description: 'a file that plan --out wrote' },
    options: [...files.slice(0, 1), format, ...output.slice(0, 2)],
    examples: [['setpoint show plan.json --format markdown', 'a saved plan as a comment']],
    load: () => import('../commands/show.ts'),
  },
]
