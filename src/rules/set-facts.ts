import { serviceNameOf } from '../model/fields.ts'
import type { VariableKey } from '../model/ids.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { assignmentsThen } from '../plan/draft.ts'
import { partsOf } from '../plan/items.ts'
import type { Match } from '../plan/match.ts'
import { isOptional } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import type { Places } from './places.ts'
import { type Asked, picked, type Readers, type Table, tableOf } from './table.ts'
import type { FactOf } from './vocabulary.ts'

type Action = FactOf<'Set'>['action'] & ('create' | 'update' | 'delete' | 'none')

/** Where the fields of a set come from. Without `desired`, the plan deletes it. */
export type SetSource = {
  readonly name: string
  /** What happens to its variables, if anything. */
  readonly changed?: ReadonlyMap<VariableKey, Action>
} & (
  | { readonly desired: ResolvedSet; readonly was?: ObservedSet }
  | { readonly desired?: undefined; readonly was: ObservedSet }
)

/** Every set of a plan, in the order of its items. */
export function setSources(plan: Plan, { pairs, removals }: Match): SetSource[] {
  const actions = actionsOf(plan)
  return [
    ...pairs.map(({ desired, observed }) => ({
      name: desired.name,
      desired,
      was: observed,
      changed: actions.get(desired.name),
    })),
    ...removals.map(({ observed }) => ({ name: serviceNameOf(observed), was: observed })),
  ]
}

/** Without steps that only a run with secrets can know, so that a review has the same violations as its apply. */
export const certainSteps = ({ steps }: Plan) => steps.filter(({ operation }) => !isOptional(operation))

function actionsOf(plan: Plan): Map<string, Map<VariableKey, Action>> {
  const actions = new Map<string, Map<VariableKey, Action>>()
  for (const { operation } of certainSteps(plan)) {
    const known = actions.get(operation.subject.name) ?? new Map<VariableKey, Action>()
    actions.set(operation.subject.name, known)
    for (const item of partsOf(operation)) {
      if (item.kind !== 'variable') continue
      const isUpdate = item.isHalf || (item.before !== undefined && item.after !== undefined)
      known.set(item.key, isUpdate ? 'update' : item.after === undefined ? 'delete' : 'create')
    }
  }
  return actions
}

/** What the set will be assigned to, or was until it is deleted. */
export const targetsThen = ({ desired, was }: SetSource) =>
  desired === undefined ? was : assignmentsThen(desired, was)

/** Its fields except its variables, which have their own table. */
export function setTable(sets: readonly SetSource[], places: Places, asked: Asked): Table {
  const before = beforeReaders(places)
  const readers: Readers<'Set', SetSource, 'variables' | 'deleted'> = {
    name: set => set.name,
    action: ({ desired, was, changed }) =>
      desired === undefined
        ? 'delete'
        : was === undefined
          ? 'create'
          : changed === undefined
            ? 'none'
            : 'update',
    description: set => nowOf(set).description,
    global: set => nowOf(set).global,
    priority: set => nowOf(set).priority,
    project: set => projectOf(nowOf(set), places),
    workspaces: set => places.of(targetsThen(set)).workspaces,
    projects: set => places.of(targetsThen(set)).projects,
    stacks: set => places.of(targetsThen(set)).stacks,
    before: ({ was }) => was && picked('SetBefore', was, before, asked),
  }
  return tableOf(sets, readers, ['name', ...(asked.Set ?? []).filter(field => field !== 'name')])
}

const nowOf = ({ desired, was }: SetSource) => desired ?? was

const projectOf = ({ parent }: Pick<ResolvedSet, 'parent'>, places: Places): string | undefined =>
  parent && places.nameOf(parent)

const beforeReaders = (places: Places): Readers<'SetBefore', ObservedSet> => ({
  name: serviceNameOf,
  description: set => set.description,
  global: set => set.global,
  priority: set => set.priority,
  project: set => projectOf(set, places),
  workspaces: set => places.of(set).workspaces,
  projects: set => places.of(set).projects,
  stacks: set => places.of(set).stacks,
})
