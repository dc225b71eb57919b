import { serviceNameOf } from '../model/fields.ts'
import { selects } from '../model/names.ts'
import type { Guards, ResolvedSet } from '../model/variable-set.ts'
import type { BasePlan } from './base.ts'
import type { Match } from './match.ts'
import type { Block } from './plan-data.ts'

/** A set that `guards.protect` covers now, and not by the name that this plan gives it. */
export interface LeftProtection {
  readonly set: ResolvedSet
  /** The protected name. */
  readonly name: string
}

/**
 * Sets that leave the protection by another name, so that a later change could delete them. Protected are the name in the service, the id,
 * and the name that the base declares.
 */
export function leavesProtection(match: Match, guards: Guards, base: BasePlan | undefined): LeftProtection[] {
  const declared = new Map(base?.match.pairs.map(({ desired, observed }) => [observed?.id, desired]))
  const isProtected = (name: string): boolean => selects(guards.protect, { name })
  return match.pairs.flatMap(({ desired, observed }) => {
    if (observed === undefined || selects(guards.protect, { name: desired.name, id: observed.id })) return []
    if (isProtected(serviceNameOf(desired))) return []
    const before = declared.get(observed.id)
    const names = [observed.name, ...(before === undefined ? [] : [before.name, serviceNameOf(before)])]
    const name = names.find(isProtected)
    return name === undefined ? [] : { set: desired, name }
  })
}

export const guardProtection = (left: readonly LeftProtection[]): Block[] =>
  left.map(({ set: { name: set, source }, name }) => ({
    code: 'protected-name',
    message: `"${name}" is protected, and would no longer be under its new name "${set}".`,
    item: { kind: 'set', set },
    source,
  }))
