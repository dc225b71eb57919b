import { categoryOf, nameOf } from '../model/ids.ts'
import type { Plan } from '../plan/plan.ts'
import type { Places } from './places.ts'
import type { FactOf } from './vocabulary.ts'

/** Values that workspaces may see during the apply and that are neither old nor new. */
export const gapFacts = ({ facts: { transition } }: Plan, places: Places): FactOf<'Gap'>[] =>
  transition.gaps.map(({ key, before, seen, after, why, workspaces, count, projects, others }) => ({
    key: nameOf(key),
    category: categoryOf(key),
    from: before?.set,
    seen: seen?.set,
    to: after?.set,
    why,
    workspaces: workspaces.map(id => places.workspace(id)),
    count,
    everywhere: others || projects.length > 0,
  }))
