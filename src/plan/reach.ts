import { compareText } from '../model/diagnostic.ts'
import {
  assignmentsOf,
  listIn,
  listsOf,
  TARGET_KINDS,
  type TargetKind,
  type TargetLists,
  type WithPlaces,
} from '../model/ids.ts'
import type { Directory } from '../model/variable-set.ts'
import { assignmentsThen } from './draft.ts'
import { idsIn } from './effective/effect.ts'
import { allItemsOf } from './items.ts'
import { type Match, removalNames } from './match.ts'
import type { Operation } from './operation.ts'
import type { Plan, Step } from './plan-data.ts'

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
  /** The project of each workspace and Stack by id, as far as the service told it. */
  readonly projectOf: Readonly<Record<string, string>>
}

/** Pure. Covers the selection of the match. */
export function reachOf({ pairs, removals }: Pick<Match, 'pairs' | 'removals'>, directory: Directory): Reach {
  const nameOf = removalNames({ pairs, removals })
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
    ...removals.map(({ observed }) => ({ set: nameOf(observed), before: scopeOf(observed) })),
  ]
  return {
    sets: sets.toSorted((a, b) => compareText(a.set, b.set)),
    ...namesIn(directory),
  }
}

const scopeOf = (set: Pick<SetScope, 'global' | 'priority'> & TargetLists): SetScope => ({
  global: set.global,
  priority: set.priority,
  ...assignmentsOf(listsOf(kind => listIn(set, kind)?.toSorted(compareText))),
})

/** The project of each workspace and Stack by id, as far as the service told it. */
export const projectsOf = ({ workspaces, stacks = [] }: Directory): ReadonlyMap<string, string> =>
  new Map(
    [...workspaces, ...stacks].flatMap(({ id, project }) => (project === undefined ? [] : [[id, project]])),
  )

/** Everything that the service told, by id. */
export const namesIn = (directory: Directory): NamesById => ({
  names: Object.fromEntries(
    TARGET_KINDS.flatMap(kind => (directory[kind] ?? []).map(({ id, name }) => [id, name])),
  ),
  projectOf: Object.fromEntries(projectsOf(directory)),
})

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

/** Names of workspaces, projects and Stacks, and the projects of workspaces and Stacks, by id: as far as the service told them. */
export type NamesById = Pick<Plan, 'names' | 'projectOf'>

/** Those of the targets that the plan mentions, and of no others. */
export function mentionedNames(
  { steps, facts, onlyThisChange }: Pick<Plan, 'steps' | 'facts' | 'onlyThisChange'>,
  { names, projectOf }: NamesById,
): NamesById {
  const mentioned = steps.flatMap(({ operation }) =>
    allItemsOf(operation).flatMap((item): string[] => {
      if (item.kind === 'set') return [item.before?.parent ?? [], item.after?.parent ?? []].flat()
      return item.kind === 'target' ? [item.id] : []
    }),
  )
  const drifted = (onlyThisChange?.drift ?? []).flatMap(({ items }) => items)
  const ids = [...new Set([...mentioned, ...idsIn(facts), ...drifted])].toSorted()
  const projects = pick(projectOf, ids)
  return { names: pick(names, [...ids, ...Object.values(projects).toSorted()]), projectOf: projects }
}

/** Its members with these names, in their order. */
const pick = (record: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = Object.hasOwn(record, name) ? record[name] : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )
