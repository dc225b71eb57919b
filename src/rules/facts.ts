import type { Directory } from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { driftOf } from '../plan/origin.ts'
import type { Plan } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import { effectTable } from './effect-facts.ts'
import { exposureFacts } from './exposure-facts.ts'
import { gapFacts } from './gap-facts.ts'
import { type ItemOf, itemsIn } from './items.ts'
import { Places } from './places.ts'
import { certainSteps, setSources, setTable } from './set-facts.ts'
import { type Asked, type Facts, factTable, picked, type Readers } from './table.ts'
import { variablesOf, variableTable } from './variable-facts.ts'

/** The source of the facts. */
export interface FactSource {
  readonly plan: Plan
  readonly match: Match
  readonly directory: Directory
  /** Names of targets by id, in addition to those of the directory. */
  readonly names: Readonly<Record<string, string>>
  /** Which readable values no rule may see. */
  readonly hides: Hides
}

/** The facts of a plan, and the place of each item. */
export interface PlanFacts {
  readonly facts: Facts
  readonly itemOf: ItemOf
}

/** The parts of a plan that the rules read. Pure. Contains no secret and no value that `hides` covers. */
export function ruleFacts({ plan, match, directory, names, hides }: FactSource, asked: Asked): PlanFacts {
  const places = new Places(directory, names)
  const sets = setSources(plan, match)
  const hasBefore = asked.Variable?.includes('before') ?? false
  const bySet = asked.Variable === undefined ? [] : sets.map(set => variablesOf(set, hasBefore))
  const variables = bySet.flatMap(({ stay, go }) => [...stay, ...go])
  const exposures = asked.Exposure === undefined ? [] : exposureFacts(plan.facts.exposure, sets, places)
  const facts: Facts = {
    plan: picked('Plan', plan, planReaders(places), asked),
    sets: setTable(sets, places, asked),
    variables: variableTable(variables, hides, asked),
    stay: Uint32Array.from(bySet, ({ stay }) => stay.length),
    go: Uint32Array.from(bySet, ({ go }) => go.length),
    exposures: factTable('Exposure', exposures, asked),
    effects: effectTable(plan, sets, places, hides, asked),
  }
  return {
    facts,
    itemOf: itemsIn({ sets, variables, exposures, effects: plan.facts.affected?.changes ?? [] }, match),
  }
}

const planReaders = (places: Places): Readers<'Plan', Plan, 'sets'> => ({
  organization: plan => plan.organization,
  owner: plan => plan.owner,
  changes: plan => certainSteps(plan).length,
  creates: plan => plan.summary.create,
  updates: plan => plan.summary.update - (plan.steps.length - certainSteps(plan).length),
  deletes: plan => plan.summary.delete,
  assigns: plan => plan.summary.assign,
  unassigns: plan => plan.summary.unassign,
  affected: plan => plan.facts.effective.changed,
  everywhere: ({ facts }) =>
    facts.effective.groups.some(({ others, projects }) => others || projects.length > 0),
  drift: plan => driftOf(plan).filter(({ isOutside }) => isOutside).length,
  blocked: plan => plan.blocked,
  selected: plan => plan.only.length > 0,
  gaps: plan => gapFacts(plan, places),
})
