import { listsOf, type TargetLists } from '../model/ids.ts'
import { idsIn } from './effective/facts.ts'
import { partsOf } from './items.ts'
import type { Operation } from './operation.ts'
import type { Plan, Step } from './plan.ts'

/** Where an operation brings a set that was not there, and which project comes to own one. */
export function newTargetsOf(operation: Operation): TargetLists {
  if (operation.type === 'create-set') {
    const { parent, projects } = operation.after
    return parent === undefined ? operation.after : { ...operation.after, projects: [...projects, parent] }
  }
  return operation.type === 'assign' ? { [operation.targets.kind]: operation.targets.ids } : {}
}

/** Everything that the steps newly assign, each once, sorted. */
export function newTargets(steps: readonly Step[]): TargetLists {
  const each = steps.map(({ operation }) => newTargetsOf(operation))
  return listsOf(kind => [...new Set(each.flatMap(lists => lists[kind] ?? []))].toSorted())
}

/** Only the names of what the plan mentions, so that a plan says no more than it has to. */
export function namesIn(
  { steps, facts }: Pick<Plan, 'steps' | 'facts'>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  if (Object.keys(names).length === 0) return {}
  const mentioned = steps.flatMap(({ operation }) =>
    partsOf(operation).flatMap((item): string[] => {
      if (item.kind === 'set') return [item.before?.parent ?? [], item.after?.parent ?? []].flat()
      return item.kind === 'target' ? [item.id] : []
    }),
  )
  return Object.fromEntries(
    [...new Set([...mentioned, ...idsIn(facts)])].toSorted().flatMap(id => {
      const name = names[id]
      return name === undefined ? [] : [[id, name]]
    }),
  )
}
