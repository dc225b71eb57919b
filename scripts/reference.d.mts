import type { CommandDefinition } from '../src/cli/command.ts'

type Meanings = readonly (readonly [number, string])[]

export function referencePages(program: {
  readonly commands: readonly CommandDefinition[]
  readonly meanings: Meanings
}): Promise<Readonly<Record<'cli.md' | 'files.md' | 'diagnostics.md', string>>>

export function exitTable(meanings: Meanings): string

export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[]
