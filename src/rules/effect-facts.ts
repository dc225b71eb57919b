import { categoryOf, nameOf, type StackId, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import type { AffectedChange, AffectedGroup } from '../plan/effective/affected-list.ts'
import type { Plan } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import { distinct, type Places } from './places.ts'
import type { SetSource } from './set-facts.ts'
import { type Readers, type Table, tableOf } from './table.ts'
import { type AnyVariable, beforeIn, readable, variablesBySet } from './variable-facts.ts'

/** One fact for each change of a key, with everybody who sees it. */
export function effectTable(
  { facts: { affected } }: Plan,
  sets: readonly SetSource[],
  places: Places,
  hides: Hides,
): Table {
  const workspaces = seeingBy(affected?.workspaces ?? [])
  const stacks = seeingBy(affected?.stacks ?? [])
  const isOpen = affected?.unknown !== undefined
  const variableIn = variablesIn(sets)
  const valueOfVariable = (one: AnyVariable | undefined) => one && readable(one, hides)
  const seeing = ({ at }: EffectSource) => (workspaces.get(at) ?? []).map(id => places.workspace(id))
  const readers: Readers<'Effect', EffectSource> = {
    kind: ({ change }) => change,
    key: ({ key }) => nameOf(key),
    category: ({ key }) => categoryOf(key),
    from: ({ before }) => before?.set,
    to: ({ after }) => after?.set,
    before: ({ before, key }) => valueOfVariable(variableIn(before?.set, key)?.was),
    after: ({ after, key }) => valueOfVariable(variableIn(after?.set, key)?.now),
    workspaces: seeing,
    projects: one => distinct([...seeing(one).map(({ project }) => project), ...(isOpen ? [''] : [])]),
    stacks: ({ at }) => (stacks.get(at) ?? []).map(id => places.nameOf(id)),
    count: ({ at }) => workspaces.get(at)?.length ?? 0,
    everywhere: () => isOpen,
  }
  return tableOf([(affected?.changes ?? []).map((change, at) => ({ ...change, at }))], readers)
}

type EffectSource = AffectedChange & { readonly at: number }

/** Who sees each change, by its position. */
function seeingBy<Id extends WorkspaceId | StackId>(groups: readonly AffectedGroup<Id>[]): Map<number, Id[]> {
  const seeing = new Map<number, Id[]>()
  for (const { members, changes } of groups)
    for (const change of changes) {
      const known = seeing.get(change) ?? []
      seeing.set(change, known)
      for (const { id } of members) known.push(id)
    }
  return seeing
}

interface NowAndWas {
  readonly now: AnyVariable
  readonly was?: AnyVariable
}

/** The variable of a set of ours, with what it was. */
function variablesIn(sets: readonly SetSource[]) {
  const byName = new Map(sets.map(set => [set.name, set]))
  const known = new Map<SetSource, ReadonlyMap<VariableKey, NowAndWas>>()
  return (name: string | undefined, key: VariableKey): NowAndWas | undefined => {
    const set = name === undefined ? undefined : byName.get(name)
    if (set === undefined) return undefined
    let variables = known.get(set)
    if (variables === undefined) {
      const was = beforeIn(set)
      const [all = []] = variablesBySet([set])
      variables = new Map(all.map(now => [now.key, { now, was: was(now) }]))
      known.set(set, variables)
    }
    return variables.get(key)
  }
}
