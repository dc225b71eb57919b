import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import { plural } from '../model/lists.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Match } from './match.ts'

/**
 * New sets in place of sets of another owner that reach Stacks, if the name changes: Stacks read sets by name or id (docs/service.md
 * 13.1). Setpoint does not see what a Stack reads.
 */
export const checkReadByStacks = ({ pairs, removals }: Match): Diagnostic[] =>
  pairs.flatMap(({ desired, observed }) => {
    const name = serviceNameOf(desired)
    const old = removals.find(
      ({ observed }) => desired.previousNames.includes(observed.name) && ownersDiffer(observed, desired),
    )?.observed
    if (observed !== undefined || old === undefined || old.name === name) return []
    const count = stacksOf(old)
    if (count === 0) return []
    return [
      warning(
        'read-by-stacks',
        `Stacks read sets by name or id, and "${old.name}" (${old.id}) reaches ${plural(count, 'Stack')}. The new set is called "${name}".`,
        'Change it in the deployment configuration of the Stacks that read this set.',
        desired.source,
      ),
    ]
  })

/** A service that does not list the Stacks of a set counts them. */
const stacksOf = ({ stacks, others = [] }: ObservedSet): number =>
  stacks?.length ?? others.find(({ what }) => what === 'stacks')?.count ?? 0
