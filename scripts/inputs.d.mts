import type { CommandDefinition } from '../src/cli/command.ts'
import type * as tables from '../src/run/options.ts'

export function inputsCode(
  of: Pick<typeof tables, 'GROUPS' | 'OPTIONS' | 'ruleOf'> & {
    readonly COMMANDS: readonly CommandDefinition[]
  },
): string
