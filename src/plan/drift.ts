import { changesOf } from './items.ts'
import { rewriteOf } from './operation.ts'
import type { Plan } from './plan.ts'

/** Why one set differs from the files, as far as its origins tell. */
export interface SetDrift {
  readonly set: string
  /** Something of it was changed in the service since the last apply. */
  readonly isOutside: boolean
  /** Something of it was merged and never applied. */
  readonly isNotApplied: boolean
  /** Something that the service has is changed, and nothing tells whether it was touched there. */
  readonly isDoubtful: boolean
}

/** Every set that the plan changes, in the order of its steps. */
export function driftOf({ steps, facts }: Pick<Plan, 'steps' | 'facts'>): SetDrift[] {
  const origins = new Map(facts.origins.map(({ set, items }) => [set, items]))
  const sets = new Map<string, { rewritten: boolean; doubtful: boolean }>()
  for (const { operation } of steps) {
    const known = origins.get(operation.subject.name) ?? {}
    const seen = sets.get(operation.subject.name) ?? { rewritten: false, doubtful: false }
    sets.set(operation.subject.name, seen)
    const rewrite = rewriteOf(operation)
    seen.rewritten ||= rewrite === 'changed-outside'
    // A set that does not exist yet cannot have been touched, and why a secret is written again is known.
    if (operation.type !== 'create-set' && rewrite === undefined)
      seen.doubtful ||= changesOf(operation).some(([name]) => known[name] === undefined)
  }
  return [...sets].map(([set, { rewritten, doubtful }]) => {
    const told = Object.values(origins.get(set) ?? {})
    return {
      set,
      isOutside: rewritten || told.includes('outside'),
      isNotApplied: told.includes('not-applied'),
      isDoubtful: doubtful,
    }
  })
}
