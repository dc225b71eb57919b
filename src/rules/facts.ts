import type { SourceRange } from '../model/diagnostic.ts'
import { serviceNameOf } from '../model/fields.ts'
import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import type { RuleItem, RuleSubject } from '../model/rule.ts'
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
import { effectFacts } from './effect-facts.ts'
import { exposureFacts } from './exposure-facts.ts'
import { gapFacts } from './gap-facts.ts'
import { Places } from './places.ts'
import { type FactOf, type Facts, variablesIn } from './vocabulary.ts'

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

type Action = 'create' | 'update' | 'delete' | 'none'

/** The facts of a plan, and the place of each item. */
export interface PlanFacts {
  readonly facts: Facts
  /** The item of a rule by its index, with its line in the files. */
  readonly itemOf: (
    subject: RuleSubject,
    index: number,
  ) => { readonly item: RuleItem; readonly at?: SourceRange }
}

/** Everything that rules about these subjects can see. Pure. Contains no secret, and no value that `hides` covers. */
export function ruleFacts(source: FactSource, subjects: ReadonlySet<RuleSubject>): PlanFacts {
  const { plan, match } = source
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
  { hides }: FactSource,
  places: Places,
  actions: Actions,
): FactOf<'Set'> {
  const changed = actions.get(desired.name)
  const was = new Map((observed?.variables ?? []).toReversed().map(one => [one.key, one]))
  const kept = new Set(desired.variables.map(({ key }) => key))
  const goes = observed === undefined || isReplaced({ desired, observed }) ? [] : [...was.values()]
  return {
    name: desired.name,
    action: observed === undefined ? 'create' : changed === undefined ? 'none' : 'update',
    ...settingsIn(desired, desired.parent, places),
    ...places.of(assignmentsThen(desired, observed)),
    variables: desired.variables.map(one =>
      keptVariable(desired, one, was.get(one.key), changed?.get(one.key) ?? 'none', hides),
    ),
    deleted: goes
      .filter(({ key }) => !kept.has(key))
      .map(one => deletedVariable(desired.name, one, hides))
      .toReversed(),
    before: observed && beforeOf(observed, places),
  }
}

const deletedSet = (observed: ObservedSet, { hides }: FactSource, places: Places): FactOf<'Set'> => ({
  ...beforeOf(observed, places),
  action: 'delete',
  variables: observed.variables.map(one => deletedVariable(observed.name, one, hides)),
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
  hides: Hides,
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
    before: observed && variableBefore(observed, hides),
  }
}

const deletedVariable = (set: string, observed: ObservedVariable, hides: Hides): FactOf<'Variable'> => ({
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

/** Items by subject and index, as the worker counts them. */
function itemsIn(facts: Facts, match: Match): PlanFacts['itemOf'] {
  const declared = new Map<
    string,
    { readonly source?: SourceRange; readonly variables?: readonly DesiredVariable[] }
  >([
    ...match.pairs.map(({ desired }) => [desired.name, desired] as const),
    ...match.removals.map(({ observed, source }) => [observed.name, { source }] as const),
  ])
  const placeOf = (set: string, key?: string): SourceRange | undefined => {
    const found = declared.get(set)
    return found?.variables?.find(one => one.key === key)?.source ?? found?.source
  }
  let variables: ReturnType<typeof variablesIn> | undefined
  const of = (subject: RuleSubject, index: number): RuleItem => {
    switch (subject) {
      case 'plan':
        return { kind: subject }
      case 'set':
        return { kind: subject, set: facts.sets[index]?.name }
      case 'variable': {
        variables ??= variablesIn(facts)
        const found = variables[index]?.variable
        return { kind: subject, set: found?.set, key: found && `${found.category}/${found.key}` }
      }
      case 'exposure': {
        const found = facts.exposures[index]
        return { kind: subject, set: found?.set, detail: found?.kind }
      }
      case 'effect': {
        const found = facts.effects[index]
        const key = found && `${found.category}/${found.key}`
        return { kind: subject, set: found?.to ?? found?.from, key, detail: found?.kind }
      }
    }
  }
  return (subject, index) => {
    const item = of(subject, index)
    return { item, at: item.set === undefined ? undefined : placeOf(item.set, item.key) }
  }
}
