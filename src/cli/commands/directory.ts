import { relative, resolve } from 'node:path'
import { readDirectory } from '../../api/directory.ts'
import { directoryYaml } from '../../config/directory-file.ts'
import { loadConfiguration } from '../../config/load.ts'
import { TARGET_KINDS, TARGETS } from '../../model/ids.ts'
import { plural } from '../../model/lists.ts'
import { writeWhole } from '../../run/write-files.ts'
import { EXIT, type Run } from '../command.ts'
import { sayDiagnostics } from '../io.ts'
import { loadOptions } from '../load.ts'
import { withConnection } from '../session.ts'

const READABLE = 0o644

/** Does not read the set files, because they may need the names that this writes. */
export const run: Run = async (io, options) => {
  const { value: configuration, diagnostics } = await loadConfiguration(loadOptions(io, options))
  sayDiagnostics(io, options, diagnostics)
  if (configuration === undefined) return EXIT.error
  const { organization, directoryFile } = configuration
  const named = { organization, sets: [], directory: { workspaces: [], projects: [] } }
  return await withConnection(io, options, named, async service => {
    const listed = await readDirectory(service.reader, organization, { stacks: true })
    sayDiagnostics(io, options, listed.diagnostics)
    if (listed.value === undefined) return EXIT.error
    const text = directoryYaml(io.redactor.in(listed.value), organization)
    if (options.out === '-') {
      io.stdout.write(text)
      return EXIT.done
    }
    const path = options.out === undefined ? directoryFile : resolve(io.cwd, options.out)
    await writeWhole(io.cwd, path, text, READABLE)
    const directory = listed.value
    const counts = TARGET_KINDS.flatMap(kind => {
      const entries = directory[kind]
      return entries === undefined ? [] : [plural(entries.length, TARGETS[kind].one)]
    })
    io.stdout.write(`${relative(io.cwd, path)}: ${counts.join(', ')}.\n`)
    return EXIT.done
  })
}
