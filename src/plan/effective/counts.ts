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
  { changing, members }: Pick<Reception, 'changing' | 'members'>,
  receivers: Receivers,
): ItemCounts[] {
  const changed = new Map(changing.map(set => [(set.after ?? set.before)?.name, set]))
  return [...grouped(operations, ({ subject }) => subject.name)].map(([set, own]) => {
    const { before, after } = changed.get(set) ?? {}
    const receiving = receivingOf(before, after, receivers)
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
  before: SetState | undefined,
  after: SetState | undefined,
  receivers: Receivers,
): Receiving {
  const [was, is] = [before, after].map(state => (state === undefined ? NOBODY : receivers.of(state)))
  if (was === undefined || is === undefined || was === is) {
    const all = receivers.countOf(was ?? NOBODY)
    return { before: all, after: all, either: all, one: 0 }
  }
  const one = [...[...was].filter(member => !is.has(member)), ...[...is].filter(member => !was.has(member))]
  return {
    before: receivers.countOf(was),
    after: receivers.countOf(is),
    either: receivers.countOf(new Set([...was, ...is])),
    one: receivers.countOf(new Set(one)),
  }
}

const NOBODY: ReadonlySet<Member> = new Set()

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
