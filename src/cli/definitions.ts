import type { CommandDefinition } from './command.ts'
import { connection, files, format, only, output, owning, secrets } from './flags.ts'

export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'validate',
    summary: 'Check the files, without a connection.',
    options: [
      ...files,
      { flags: '--resolved', description: 'print the sets with their bases merged in' },
      ...output.slice(0, 2),
    ],
    examples: [
      ['setpoint validate', 'every mistake at once, each with its place'],
      ['setpoint validate --resolved', 'what the files say once bases are merged in'],
    ],
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'plan',
    summary: 'Show what an apply would do. Cannot write.',
    options: [
      ...files,
      ...connection,
      only,
      ...owning,
      secrets,
      { flags: '--out <file>', description: 'save the plan, for review and for apply', value: 'text' },
      format,
      { flags: '--detailed-exitcode', description: 'exit 2 with changes, 4 where a guard blocks them' },
      ...output,
    ],
    examples: [
      ['setpoint plan', 'what would change, and why'],
      ['setpoint plan --out plan.json --detailed-exitcode', 'save it; exit 2 if there is something to do'],
      ['setpoint plan --only "aws-*" --format markdown', 'a part, as a comment for a pull request'],
    ],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'apply',
    summary: 'Make the service equal to the files.',
    argument: { name: 'planfile', description: 'a reviewed plan: exactly this is done, or nothing' },
    options: [
      ...files,
      ...connection,
      only,
      ...owning,
      secrets,
      { flags: '--auto-approve', description: 'do not ask; a guard still blocks' },
      {
        flags: '--approve <digest>',
        description: 'consent to exactly the plan of this digest, guards included',
        value: 'text',
      },
      { flags: '--fail-fast', description: 'start nothing new after the first failure' },
      format,
      ...output,
    ],
    examples: [
      ['setpoint apply', 'shows the plan and asks'],
      ['setpoint apply plan.json', 'the reviewed plan, or a refusal that says what moved'],
      ['setpoint apply --approve 3f9a1c2b7d4e', 'the plan of this digest, without carrying a file'],
      ['sops -d secrets.yaml | setpoint apply --auto-approve --secrets -', 'values from a vault of any kind'],
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'drift',
    summary: 'Say whether the service differs from the files: exit 2 if it does.',
    options: [...files, ...connection, only, ...owning.slice(0, 1), secrets, format, ...output],
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
    options: [...files.slice(0, 1), format, ...output.slice(0, 2)],
    examples: [['setpoint show plan.json --format markdown', 'a saved plan as a comment']],
    load: () => import('./commands/show.ts'),
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
    name: 'schema',
    summary: 'Print a JSON Schema, or their names.',
    argument: { name: 'name', description: 'setpoint, sets, directory, plan or report' },
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
