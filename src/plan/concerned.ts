import type { SetOwner } from '../model/fields.ts'
import { listIn, listsOf, type ProjectId, type TargetLists } from '../model/ids.ts'
import type { Directory, Wanted } from '../model/variable-set.ts'
import { assignmentsThen } from './draft.ts'
import { rivalsIn } from './effective/overridden.ts'
import { hasStacks } from './effective/reception.ts'
import { hasOtherOwner, type Match, removalNames } from './match.ts'
import type { Operation } from './operation.ts'
import { missingIn } from './plan-findings.ts'

/**
 * What the service has to tell of a plan, so that it can say who sees what: of the sets that the operations change, that lack an external
 * variable, or that others may override, before and after; and the owners of sets that belong to others. Then the projects of all these.
 * `tellsAll`: the names of all our sets' targets as well, and Stacks. Pure.
 */
export function concernedBy(
  operations: readonly Operation[],
  match: Match,
  told: Directory,
  tellsAll: boolean,
): readonly [Wanted, Wanted] {
  const changed = new Set([
    ...operations.map(({ subject }) => subject.name),
    ...match.pairs.flatMap(pair => (missingIn(pair).length > 0 ? pair.desired.name : [])),
  ])
  const drifted = new Set(
    match.pairs.flatMap(({ desired, left }) => (left === undefined ? [] : desired.name)),
  )
  const states = statesIn(match)
  const changing = states.filter(({ set }) => changed.has(set))
  const projects = changing.flatMap(state => state.projects)
  const isGlobal = changing.some(({ global }) => global)
  const named = tellsAll ? states : states.filter(state => changed.has(state.set) || drifted.has(state.set))
  const readsStacks = (isGlobal || projects.length > 0) && (tellsAll || hasStacks(match))
  const { unclear } = rivalsIn(match)
  const workspaces = new Set([...named.flatMap(state => state.workspaces), ...unclear.workspaces])
  const members = new Set<ProjectId | undefined>([...projects, ...unclear.membersOf])
  const owners = match.pairs.filter(hasOtherOwner).flatMap(({ observed }) => observed.parent ?? [])
  const owning = named.flatMap(state => [...state.projects, state.parent ?? []].flat())
  const known = [
    ...told.workspaces.filter(({ id, project }) => isGlobal || workspaces.has(id) || members.has(project)),
    ...(told.stacks ?? []),
  ]
  return [
    {
      ids: {
        ...listsOf(kind => [...new Set(named.flatMap(state => listIn(state, kind) ?? []))]),
        workspaces: [...workspaces],
        projects: [...new Set([...owners, ...owning])],
      },
      membersOf: [...members].flatMap(project => project ?? []),
      all: [...(isGlobal ? (['workspaces'] as const) : []), ...(readsStacks ? (['stacks'] as const) : [])],
    },
    { ids: { projects: [...new Set(known.flatMap(({ project }) => project ?? []))] } },
  ]
}

/** Each set before and after, by the name that operations use. */
function statesIn(match: Match) {
  const nameOf = removalNames(match)
  const stateOf = (
    set: string,
    { global, parent }: SetOwner & { readonly global: boolean },
    lists: TargetLists,
  ) => ({ set, global, parent, ...assignmentsThen(lists, undefined) })
  return [
    ...match.pairs.flatMap(({ desired, observed }) => [
      stateOf(desired.name, desired, assignmentsThen(desired, observed)),
      ...(observed === undefined ? [] : [stateOf(desired.name, observed, observed)]),
    ]),
    ...match.removals.map(({ observed }) => stateOf(nameOf(observed), observed, observed)),
  ]
}
