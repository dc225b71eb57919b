import type { CommandDefinition } from '../src/cli/command.ts'
import type { CODES } from '../src/model/codes.ts'
import type { GUARDS } from '../src/plan/plan-data.ts'
import type { SCOPES } from '../src/rules/vocabulary.ts'
import type { BEHAVIOURS, SERVERS } from '../src/sandbox/index.ts'

type Meanings = readonly (readonly [number, string])[]

export function referencePages(program: {
  readonly commands: readonly CommandDefinition[]
  readonly meanings: Meanings
  readonly codes: typeof CODES
  readonly guards: typeof GUARDS
  readonly scopes: typeof SCOPES
  readonly behaviours: typeof BEHAVIOURS
  readonly servers: typeof SERVERS
}): Promise<Readonly<Record<'cli.md' | 'files.md' | 'diagnostics.md' | 'rules.md' | 'sandbox.md', string>>>

export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[]
