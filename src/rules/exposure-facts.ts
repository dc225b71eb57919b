import { nameOf, type VariableKey } from '../model/ids.ts'
import type { Exposure } from '../plan/effective/effect.ts'
import { distinct, type Places } from './places.ts'
import { type SetSource, targetsThen } from './set-facts.ts'
import type { FactOf } from './vocabulary.ts'

/** Who newly receives which variables, one fact for each finding of the plan. */
export function exposureFacts(
  { secrets, global, added = [] }: Exposure,
  sets: readonly SetSource[],
  places: Places,
): FactOf<'Exposure'>[] {
  const byName = new Map(sets.map(set => [set.name, set]))
  const placesOf = (set: SetSource | undefined) => set && places.of(targetsThen(set))
  const fact = (
    kind: string,
    {
      set,
      keys,
      count,
    }: { readonly set: string; readonly keys: readonly VariableKey[]; readonly count?: number },
    everywhere: boolean,
    { workspaces, projects, stacks }: Targeted = NOBODY,
  ): FactOf<'Exposure'> => {
    const reached = [...projects, ...workspaces.map(({ project }) => project), ...(everywhere ? [''] : [])]
    return {
      kind,
      set,
      keys: keys.map(nameOf),
      everywhere,
      workspaces,
      projects: distinct(reached),
      stacks,
      count,
    }
  }
  return [
    ...secrets.map(one => fact('secret', one, one.everywhere, places.of(one))),
    ...global.map(one => fact('global', one, true)),
    ...added.map(one => fact('added', one, one.global, placesOf(byName.get(one.set)))),
  ]
}

type Targeted = Pick<FactOf<'Set'>, 'workspaces' | 'projects' | 'stacks'>
const NOBODY: Targeted = { workspaces: [], projects: [], stacks: [] }
