import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import { plural } from '../model/lists.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Match } from './match.ts'

/**
 * New sets in place of sets of another owner that reach Stacks, if the name changes: Stacks read sets by name or id (docs/service.md
 * 13.1). Setpoint does not see what a Stack reads.
 */
export function checkReadByStacks({ pairs, removals }: Match): Diagnostic[] {
  const reaching = removals.map(({ observed }) => observed).filter(set => stacksOf(set) > 0)
  if (reaching.length === 0) return []
  return pairs.flatMap(({ desired, observed }) => {
    const name = serviceNameOf(desired)
    const old = reaching.find(set => desired.previousNames.includes(set.name) && ownersDiffer(set, desired))
    if (observed !== undefined || old === undefined || old.name === name) return []
    return [
      warning(
        'read-by-stacks',
        `Stacks read sets by name or id, and "${old.name}" (${old.id}) reaches ${plural(stacksOf(old), 'Stack')}. The new set is called "${name}".`,
        'Change it in the deployment configuration of the Stacks that read this set.',
        desired.source,
      ),
    ]
  })
}

/** A service that does not list the Stacks of a set counts them. */
const stacksOf = ({ stacks, others = [] }: ObservedSet): number =>
  stacks?.length ?? others.find(({ what }) => what === 'stacks')?.count ?? 0
