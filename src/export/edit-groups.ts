import type { GroupMember } from '../model/variable-set.ts'
import { entriesOf, entryOf, mapIn, mapOf, NotEditable, Splices, textOf } from './splices.ts'

/** A workspace of a group, as its list has it. */
export type ListedWorkspace = Pick<GroupMember, 'name' | 'id'>

/** What becomes of the list of a group. */
export interface EditedGroup {
  readonly name: string
  /** Its lines in the order of the file, with the name and id that each gets; `undefined`: it leaves the list. */
  readonly lines: readonly { readonly was: ListedWorkspace; readonly now: ListedWorkspace | undefined }[]
  readonly added: readonly ListedWorkspace[]
}

/**
 * The text of a group file with other lists. Only the lines that differ are rewritten: comments, order and form of everything else stay.
 * `undefined` if a group has a form that cannot be edited.
 */
export function editedGroups(text: string, edited: readonly EditedGroup[]): string | undefined {
  const groups = mapIn(text, 'groups')
  const splices = new Splices(text)
  try {
    for (const group of edited) editGroup(splices, mapOf(entryOf(groups, group.name)?.value), group)
  } catch (error) {
    if (error instanceof NotEditable) return undefined
    throw error
  }
  return splices.result()
}

function editGroup(splices: Splices, group: ReturnType<typeof mapOf>, { lines, added }: EditedGroup): void {
  if (group === undefined) throw new NotEditable()
  const list = entryOf(group, 'workspaces')
  const map = mapOf(list?.value)
  const gone = lines.flatMap(({ was, now }) => (now === undefined ? was.name : []))
  // A list that is empty, or loses everything, is replaced by the new one.
  if (list === undefined || map === undefined || gone.length === lines.length) {
    const entries = new Map(added.map(({ name, id }) => [name, id]))
    if (entries.size > 0 || list === undefined || map === undefined) splices.set(group, 'workspaces', entries)
    else if (gone.length > 0) splices.remove(list.key, map, gone)
    return
  }
  if (gone.length > 0) splices.remove(list.key, map, gone)
  const entries = new Map(entriesOf(map).map(entry => [textOf(entry.key), entry]))
  for (const { was, now } of lines) {
    const entry = entries.get(was.name)
    if (entry === undefined) throw new NotEditable()
    if (now !== undefined && now.id !== was.id) splices.set(map, was.name, now.id, entry)
    if (now !== undefined && now.name !== was.name) splices.rename(entry, now.name)
  }
  // One of them may have the name that another workspace had.
  for (const { name, id } of added) splices.add(map, name, id)
}
