import { resolvedYaml } from '../../config/write.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { checkedFiles, loadFiles } from '../load.ts'

/** Every mistake at once, on stderr; on stdout one line, or the sets with their bases merged in. */
export const run: Run = async (io, options) => {
  if (options.resolved) {
    const desired = await loadFiles(io, options)
    if (desired === undefined) return EXIT.error
    io.stdout.write(resolvedYaml(desired))
    return EXIT.done
  }
  const extent = await checkedFiles(io, options)
  if (extent === undefined) return EXIT.error
  const { sets, variables, files } = extent
  io.stdout.write(
    `Valid: ${count(sets, 'set')}, ${count(variables, 'variable')} in ${count(files, 'file')}.\n`,
  )
  return EXIT.done
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
