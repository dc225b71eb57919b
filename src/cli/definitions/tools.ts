import type { CommandDefinition } from '../command.ts'
import { COLOURS, FLAGS } from '../flags.ts'

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
    load: () => import('../commands/schema.ts'),
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
    load: () => import('../commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'A tour on the sandbox: plan, apply, drift, repair. Leaves a small repository behind.',
    argument: { name: 'directory', description: 'where to (default: setpoint-demo)' },
    options: [...COLOURS],
    examples: [['setpoint demo', 'two minutes from nothing to a repaired drift']],
    load: () => import('../commands/demo.ts'),
  },
]
