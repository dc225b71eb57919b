import { compareText } from '../../model/diagnostic.ts'
import type { TargetId, VariableKey } from '../../model/ids.ts'
import type { NewReach } from './effect.ts'
import type { KnownMembers } from './members.ts'
import type { SetState, SetStates } from './set-state.ts'

/** New targets receive every secret of a set, the others those that are new in it. By set, then keys. */
export const newReachOf = (changing: readonly SetStates[], known: KnownMembers): NewReach[] =>
  changing
    .flatMap(({ before, after }) => (after === undefined ? [] : reachOfSet(before, after, known)))
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.keys.join(), b.keys.join()))

function reachOfSet(before: SetState | undefined, after: SetState, known: KnownMembers): NewReach[] {
  const secrets = [...after.held].flatMap(([key, { secret }]) => (secret ? [key] : [])).toSorted(compareText)
  // A readable variable that becomes a secret reaches nobody new.
  const held = secrets.filter(key => before?.held.has(key) === true)
  const fresh = secrets.filter(key => before?.held.has(key) !== true)
  return [...reachOfKeys(held, before, after, known), ...reachOfKeys(fresh, undefined, after, known)]
}

/** `before`: the set, if its targets already have these keys. */
function reachOfKeys(
  keys: readonly VariableKey[],
  before: SetState | undefined,
  after: SetState,
  known: KnownMembers,
): NewReach[] {
  if (keys.length === 0 || before?.global === true) return []
  if (after.global) return [{ set: after.name, keys, targets: ['everything'] }]
  const targets = without(targetsOf(after), before === undefined ? [] : targetsOf(before))
  if (targets.length === 0) return []
  // Nobody is in two projects.
  const reached = new Set(before?.workspaces)
  const members = Object.fromEntries(
    after.projects.flatMap(project => {
      const told = targets.includes(project) ? known.membersOf.get(project) : undefined
      return told === undefined ? [] : [[project, told.filter(id => !reached.has(id)).toSorted(compareText)]]
    }),
  )
  return [{ set: after.name, keys, targets, ...(Object.keys(members).length > 0 && { members }) }]
}

const targetsOf = ({ workspaces, projects, stacks }: SetState): TargetId[] =>
  [...workspaces, ...projects, ...stacks].toSorted(compareText)

const without = <T>(all: readonly T[], others: readonly T[]): T[] => {
  const known = new Set(others)
  return all.filter(one => !known.has(one))
}
