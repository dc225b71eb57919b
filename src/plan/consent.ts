import { idsOf, nameOf, type ProjectId, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import { plural, shortList } from '../model/lists.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { isUnfinished } from './completion.ts'
import type { NewReach } from './effective/effect.ts'
import { adoptionOf } from './guards.ts'
import { setFinder } from './items.ts'
import type { Step } from './plan-data.ts'
import { type Block, newBlocks, type Plan } from './plan-data.ts'
import { type Conflict, compareReviewed } from './reviewed-plan.ts'

/** What an apply would do beyond what was agreed to, and what of it is done already. */
export interface ConsentVerdict {
  readonly conflicts: readonly Conflict[]
  /** What blocks now, and was not agreed to. */
  readonly blocks: readonly Block[]
  /** Agreed steps that are already done. */
  readonly done: readonly Step[]
}

/**
 * The one comparison of what was agreed to with what an apply would do now: for plan files, one or several, and for the plan that somebody
 * said "yes" to. Operations by their rows (`compareReviewed`), what blocks, sets that are taken from other owners, and who newly receives
 * which secret: nothing may be there that was not agreed to. Members of projects are compared where both sides were told.
 */
export function consentTo(
  agreed: readonly [Plan, ...Plan[]],
  now: Plan,
  observed: ObservedState,
): ConsentVerdict {
  const { conflicts, done } = compareReviewed(agreed, now, observed)
  const blocks = newBlocks(now.blocks, {
    blocks: [...agreed.flatMap(plan => plan.blocks), ...madeByAgreed(agreed, observed).map(adoptionOf)],
    // What is left of one plan takes away no more than all of it, whatever share it is of what is there now.
    measured: (agreed.length === 1 && conflicts.length === 0 && done.length > 0) || undefined,
  })
  return {
    conflicts: [...conflicts, ...takenOtherwise(agreed, now), ...reachedOtherwise(agreed, now, observed)],
    blocks,
    done,
  }
}

/** The sets that the agreed plans created, as far as they got: they are in no inventory, and are nobody else's. */
function madeByAgreed(agreed: readonly Plan[], observed: ObservedState): string[] {
  const setOf = setFinder(observed)
  return agreed.flatMap(({ steps }) =>
    steps.flatMap(({ operation }) => {
      const set = setOf(operation)
      const isMade = operation.type === 'create-set' && set !== undefined && isUnfinished(operation, set)
      return isMade ? [operation.subject.name] : []
    }),
  )
}

/** Sets that are taken from another owner, and were not when this was agreed to. */
function takenOtherwise(agreed: readonly Plan[], now: Plan): Conflict[] {
  const known = new Map(agreed.flatMap(({ facts }) => facts.inventory.taken.map(one => [one.id, one.owner])))
  return now.facts.inventory.taken.flatMap(({ set, id, owner }) => {
    const before = known.get(id)
    const text = (from: string | undefined): string =>
      from === undefined ? 'not taken' : `taken from "${from}"`
    return before === owner ? [] : [{ id: `adopt ${set}`, reviewed: text(before), now: text(owner) }]
  })
}

/**
 * Who would newly receive a secret, and was not told when this was agreed to. Whoever received it before the agreed plans does not newly
 * receive it, although one of their steps that is done took it away: half of a replacement, or an assignment that gives way to another.
 */
function reachedOtherwise(agreed: readonly Plan[], now: Plan, observed: ObservedState): Conflict[] {
  const targets = new Set<string>()
  const members = new Map<string, Set<WorkspaceId>>()
  for (const { facts } of agreed)
    for (const one of facts.newReach)
      for (const key of one.keys) {
        for (const target of one.targets) targets.add(reachKey(one.set, key, target))
        for (const [project, ids] of membersIn(one)) {
          const place = reachKey(one.set, key, project)
          members.set(place, new Set([...(members.get(place) ?? []), ...ids]))
        }
      }
  return now.facts.newReach.flatMap(one => {
    const received = receivedBefore(one.set, agreed, now, observed)
    const newTargets = one.targets.filter(target =>
      one.keys.some(key => !targets.has(reachKey(one.set, key, target)) && !received(key, target)),
    )
    const newMembers = membersIn(one).flatMap(([project, ids]) =>
      ids.filter(id =>
        one.keys.some(
          key => members.get(reachKey(one.set, key, project))?.has(id) === false && !received(key, id),
        ),
      ),
    )
    return [...newTargets, ...newMembers].map(target => ({
      id: `secrets ${one.set}`,
      reviewed: `${nameIn(now, target)} does not newly receive ${keysText(one.keys)}`,
      now: `${nameIn(now, target)} newly receives ${keysText(one.keys)}`,
    }))
  })
}

/** Whether a target received a key from a set before anything of the agreed plans was done. */
function receivedBefore(
  name: string,
  agreed: readonly Plan[],
  now: Plan,
  observed: ObservedState,
): (key: VariableKey, target: string) => boolean {
  const isOfSet = ({ operation: { subject } }: Step): boolean =>
    subject.name === name && subject.id !== undefined
  const done = agreed.flatMap(({ steps }) => steps.filter(isOfSet))
  const id = [...now.steps, ...done].find(isOfSet)?.operation.subject.id
  const set = observed.sets.find(one => one.id === id)
  if (set === undefined) return () => false
  const keys = new Set(set.variables.map(({ key }) => key))
  const targets = new Set<string>(idsOf(set))
  let isEverywhere = set.global
  for (const { operation } of done) {
    if (operation.type === 'delete-variable') keys.add(operation.before.key)
    else if (operation.type === 'unassign') for (const target of operation.targets.ids) targets.add(target)
    else if (operation.type === 'update-set' && operation.before.global) isEverywhere = true
  }
  return (key, target) => keys.has(key) && (isEverywhere || targets.has(target))
}

const reachKey = (set: string, key: VariableKey, target: string): string => JSON.stringify([set, key, target])

const membersIn = ({ members = {} }: NewReach) =>
  Object.entries(members) as [ProjectId, readonly WorkspaceId[]][]

const nameIn = ({ names }: Plan, target: string): string => names[target] ?? target

const keysText = (keys: readonly VariableKey[]): string => shortList(keys.map(nameOf))

/**
 * What the digest of a plan cannot name: workspaces of a project that newly receive a secret. Whoever agreed to the digest alone may have
 * been told others. Absent if there are none.
 */
export function beyondDigest({ facts, names }: Plan): string | undefined {
  const told = facts.newReach.flatMap(one =>
    membersIn(one).flatMap(([project, ids]) => (ids.length === 0 ? [] : [{ ...one, project, ids }])),
  )
  const [first] = told
  if (first === undefined) return undefined
  const { set, project, ids, keys } = first
  return `${plural(ids.length, 'workspace')} of the project ${names[project] ?? project} newly ${ids.length === 1 ? 'receives' : 'receive'} ${keysText(keys)} of "${set}", and a digest does not name members of projects.`
}
