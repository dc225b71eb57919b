import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import { INVENTORY_PREFIX } from '../model/inventory.ts'
import type { Draft } from './draft.ts'
import type { Match } from './match.ts'
import type { Ownership } from './ownership.ts'
import type { Plan, PlanFacts } from './plan.ts'

/**
 * What this plan writes to and the token of this run may not change, as the service says of each set (docs/service.md 10.3).
 * A set that is made is known to nobody, and a service that says nothing forbids nothing.
 */
export function unwritableIn(
  { pairs, removals }: Match,
  ownership: Ownership,
  drafts: readonly Draft[],
  inventoryRequests: number,
): Pick<PlanFacts, 'unwritable'> {
  const ours = [...pairs.flatMap(({ observed }) => observed ?? []), ...removals.map(one => one.observed)]
  const written = new Set(drafts.map(({ operation }) => operation.subject.id))
  const sets = [
    ...ours.filter(({ id, unwritable }) => unwritable === true && written.has(id)).map(({ name }) => name),
    ...(inventoryRequests > 0 && ownership.own.some(({ unwritable }) => unwritable === true)
      ? [INVENTORY_PREFIX + ownership.owner]
      : []),
  ]
  if (sets.length === 0) return {}
  return { unwritable: { sets, readsOnly: ours.every(({ unwritable }) => unwritable === true) } }
}

/** Each at the line that wants it; none where the token reads only, for that is one thing to say and not one a set. */
export function permissionWarnings(
  { pairs, removals }: Match,
  unwritable: PlanFacts['unwritable'],
): Diagnostic[] {
  if (unwritable === undefined || unwritable.readsOnly) return []
  const places = new Map<string, SourceRange | undefined>([
    ...removals.map(({ observed, source }) => [observed.name, source] as const),
    ...pairs.map(({ desired, observed }) => [(observed ?? desired).name, desired.source] as const),
  ])
  return unwritable.sets.map(name => {
    const source = places.get(name)
    return {
      severity: 'warning',
      code: 'no-permission',
      message: `The token of this run may not change "${name}".`,
      hint: 'An apply is refused without a token that may, or has to leave it out (--only).',
      ...(source === undefined ? {} : { source }),
    }
  })
}

/** The plan for whoever only looks: what the token may not change is nothing to them. */
export function withoutPermissions({ facts: { unwritable: _, ...facts }, ...plan }: Plan): Plan {
  return { ...plan, diagnostics: plan.diagnostics.filter(({ code }) => code !== 'no-permission'), facts }
}
