import { commandWord } from '../../model/diagnostic.ts'
import { didYouMean } from '../../model/names.ts'
import { misuse } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { schemaText } from '../../run/package-files.ts'
import { SCHEMA_NAMES } from '../../run/schema-names.gen.ts'
import type { CommandRun } from '../command.ts'

/** Prints a published schema, or lists all of them. */
export const run: CommandRun = async (io, name) => {
  const known = SCHEMA_NAMES.find(one => one === name)
  if (name !== undefined && known === undefined) {
    const hint = didYouMean(name, SCHEMA_NAMES, commandWord) ?? `There are: ${SCHEMA_NAMES.join(', ')}.`
    misuse(io, `There is no schema ${JSON.stringify(name)}.`, hint)
  }
  io.stdout.write(known === undefined ? `${SCHEMA_NAMES.join('\n')}\n` : schemaText(known))
  return EXIT.done
}
