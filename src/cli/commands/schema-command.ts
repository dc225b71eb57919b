import { suggest } from '../../model/names.ts'
import { misuse } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { schemaNames, schemaText } from '../../run/package-files.ts'
import type { Run } from '../command.ts'

/** Prints a published schema, or lists all of them. */
export const run: Run = async (io, name) => {
  const names = schemaNames().toSorted()
  if (name !== undefined && !names.includes(name)) {
    const near = suggest(name, names)
    const hint =
      near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`
    misuse(io, `There is no schema ${JSON.stringify(name)}.`, hint)
  }
  io.stdout.write(name === undefined ? `${names.join('\n')}\n` : schemaText(name))
  return EXIT.done
}
