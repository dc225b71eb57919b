import { resolvedYaml } from '../../config/write.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { loadFiles } from '../load.ts'

/** Every mistake at once, on stderr; on stdout one line, or the sets with their bases merged in. */
export const run: Run = async (io, options) => {
  const desired = await loadFiles(io, options)
  if (desired === undefined) return EXIT.error
  const { sets, files } = desired
  const variables = sets.reduce((sum, set) => sum + set.variables.length, 0)
  io.stdout.write(
    options.resolved
      ? resolvedYaml(desired)
      : `Valid: ${count(sets.length, 'set')}, ${count(variables, 'variable')} in ${count(files, 'file')}.\n`,
  )
  return EXIT.done
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
