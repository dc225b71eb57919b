import { readdir, readFile } from 'node:fs/promises'
import { suggest } from '../../model/suggest.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'

const FOLDER = new URL('../../../schemas/', import.meta.url)
const ENDING = '.schema.json'

/** Prints a published schema as it stands in the package, or the names of all. */
export const run: Run = async (io, _options, name) => {
  const names = (await readdir(FOLDER))
    .filter(file => file.endsWith(ENDING))
    .map(file => file.slice(0, -ENDING.length))
  if (name === undefined) {
    io.stdout.write(`${names.toSorted().join('\n')}\n`)
    return EXIT.done
  }
  if (!names.includes(name)) {
    const near = suggest(name, names)
    io.stderr.write(`error bad-usage\n  There is no schema ${JSON.stringify(name)}.\n`)
    io.stderr.write(
      `  ${near === undefined ? `There are: ${names.toSorted().join(', ')}.` : `Did you mean "${near}"?`}\n`,
    )
    return EXIT.error
  }
  io.stdout.write(await readFile(new URL(`${name}${ENDING}`, FOLDER), 'utf8'))
  return EXIT.done
}
