import { ownersDiffer, settingsDiffer } from '../model/fields.ts'
import {
  idsOf,
  TARGET_KINDS,
  type TargetId,
  type TargetKind,
  type TargetLists,
  targetsOfKind,
} from '../model/ids.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import { hasArrived } from './equality.ts'
import type { Assign, CreateSet, CreateVariable } from './operation.ts'

/** A part of a created set as a request of its own. */
export type Completion = CreateVariable | Assign

/**
 * What a created set lacks. Variables come first, so that no workspace receives a set that is not whole. Targets of a kind that the
 * service does not mention count as there: only it can tell.
 */
export function missingParts({ subject, after }: CreateSet, set: ObservedSet): Completion[] {
  const place = { ...subject, id: set.id }
  const held = new Set(set.variables.map(({ key }) => key))
  const missing = (kind: TargetKind): readonly TargetId[] => {
    const { [kind]: wanted = [] }: TargetLists = after
    const { [kind]: shown = wanted }: TargetLists = set
    const there = new Set<string>(shown)
    return wanted.filter(id => !there.has(id))
  }
  return [
    ...after.variables
      .filter(({ key }) => !held.has(key))
      .map(
        (variable): CreateVariable => ({
          type: 'create-variable',
          subject: place,
          after: variable,
          replaces: false,
        }),
      ),
    ...TARGET_KINDS.map(
      (kind): Assign => ({ type: 'assign', subject: place, targets: targetsOfKind(kind, missing(kind)) }),
    ).filter(({ targets }) => targets.ids.length > 0),
  ]
}

/** The keys of a created set that were not sent, or not like this. Somebody or something else wrote them. */
export function otherVariables(create: CreateSet, set: ObservedSet): string[] {
  const sent = new Map(create.after.variables.map(variable => [variable.key, variable]))
  const isSent = hasArrived(create)
  const others = set.variables.filter((shown, at) => {
    const wanted = sent.get(shown.key)
    const isDouble = set.variables.findIndex(({ key }) => key === shown.key) !== at
    return wanted === undefined || isDouble || !isSent(shown, wanted)
  })
  return [...others, ...set.foreignVariables].map(({ key }) => key)
}

/** Whether a set may be what the creation left behind: the same settings and owner, and nothing in it that was not sent. */
export function isPartOf(create: CreateSet, set: ObservedSet): boolean {
  const { after } = create
  const wanted = new Set<string>(idsOf(after))
  return (
    !settingsDiffer(set, after) &&
    !ownersDiffer(set, after) &&
    otherVariables(create, set).length === 0 &&
    idsOf(set).every(id => wanted.has(id))
  )
}

/** The same, and nothing that this version does not know: what was to be created may be completed, whoever made it. */
export const isUnfinished = (create: CreateSet, set: ObservedSet): boolean =>
  isPartOf(create, set) && set.others === undefined

/**
 * Whether an apply may have ended while it completed the set: it has no assignment yet and nothing that was not sent. Completing it takes
 * nothing from anybody, whoever made it.
 */
export const isHalfMade = (create: CreateSet, set: ObservedSet): boolean =>
  isUnfinished(create, set) && idsOf(set).length === 0
