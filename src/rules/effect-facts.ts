import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import type { Effect, EffectGroup, EffectKind } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan.ts'
import { distinct, type Places } from './places.ts'
import type { FactOf } from './vocabulary.ts'

/** One fact for each key that changes in the same way, with everybody who sees it. */
export function effectFacts(
  { facts }: Plan,
  sets: readonly FactOf<'Set'>[],
  places: Places,
): FactOf<'Effect'>[] {
  const byName = new Map(sets.map(set => [set.name, set]))
  return facts.effective.groups.flatMap(group =>
    group.effects.flatMap(effect => {
      const kind = KINDS[effect.kind]
      return kind === undefined ? [] : [factOf(kind, effect, group, byName, places)]
    }),
  )
}

const KINDS: Readonly<Record<EffectKind, string | undefined>> = {
  gained: 'gained',
  lost: 'lost',
  value: 'changed',
  winner: 'changed',
  source: undefined,
}

function factOf(
  kind: string,
  { key, before, after }: Effect,
  group: EffectGroup,
  byName: ReadonlyMap<string, FactOf<'Set'>>,
  places: Places,
): FactOf<'Effect'> {
  const { workspaces, projects, stacks } = places.of(group)
  const everywhere = group.others || projects.length > 0
  return {
    kind,
    key: nameOf(key),
    category: categoryOf(key),
    from: before?.set,
    to: after?.set,
    before: variableOf(byName.get(before?.set ?? ''), key)?.before?.value,
    after: variableOf(byName.get(after?.set ?? ''), key)?.value,
    workspaces,
    projects: distinct([...workspaces.map(({ project }) => project), ...(everywhere ? [''] : [])]),
    stacks,
    count: group.count,
    everywhere,
  }
}

const variableOf = (set: FactOf<'Set'> | undefined, key: VariableKey): FactOf<'Variable'> | undefined =>
  [...(set?.variables ?? []), ...(set?.deleted ?? [])].find(
    one => one.key === nameOf(key) && one.category === categoryOf(key),
  )
