import { relative, resolve } from 'node:path'
import { readDirectory } from '../../api/directory.ts'
import { loadConfiguration } from '../../config/load.ts'
import { directoryYaml } from '../../config/write.ts'
import { TARGET_KINDS, TARGETS } from '../../model/ids.ts'
import { plural } from '../../model/lists.ts'
import { writeWhole } from '../../run/write-files.ts'
import { EXIT, type Run, required } from '../command.ts'
import { loadOptions } from '../load.ts'
import { withConnection } from '../session.ts'

const READABLE = 0o644

/** Does not read the set files, because they may need the names that this writes. */
export const run: Run = async io => {
  const { organization, directoryFile } = required(io, await loadConfiguration(loadOptions(io)))
  const named = { organization, sets: [], directory: { workspaces: [], projects: [] } }
  return await withConnection(io, named, async service => {
    const directory = required(io, await readDirectory(service.reader, organization, { stacks: true }))
    const text = directoryYaml(io.redactor.in(directory), organization)
    if (io.options.out === '-') {
      io.stdout.write(text)
      return EXIT.done
    }
    const path = io.options.out === undefined ? directoryFile : resolve(io.cwd, io.options.out)
    await writeWhole(io.cwd, path, text, READABLE)
    const counts = TARGET_KINDS.flatMap(kind => {
      const entries = directory[kind]
      return entries === undefined ? [] : [plural(entries.length, TARGETS[kind].one)]
    })
    io.stdout.write(`${relative(io.cwd, path)}: ${counts.join(', ')}.\n`)
    return EXIT.done
  })
}
