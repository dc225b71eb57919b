import { compareText } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { byKind, TARGETS, type TargetIds, type TargetKind } from '../model/ids.ts'
import type { Directory, DirectoryEntry, DirectoryLists } from '../model/variable-set.ts'
import type { SourceFile } from './source-file.ts'
import { childOf, entriesOf, entryOf, type Node, textOf } from './tree.ts'

export const NO_DIRECTORY: Directory = { workspaces: [], projects: [] }

/** Names and ids of `directory.yaml`, sorted by name. */
export function readDirectoryFile(
  tree: Node,
  file: SourceFile,
  organization: string,
  findings: Findings,
): Directory {
  const written = entryOf(tree, 'organization')
  const name = textOf(written?.value)
  if (written !== undefined && name !== undefined && organization !== '' && name !== organization)
    findings.error(
      'organization-mismatch',
      file.at(written.at),
      `The directory file is for the organization "${name}", but setpoint.yaml is for "${organization}".`,
      'Run `setpoint directory` to write it again.',
    )
  const ofKind = <K extends TargetKind>(kind: K): readonly DirectoryEntry<TargetIds[K]>[] | undefined => {
    const written = childOf(tree, kind)
    if (written === undefined) return undefined
    const { isId } = TARGETS[kind]
    return entriesOf(written)
      .flatMap(({ key, at, value }): DirectoryEntry<TargetIds[K]>[] => {
        const id = textOf(value) ?? textOf(childOf(value, 'id'))
        const project = textOf(childOf(value, 'project'))
        if (id === undefined || !isId(id)) return []
        return [{ name: key, id, project, source: file.at(at) }]
      })
      .sort(byName)
  }
  return { ...NO_DIRECTORY, ...byKind<DirectoryLists>(ofKind) }
}

export const byName = (a: { name: string }, b: { name: string }): number => compareText(a.name, b.name)
