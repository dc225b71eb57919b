import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { loadGroups } from '../../config/load.ts'
import { realPath } from '../../config/read.ts'
import { matchesAny, unmatchedPatterns } from '../../model/names.ts'
import { differs, groupsText } from '../../report/group-report.ts'
import { sealLines } from '../../report/neutralise.ts'
import { endIfStopped, fail, required } from '../../run/commands/ending.ts'
import { loadOptions } from '../../run/commands/load-files.ts'
import { withConnection } from '../../run/commands/session.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { groupDifferences, updatedGroups } from '../../run/group-updates.ts'
import { writeWhole } from '../../run/write-files.ts'
import type { Run } from '../command.ts'
import { layoutOf } from '../io.ts'

/** Shows how the lists of groups differ from the service, and rewrites them. Writes nothing to the service. */
export const run: Run = async io => {
  const { update, detailedExitcode } = io.options
  const loaded = required(io, loadGroups(loadOptions(io)))
  const { organization, groups, root } = loaded
  const names = groups.map(({ name }) => ({ name }))
  const unmatched = unmatchedPatterns({ flag: '--update', of: 'group' }, update, names)
  if (groups.length > 0 && unmatched.length > 0) fail(io, ...unmatched)
  return await withConnection(io, { organization, sets: [] }, async service => {
    const found = required(io, await groupDifferences(service, loaded))
    const isUpdated = ({ group }: { readonly group: string }): boolean => matchesAny(update, group)
    const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
    const files = required(io, await updatedGroups(loaded.groups, found.filter(isUpdated), read))
    endIfStopped(io)
    for (const { path, text } of files) {
      const real = realPath(join(root, path)) ?? join(root, path)
      const { mode } = await stat(real)
      writeWhole(io.cwd, real, text, mode & 0o777)
    }
    const left = found.filter(one => !isUpdated(one) && differs(one)).length
    io.stdout.write(
      sealLines(groupsText(io.redactor.in(found), { ...layoutOf(io), verbose: io.options.verbose, left })),
    )
    return detailedExitcode && found.some(differs) ? EXIT.changes : EXIT.done
  })
}
