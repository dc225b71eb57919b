import { suggest } from '../../model/names.ts'
import { EXIT, type Run } from '../command.ts'
import { sayDiagnostics } from '../io.ts'
import { schemaNames, schemaText } from '../package-files.ts'

/** Prints a published schema, or lists all of them. */
export const run: Run = async (io, options, name) => {
  const names = await schemaNames()
  if (name === undefined) {
    io.stdout.write(`${names.toSorted().join('\n')}\n`)
    return EXIT.done
  }
  if (!names.includes(name)) {
    const near = suggest(name, names)
    const hint =
      near === undefined
        ? `There are: ${names.toSorted().join(', ')}.`
        : `Did you mean ${JSON.stringify(near)}?`
    sayDiagnostics(io, options, [
      {
        severity: 'error',
        code: 'bad-usage',
        message: `There is no schema ${JSON.stringify(name)}.`,
        hint,
      },
    ])
    return EXIT.error
  }
  io.stdout.write(await schemaText(name))
  return EXIT.done
}
