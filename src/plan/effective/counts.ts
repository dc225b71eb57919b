import { isVariableKey, type TargetId } from '../../model/ids.ts'
import { grouped } from '../../model/lists.ts'
import { changesOf, type ItemName } from '../items.ts'
import type { Operation } from '../operation.ts'
import type { ItemCounts, Member } from './effect.ts'
import { isProject, isStack, isWorkspace, type KnownMembers } from './members.ts'
import type { Receivers } from './receivers.ts'
import type { Reception } from './reception.ts'
import type { SetState } from './set-state.ts'

/** Of each set that the operations change, in their order. */
export function countsOf(
  operations: readonly Operation[],
  { moving, members }: Pick<Reception, 'moving' | 'members'>,
  receivers: Receivers,
): ItemCounts[] {
  const changed = new Map(moving.map(set => [(set.after ?? set.before)?.name, set]))
  return [...grouped(operations, ({ subject }) => subject.name)].map(([set, own]) => {
    const { before, after } = changed.get(set) ?? {}
    const receiving = receivingOf(before && receivers.of(before), after && receivers.of(after), members)
    const items = own.flatMap(changesOf).flatMap(([item]): [ItemName, number][] => {
      const count = countOf(item, before, after, receiving, members)
      return count === undefined ? [] : [[item, count]]
    })
    return { set, workspaces: receiving.either, items: Object.fromEntries(items) }
  })
}

/** Numbers of workspaces that receive a set; `undefined`: not all are told. */
interface Receiving {
  readonly before: number | undefined
  readonly after: number | undefined
  /** Before or after. */
  readonly either: number | undefined
  /** Only before, or only after. */
  readonly one: number | undefined
}

function receivingOf(
  was: ReadonlySet<Member> = new Set(),
  is: ReadonlySet<Member> = new Set(),
  known: KnownMembers,
): Receiving {
  const [before, after] = [told(was, known), told(is, known)]
  if (was === is) return { before, after, either: before, one: 0 }
  const one = [...[...was].filter(member => !is.has(member)), ...[...is].filter(member => !was.has(member))]
  return { before, after, either: told([...was, ...is], known), one: told(one, known) }
}

function countOf(
  item: ItemName,
  before: SetState | undefined,
  after: SetState | undefined,
  receiving: Receiving,
  { membersOf, isWhole, inProject }: KnownMembers,
): number | undefined {
  const id = item as TargetId
  if (isWorkspace(id)) return 1
  if (isStack(id)) return undefined
  if (isProject(id)) {
    const listed = isWhole ? inProject.get(id) : membersOf.get(id)
    return listed?.filter(isWorkspace).length ?? (isWhole ? 0 : undefined)
  }
  if (item === 'global') return receiving.one
  if (!isVariableKey(item)) return receiving.either
  const [was, is] = [before?.held.has(item), after?.held.has(item)]
  return was ? (is ? receiving.either : receiving.before) : receiving.after
}

/** Their number; `undefined` if a project or all others stand for workspaces that are not told. */
function told(members: Iterable<Member>, { isWhole, membersOf }: KnownMembers): number | undefined {
  const workspaces = new Set<Member>()
  for (const member of members) {
    if (member === 'others' || (isProject(member) && !isWhole && !membersOf.has(member))) return undefined
    if (isWorkspace(member)) workspaces.add(member)
  }
  return workspaces.size
}
