import type { OptionDefinition } from './arguments.ts'
import { FLAGS } from './flags.ts'

/** Two flags of one option, which is undefined if neither is given. */
export const COLOURS: readonly OptionDefinition[] = [
  { flags: '--color', description: 'print colours even if the output is not a terminal' },
  { flags: '--no-color', description: 'print no colours' },
]

/** Flags that go together. */
export const FILES: readonly OptionDefinition[] = [FLAGS.C, FLAGS.config, FLAGS.limit]
export const CONNECTION: readonly OptionDefinition[] = [
  FLAGS.sandbox,
  FLAGS.address,
  FLAGS.concurrency,
  FLAGS.rate,
]
export const REPORTS: readonly OptionDefinition[] = [FLAGS.format, FLAGS.report, FLAGS.markdownLimit]
export const OUTPUT: readonly OptionDefinition[] = [...COLOURS, FLAGS.verbose, FLAGS.quiet]
