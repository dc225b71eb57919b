import type { CommandDefinition } from '../../src/cli/command.ts'

export function cliPage(
  commands: readonly CommandDefinition[],
  meanings: readonly (readonly [number, string])[],
): string
