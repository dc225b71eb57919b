import type { CommandDefinition } from '../src/cli/command.ts'
import type { DIAGNOSTIC_CODES } from '../src/model/diagnostic.ts'
import type { GUARD_CODES } from '../src/plan/plan-data.ts'
import type { SCOPES } from '../src/rules/vocabulary.ts'
import type { BEHAVIOURS, SERVERS } from '../src/sandbox/index.ts'

type Meanings = readonly (readonly [number, string])[]

export function referencePages(program: {
  readonly commands: readonly CommandDefinition[]
  readonly meanings: Meanings
  readonly codes: typeof DIAGNOSTIC_CODES
  readonly guards: typeof GUARD_CODES
  readonly scopes: typeof SCOPES
  readonly behaviours: typeof BEHAVIOURS
  readonly servers: typeof SERVERS
}): Promise<Readonly<Record<'cli.md' | 'files.md' | 'diagnostics.md' | 'rules.md' | 'sandbox.md', string>>>

export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[]
