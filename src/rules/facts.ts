import { serviceNameOf } from '../model/fields.ts'
import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import type {
  DesiredVariable,
  Directory,
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
} from '../model/variable-set.ts'
import { assignmentsThen } from '../plan/draft.ts'
import { partsOf } from '../plan/items.ts'
import { isReplaced, type Match } from '../plan/match.ts'
import { isOptional } from '../plan/operation.ts'
import { driftOf } from '../plan/origin.ts'
import type { Plan } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import type { Asked } from './asked.ts'
import { effectFacts } from './effect-facts.ts'
import { exposureFacts } from './exposure-facts.ts'
import { gapFacts } from './gap-facts.ts'
import { type ItemOf, itemsIn } from './items.ts'
import { Places } from './places.ts'
import type { FactOf, Facts } from './vocabulary.ts'

/** The source of the facts. */
export interface FactSource {
  readonly plan: Plan
  readonly match: Match
  readonly directory: Directory
  /** Names of targets by id, beyond those of the directory. */
  readonly names: Readonly<Record<string, string>>
  /** Which readable values no rule may see. */
  readonly hides: Hides
}

type AskedSource = FactSource & { readonly asked: Asked }

type Action = 'create' | 'update' | 'delete' | 'none'

/** The facts of a plan, and the place of each item. */
export interface PlanFacts {
  readonly facts: Facts
  readonly itemOf: ItemOf
}

/** Everything that rules about these subjects can see. Pure. No value is in it that `hides` covers, and no secret. */
export function ruleFacts(given: FactSource, asked: Asked): PlanFacts {
  const { plan, match } = given
  const { subjects } = asked
  const source = { ...given, asked, hides: asked.values ? given.hides : () => true }
  const places = new Places(source.directory, source.names)
  const actions = actionsOf(plan)
  const sets = [
    ...match.pairs.map(pair => keptSet(pair, source, places, actions)),
    ...match.removals.map(({ observed }) => deletedSet(observed, source, places)),
  ]
  const facts: Facts = {
    plan: planFact(plan, places),
    sets,
    exposures: subjects.has('exposure') ? exposureFacts(plan.facts.exposure, sets, places) : [],
    effects: subjects.has('effect') ? effectFacts(plan, sets, places) : [],
  }
  return { facts, itemOf: itemsIn(facts, match) }
}

/** Without steps that only a run with secrets can know, so that a review has the same violations as its apply. */
const certainSteps = ({ steps }: Plan) => steps.filter(({ operation }) => !isOptional(operation))

function planFact(plan: Plan, places: Places): Facts['plan'] {
  const { facts, summary } = plan
  const steps = certainSteps(plan)
  return {
    organization: plan.organization,
    owner: plan.owner,
    changes: steps.length,
    creates: summary.create,
    updates: summary.update - (plan.steps.length - steps.length),
    deletes: summary.delete,
    assigns: summary.assign,
    unassigns: summary.unassign,
    affected: facts.effective.changed,
    everywhere: facts.effective.groups.some(({ others, projects }) => others || projects.length > 0),
    drift: driftOf(plan).filter(({ isOutside }) => isOutside).length,
    blocked: plan.blocked,
    selected: plan.only.length > 0,
    gaps: gapFacts(plan, places),
  }
}

/** What happens to each set and variable that changes. */
type Actions = ReadonlyMap<string, ReadonlyMap<VariableKey, Action>>

function actionsOf(plan: Plan): Actions {
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

function keptSet(
  { desired, observed }: Match['pairs'][number],
  source: AskedSource,
  places: Places,
  actions: Actions,
): FactOf<'Set'> {
  const { asked } = source
  const changed = actions.get(desired.name)
  const there = observed === undefined || isReplaced({ desired, observed }) ? [] : observed.variables
  const goes =
    changed === undefined
      ? []
      : there.filter(
          ({ key }) => changed.get(key) === 'delete' && !desired.variables.some(one => one.key === key),
        )
  // A service may hold a key twice: the first counts. Looked up only where somebody asks.
  const was = new Map(asked.before ? observed?.variables.toReversed().map(one => [one.key, one]) : [])
  return {
    name: desired.name,
    action: observed === undefined ? 'create' : changed === undefined ? 'none' : 'update',
    ...settingsIn(desired, desired.parent, places),
    ...places.of(assignmentsThen(desired, observed)),
    variables: (asked.variables ? desired.variables : []).map(one =>
      keptVariable(
        desired,
        one,
        'external' in one.value ? there.find(({ key }) => key === one.key) : was.get(one.key),
        changed?.get(one.key) ?? 'none',
        source,
      ),
    ),
    deleted: (asked.variables ? goes : []).map(one => deletedVariable(desired.name, one, source)),
    before: asked.before && observed !== undefined ? beforeOf(observed, places) : undefined,
  }
}

const deletedSet = (observed: ObservedSet, source: AskedSource, places: Places): FactOf<'Set'> => ({
  ...beforeOf(observed, places),
  action: 'delete',
  variables: (source.asked.variables ? observed.variables : []).map(one =>
    deletedVariable(observed.name, one, source),
  ),
  deleted: [],
  before: beforeOf(observed, places),
})

const settingsIn = (
  { description, global, priority }: Pick<ResolvedSet, 'description' | 'global' | 'priority'>,
  parent: ResolvedSet['parent'],
  places: Places,
) => ({ description, global, priority, project: parent && places.nameOf(parent) })

const beforeOf = (observed: ObservedSet, places: Places): FactOf<'SetBefore'> => ({
  name: serviceNameOf(observed),
  ...settingsIn(observed, observed.parent, places),
  ...places.of(observed),
})

function keptVariable(
  { name: set }: ResolvedSet,
  { key, description, hcl, value }: DesiredVariable,
  observed: ObservedVariable | undefined,
  action: Action,
  { hides, asked }: AskedSource,
): FactOf<'Variable'> {
  const secret = 'secret' in value ? value.secret : undefined
  const isExternal = 'external' in value
  return {
    set,
    key: nameOf(key),
    category: categoryOf(key),
    action,
    description,
    hcl,
    sensitive: secret !== undefined || (isExternal && observed !== undefined && 'hidden' in observed.value),
    external: isExternal,
    secret: secret?.name,
    version: secret?.version,
    value: shown(key, value, hides),
    before: asked.before && observed !== undefined ? variableBefore(observed, hides) : undefined,
  }
}

const deletedVariable = (
  set: string,
  observed: ObservedVariable,
  { hides }: AskedSource,
): FactOf<'Variable'> => ({
  set,
  key: nameOf(observed.key),
  category: categoryOf(observed.key),
  action: 'delete',
  external: false,
  ...variableBefore(observed, hides),
  before: variableBefore(observed, hides),
})

const variableBefore = (observed: ObservedVariable, hides: Hides): FactOf<'VariableBefore'> => ({
  description: observed.description,
  hcl: observed.hcl,
  sensitive: 'hidden' in observed.value,
  value: shown(observed.key, observed.value, hides),
})

const shown = (key: VariableKey, value: object, hides: Hides): string | undefined =>
  'text' in value && typeof value.text === 'string' && !hides(key, value.text) ? value.text : undefined
