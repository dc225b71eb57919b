import { categoryOf, nameOf, type StackId, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import type { AffectedChange, AffectedGroup } from '../plan/effective/affected-list.ts'
import type { Plan } from '../plan/plan.ts'
import { distinct, type Places } from './places.ts'
import type { FactOf } from './vocabulary.ts'

/** One fact for each change of a key, with everybody who sees it. */
export function effectFacts(
  { facts: { affected } }: Plan,
  sets: readonly FactOf<'Set'>[],
  places: Places,
): FactOf<'Effect'>[] {
  if (affected === undefined) return []
  const variableIn = valuesIn(sets)
  const workspaces = seeingBy(affected.workspaces)
  const stacks = seeingBy(affected.stacks)
  const isOpen = affected.unknown !== undefined
  return affected.changes.map((change, at) =>
    factOf(change, workspaces.get(at) ?? [], stacks.get(at) ?? [], isOpen, variableIn, places),
  )
}

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

function factOf(
  { key, change, before, after }: AffectedChange,
  seeing: readonly WorkspaceId[],
  stacks: readonly StackId[],
  isOpen: boolean,
  variableIn: ReturnType<typeof valuesIn>,
  places: Places,
): FactOf<'Effect'> {
  const workspaces = seeing.map(id => places.workspace(id))
  return {
    kind: change,
    key: nameOf(key),
    category: categoryOf(key),
    from: before?.set,
    to: after?.set,
    before: variableIn(before?.set, key)?.before?.value,
    after: variableIn(after?.set, key)?.value,
    workspaces,
    projects: distinct([...workspaces.map(({ project }) => project), ...(isOpen ? [''] : [])]),
    stacks: stacks.map(id => places.nameOf(id)),
    count: workspaces.length,
    everywhere: isOpen,
  }
}

/** The variable of a set of ours. */
function valuesIn(sets: readonly FactOf<'Set'>[]) {
  const bySet = new Map<string, Map<string, FactOf<'Variable'>>>()
  const byName = new Map(sets.map(set => [set.name, set]))
  return (name: string | undefined, key: VariableKey): FactOf<'Variable'> | undefined => {
    const set = name === undefined ? undefined : byName.get(name)
    if (set === undefined) return undefined
    const variables =
      bySet.get(set.name) ??
      new Map([...set.variables, ...set.deleted].map(one => [`${one.category}/${one.key}`, one]))
    bySet.set(set.name, variables)
    return variables.get(key)
  }
}
