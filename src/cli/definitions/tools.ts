import type { CommandDefinition } from '../command.ts'
import { output } from '../flags.ts'

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
    load: () => import('../commands/schema.ts'),
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
    load: () => import('../commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'A tour on the sandbox: plan, apply, drift, repair. Leaves a small repository behind.',
    argument: { name: 'directory', description: 'where to (default: setpoint-demo)' },
    options: [...output.slice(0, 2)],
    examples: [['setpoint demo', 'two minutes from nothing to a repaired drift']],
    load: () => import('../commands/demo.ts'),
  },
]
