import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import type { BasePlan } from './base.ts'
import type { Matched } from './match-states.ts'
import { desiredDigest, holdsLastApplied } from './ownership.ts'

/** A set that has another name in the service than when it was applied. */
export interface RenamedOutside {
  readonly desired: ResolvedSet
  readonly observed: ObservedSet
}

/**
 * Sets that the plan would create, although our inventory lists them under an id whose set has another name by now. The entry has no
 * name, but its digest covers it: it must be that of the files, of the files of the base, or of the set with the name of the files. A
 * set of another owner cannot be renamed back.
 */
export function renamedOutside({ match, ownership }: Matched, base: BasePlan | undefined): RenamedOutside[] {
  if (ownership.entries.size === 0) return []
  const pruned = match.removals.flatMap(({ observed, source }) => (source === undefined ? [observed] : []))
  const open = [...match.untouched.filter(({ id }) => !match.unselected.has(id)), ...pruned].filter(set =>
    ownership.isListed(set),
  )
  if (open.length === 0) return []
  const before = new Map(base?.match.pairs.map(({ desired }) => [desired.name, desired]))
  return match.pairs.flatMap(({ desired, observed }) => {
    if (observed !== undefined) return []
    const versions = [desired, before.get(desired.name) ?? desired].map(desiredDigest)
    const found = open.find(set => {
      const entry = ownership.entries.get(set.id)
      if (entry === undefined || entry.damaged || ownersDiffer(set, desired)) return false
      return (
        versions.includes(entry.digest) || holdsLastApplied({ ...set, name: serviceNameOf(desired) }, entry)
      )
    })
    return found === undefined ? [] : [{ desired, observed: found }]
  })
}

/** A warning for each, at its line, with the line to write there. */
export const renamedWarnings = (renamed: readonly RenamedOutside[]): Diagnostic[] =>
  renamed.map(({ desired, observed }) =>
    warning(
      'renamed-outside',
      `"${desired.name}" has the name "${observed.name}" in the service: somebody renamed it since the last apply.`,
      `To rename it back, write "previousNames: ${previousNamesLine(desired, observed)}" in the set. To keep the new name, write it in the file. Otherwise an apply creates "${desired.name}" beside it.`,
      desired.source,
    ),
  )

/** A flow list in YAML; JSON strings are YAML. */
const previousNamesLine = ({ previousNames }: ResolvedSet, { name }: ObservedSet): string =>
  `[${[...previousNames, name].map(yamlName).join(', ')}]`

const yamlName = (name: string): string =>
  /^[a-z][\w-]*$/i.test(name) && !/^(?:true|false|null)$/i.test(name) ? name : JSON.stringify(name)
