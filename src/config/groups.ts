import { Findings } from '../model/findings.ts'
import { isCertainId, isProjectId, isWorkspaceId } from '../model/ids.ts'
import { holderOf } from '../model/lists.ts'
import type { Group, GroupMember, GroupSelection } from '../model/variable-set.ts'
import { groupsForm } from './groups-valid.gen.ts'
import { lintDescription } from './lint.ts'
import type { SourceFile } from './source-file.ts'
import {
  childOf,
  entriesOf,
  entryOf,
  isOpen,
  isTrue,
  itemsOf,
  type Node,
  type TreeEntry,
  textOf,
  textsIn,
} from './tree.ts'
import { documentIn, type LoadContext } from './yaml-documents.ts'

interface ReadGroups {
  readonly groups: readonly Group[]
  /** All names of groups are known. */
  readonly complete: boolean
}

/** The groups in these files, the first of each name. */
export function readGroups(paths: readonly string[], { documents, findings }: LoadContext): ReadGroups {
  const groups = new Map<string, Group>()
  let complete = true
  for (const path of paths) {
    const document = documents.read(path, groupsForm)
    if (document === undefined || isOpen(document.tree, 1)) complete = false
    if (document === undefined) continue
    for (const entry of entriesOf(childOf(document.tree, 'groups'))) {
      const group = groupOf(entry, document.file, findings)
      const first = holderOf(groups, group.name, group)
      if (first !== undefined && first.source.path !== group.source.path)
        findings.error(
          'duplicate-set',
          `The group "${group.name}" is already at ${first.source.path}:${first.source.line}.`,
          'Rename one of the two.',
          group.source,
        )
    }
  }
  return { groups: [...groups.values()], complete }
}

/** The groups in a text, to check a file before it is written. `undefined` if there is a mistake in it. */
export function groupsIn(path: string, text: string): readonly Group[] | undefined {
  const findings = new Findings()
  const document = documentIn(path, Buffer.from(text), groupsForm, findings)
  if (document === undefined) return undefined
  const { file, tree } = document
  const groups = entriesOf(childOf(tree, 'groups')).map(entry => groupOf(entry, file, findings))
  return findings.diagnostics.every(({ code }) => code === 'empty-group') ? groups : undefined
}

function groupOf({ key: name, at, value }: TreeEntry, file: SourceFile, findings: Findings): Group {
  const select = childOf(value, 'select')
  const except = childOf(value, 'except')
  if (except !== undefined && select === undefined)
    findings.error(
      'wrong-value',
      `The group "${name}" has \`except\` and no \`select\`.`,
      'Remove `except`. Without `select`, you edit the list by hand: leave those workspaces out of it.',
      file.at(except.at),
    )
  const description = entryOf(value, 'description')
  if (description !== undefined)
    lintDescription(
      textOf(description.value) ?? '',
      file.at(description.at),
      `The description of the group "${name}"`,
      findings,
    )
  const workspaces = childOf(value, 'workspaces')
  const allowEmpty = isTrue(childOf(value, 'allowEmpty'))
  const isEmpty = workspaces === undefined || (workspaces.kind === 'map' && workspaces.entries.length === 0)
  if (isEmpty && !allowEmpty && value.kind === 'map')
    findings.error('empty-group', `The group "${name}" has no workspaces.`, hintOfEmpty(select), file.at(at))
  return {
    name,
    source: file.at(at),
    ...(select !== undefined && { select: selectionOf(select, file) }),
    except: textsIn(except),
    allowEmpty,
    members: membersIn(name, workspaces, file, findings),
  }
}

/** An empty list would take the set from every workspace. */
const hintOfEmpty = (select: Node | undefined): string =>
  select === undefined
    ? 'List them under `workspaces`, or write `allowEmpty: true`.'
    : 'Run `setpoint groups --update` and review the list, or write `allowEmpty: true`.'

function selectionOf(node: Node, file: SourceFile): GroupSelection {
  const [names, tags, projects] = ['names', 'tags', 'projects'].map(key => childOf(node, key))
  return {
    ...(names !== undefined && { names: textsIn(names) }),
    ...(tags !== undefined && {
      tags: entriesOf(tags).map(({ key, value }) => ({ key, value: textOf(value) ?? '' })),
    }),
    ...(projects !== undefined && { projects: itemsOf(projects).flatMap(item => projectIn(item, file)) }),
  }
}

function projectIn(item: Node, file: SourceFile): GroupProject[] {
  const text = textOf(item)
  const source = file.at(item.at)
  if (text === undefined) return []
  if (!isProjectId(text)) return [{ name: text, source }]
  return [{ id: text, source, ...(!isCertainId(text) && { mayBeName: true }) }]
}

type GroupProject = NonNullable<GroupSelection['projects']>[number]

function membersIn(
  group: string,
  node: Node | undefined,
  file: SourceFile,
  findings: Findings,
): GroupMember[] {
  const byId = new Map<string, GroupMember>()
  for (const { key: name, at, value } of entriesOf(node)) {
    const id = textOf(value) ?? ''
    if (!isWorkspaceId(id)) continue
    const member = { group, name, id, source: file.at(at) }
    const first = holderOf(byId, id, member)
    if (first !== undefined && first.name !== name)
      findings.error(
        'duplicate-target',
        `"${name}" has the same id as "${first.name}" on line ${first.source.line}.`,
        'Correct one of the two ids, or remove one of the two.',
        member.source,
      )
  }
  return [...byId.values()]
}
