import { categoryOf, nameOf, type StackId, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import type { AffectedChange, AffectedGroup } from '../plan/effective/affected-list.ts'
import type { Plan } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import { distinct, type Places } from './places.ts'
import type { SetSource } from './set-facts.ts'
import { type Asked, type Readers, type Table, tableOf } from './table.ts'
import { type VariableSource, valueBefore, valueNow, variablesOf } from './variable-facts.ts'

/** One fact for each change of a key, with everybody who sees it. */
export function effectTable(
  { facts: { affected } }: Plan,
  sets: readonly SetSource[],
  places: Places,
  hides: Hides,
  asked: Asked,
): Table {
  if (asked.Effect === undefined) return { size: 0, columns: {} }
  const workspaces = seeingBy(affected?.workspaces ?? [])
  const stacks = seeingBy(affected?.stacks ?? [])
  const isOpen = affected?.unknown !== undefined
  const variableIn = variablesIn(sets)
  const seeing = ({ at }: EffectSource) => (workspaces.get(at) ?? []).map(id => places.workspace(id))
  const readers: Readers<'Effect', EffectSource> = {
    kind: ({ change }) => change,
    key: ({ key }) => nameOf(key),
    category: ({ key }) => categoryOf(key),
    from: ({ before }) => before?.set,
    to: ({ after }) => after?.set,
    before: ({ before, key }) => valueBefore(variableIn(before?.set, key), hides),
    after: ({ after, key }) => valueNow(variableIn(after?.set, key), hides),
    workspaces: seeing,
    projects: one => distinct([...seeing(one).map(({ project }) => project), ...(isOpen ? [''] : [])]),
    stacks: ({ at }) => (stacks.get(at) ?? []).map(id => places.nameOf(id)),
    count: ({ at }) => workspaces.get(at)?.length ?? 0,
    everywhere: () => isOpen,
  }
  const sources = (affected?.changes ?? []).map((change, at) => ({ ...change, at }))
  return tableOf(sources, readers, asked.Effect)
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

/** The variable of a set of ours, with what it was. */
function variablesIn(sets: readonly SetSource[]) {
  const byName = new Map(sets.map(set => [set.name, set]))
  const known = new Map<SetSource, ReadonlyMap<VariableKey, VariableSource>>()
  return (name: string | undefined, key: VariableKey): VariableSource | undefined => {
    const set = name === undefined ? undefined : byName.get(name)
    if (set === undefined) return undefined
    let variables = known.get(set)
    if (variables === undefined) {
      const { stay, go } = variablesOf(set, true)
      variables = new Map([...stay, ...go].map(one => [(one.desired ?? one.was).key, one]))
      known.set(set, variables)
    }
    return variables.get(key)
  }
}
