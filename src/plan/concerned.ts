import type { SetOwner } from '../model/fields.ts'
import { listIn, listsOf, type ProjectId, type TargetKind, type TargetLists } from '../model/ids.ts'
import { assignmentsThen } from './draft.ts'
import { rivalsIn } from './effective/overridden.ts'
import { hasStacks } from './effective/reception.ts'
import { type Match, removalNames } from './match.ts'
import type { Step } from './plan-data.ts'
import { missingIn } from './plan-findings.ts'

/** What a plan has to know of workspaces, projects and Stacks to say who sees what. */
export interface Concerned {
  readonly ids: TargetLists
  /** Projects of which every workspace counts. */
  readonly membersOf: readonly ProjectId[]
  /** Kinds of which everything counts. */
  readonly all: readonly TargetKind[]
}

/** Of the sets that the steps change, that lack an external variable, or that others may override, before and after. `tellsAll`: the names of all our sets' targets as well, and Stacks. */
export function concernedBy(steps: readonly Step[], match: Match, tellsAll: boolean): Concerned {
  const changed = new Set([
    ...steps.map(({ operation }) => operation.subject.name),
    ...match.pairs.flatMap(pair => (missingIn(pair).length > 0 ? pair.desired.name : [])),
  ])
  const drifted = new Set(
    match.pairs.flatMap(({ desired, kept }) => (kept === undefined ? [] : desired.name)),
  )
  const states = statesIn(match)
  const moving = states.filter(({ set }) => changed.has(set))
  const projects = moving.flatMap(state => state.projects)
  const isGlobal = moving.some(({ global }) => global)
  const named = tellsAll ? states : states.filter(state => changed.has(state.set) || drifted.has(state.set))
  const readsStacks = (isGlobal || projects.length > 0) && (tellsAll || hasStacks(match))
  const { unclear } = rivalsIn(match)
  const workspaces = named.flatMap(state => state.workspaces)
  return {
    ids: {
      ...listsOf(kind => [...new Set(named.flatMap(state => listIn(state, kind) ?? []))]),
      workspaces: [...new Set([...workspaces, ...unclear.workspaces])],
      projects: [...new Set(named.flatMap(state => [...state.projects, state.parent ?? []].flat()))],
    },
    membersOf: [...new Set([...projects, ...unclear.membersOf])],
    all: [...(isGlobal ? (['workspaces'] as const) : []), ...(readsStacks ? (['stacks'] as const) : [])],
  }
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
