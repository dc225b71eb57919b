import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { loadGroups } from '../../config/load.ts'
import { realPath } from '../../config/read.ts'
import { matchesAny, unmatchedPatterns } from '../../model/names.ts'
import { differs, groupsDoc } from '../../report/groups-doc.ts'
import { textOf } from '../../report/print-text.ts'
import { endIfStopped, fail, required } from '../../run/commands/ending.ts'
import { loadOptions } from '../../run/commands/load-files.ts'
import { withConnection } from '../../run/commands/session.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { groupDifferences, updatedGroups } from '../../run/group-updates.ts'
import { type Run, typedIn } from '../../run/run.ts'
import { writeWhole } from '../../run/write-files.ts'
import type { CommandRun } from '../command.ts'
import { layoutOf } from '../io.ts'

/** Shows how the lists of groups differ from the service, and rewrites them. Writes nothing to the service. */
export const run: CommandRun = async io => {
  const { update, detailedExitcode } = io.options
  const { organization, root, found, files } = await comparedGroups(io, update)
  for (const { path, text } of files) {
    const real = realPath(join(root, path)) ?? join(root, path)
    const { mode } = await stat(real)
    writeWhole(io.cwd, real, text, mode & 0o777)
  }
  const left = found.filter(one => !isNamed(one, update) && differs(one)).length
  io.stdout.write(
    textOf(groupsDoc(io.redactor.in(found), { organization, left, typed: typedIn(io) }), {
      ...layoutOf(io),
      verbose: io.options.verbose,
    }),
  )
  return detailedExitcode && found.some(differs) ? EXIT.changes : EXIT.done
}

const isNamed = ({ group }: { readonly group: string }, patterns: readonly string[]): boolean =>
  matchesAny(patterns, group)

/** How the groups differ from the service, and the files of those with matching names as they should be; paths relative to `root`. */
export async function comparedGroups(io: Run, patterns: readonly string[]) {
  const loaded = required(io, loadGroups(loadOptions(io)))
  const { organization, groups, root } = loaded
  const names = groups.map(({ name }) => ({ name }))
  const unmatched = unmatchedPatterns({ flag: '--update', of: 'group' }, patterns, names)
  if (groups.length > 0 && unmatched.length > 0) fail(io, ...unmatched)
  return await withConnection(io, { organization, sets: [] }, async service => {
    const found = required(io, await groupDifferences(service, loaded))
    const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
    const wanted = found.filter(one => isNamed(one, patterns))
    const files = required(io, await updatedGroups(loaded.groups, wanted, read))
    endIfStopped(io)
    return { organization, root, found, files }
  })
}
