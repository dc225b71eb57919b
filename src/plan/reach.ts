import { compareText } from '../model/diagnostic.ts'
import {
  assignmentsOf,
  listIn,
  listsOf,
  type TargetKind,
  type TargetLists,
  type WithPlaces,
} from '../model/ids.ts'
import type { Directory } from '../model/variable-set.ts'
import { assignmentsThen } from './draft.ts'
import { idsIn } from './effective/effect.ts'
import { partsOf } from './items.ts'
import type { Match } from './match.ts'
import type { Operation } from './operation.ts'
import type { Plan, Step } from './plan.ts'

/** Where a set applies at one moment. Ids are sorted. */
export interface SetScope extends WithPlaces<{ readonly [K in TargetKind]?: readonly string[] }> {
  readonly global: boolean
  readonly priority: boolean
}

/** A set of ours, changed or not. A new set has no `before`, a deleted one no `after`. */
export interface SetReach {
  /** The name as in the operations of the plan. */
  readonly set: string
  readonly before?: SetScope
  readonly after?: SetScope
}

/** What each set of ours reaches before and after a plan. Only for readers; a plan does not carry it. */
export interface Reach {
  /** Sorted by name. */
  readonly sets: readonly SetReach[]
  /** Known names by id. */
  readonly names: Readonly<Record<string, string>>
  /** The project of each workspace and Stack by id, as far as the directory says it. */
  readonly projectOf: Readonly<Record<string, string>>
  /** Taken from the directory file; the service was not asked. */
  readonly claimed?: true
}

/** Pure. Covers the selection of the match. */
export function reachOf(
  { pairs, removals }: Pick<Match, 'pairs' | 'removals'>,
  directory: Directory,
  names: Readonly<Record<string, string>>,
): Reach {
  const sets = [
    ...pairs.map((pair): SetReach => {
      const { name, global, priority } = pair.desired
      const targets = assignmentsThen(pair.desired, pair.observed)
      return {
        set: name,
        before: pair.observed && scopeOf(pair.observed),
        after: scopeOf({ global, priority, ...targets }),
      }
    }),
    ...removals.map(removal => ({ set: removal.observed.name, before: scopeOf(removal.observed) })),
  ]
  return {
    sets: sets.toSorted((a, b) => compareText(a.set, b.set)),
    names,
    projectOf: Object.fromEntries(projectsOf(directory)),
    claimed: directory.live?.includes('workspaces') ? undefined : true,
  }
}

const scopeOf = (set: Pick<SetScope, 'global' | 'priority'> & TargetLists): SetScope => ({
  global: set.global,
  priority: set.priority,
  ...assignmentsOf(listsOf(kind => listIn(set, kind)?.toSorted(compareText))),
})

/** The project of each workspace and Stack by id, if the directory has it. */
export function projectsOf({ workspaces, stacks = [], projects }: Directory): ReadonlyMap<string, string> {
  const ids = new Map(projects.map(({ name, id }) => [name, id]))
  return new Map(
    [...workspaces, ...stacks].flatMap(({ id, project }) => {
      const found = project === undefined ? undefined : ids.get(project)
      return found === undefined ? [] : [[id, found]]
    }),
  )
}

/** Targets that an operation newly assigns, and the owning project of a new set. */
export function newTargetsOf(operation: Operation): TargetLists {
  if (operation.type === 'create-set') {
    const { parent, projects } = operation.after
    return parent === undefined ? operation.after : { ...operation.after, projects: [...projects, parent] }
  }
  return operation.type === 'assign' ? { [operation.targets.kind]: operation.targets.ids } : {}
}

/** All targets that the steps newly assign, sorted. */
export function newTargets(steps: readonly Step[]): TargetLists {
  const each = steps.map(({ operation }) => newTargetsOf(operation))
  return listsOf(kind => [...new Set(each.flatMap(lists => lists[kind] ?? []))].toSorted())
}

/** The names of what the plan mentions, and no others. */
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
