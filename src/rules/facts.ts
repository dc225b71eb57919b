import type { SourceRange } from '../model/diagnostic.ts'
import { categoryOf, nameOf, type StackId, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import { lazy } from '../model/lists.ts'
import type { RuleItem, RuleSubject } from '../model/rule.ts'
import type { Directory } from '../model/variable-set.ts'
import type { AffectedChange, AffectedGroup } from '../plan/effective/affected-list.ts'
import type { Exposure } from '../plan/effective/effect.ts'
import { driftOf } from '../plan/facts.ts'
import type { Match } from '../plan/match.ts'
import type { Plan } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import {
  type AnyVariable,
  actionsOf,
  beforeIn,
  certainSteps,
  distinct,
  Places,
  readable,
  type SetSource,
  setSources,
  setTable,
  targetsThen,
  variablesBySet,
  variableTable,
} from './set-facts.ts'
import { type Facts, factTable, type Readers, type Table, type TableName, tableOf } from './table.ts'
import type { FactOf } from './vocabulary.ts'

/** The source of the facts. */
interface FactSource {
  readonly plan: Plan
  readonly match: Match
  readonly directory: Directory
  /** Names of targets by id, in addition to those of the directory. */
  readonly names: Readonly<Record<string, string>>
  /** Which readable values no rule may see. */
  readonly hides: Hides
}

/** The facts of a plan, and the place of each item. */
export interface RuleFacts {
  readonly facts: Facts
  readonly itemOf: ItemOf
}

/** The item of a rule by its index, with its line in the files. */
type ItemOf = (subject: RuleSubject, index: number) => { readonly item: RuleItem; readonly at?: SourceRange }

/** What the rules can read. Contains no secret and no value that `hides` covers. Each part is made when it is read. */
export function ruleFacts({ plan, match, directory, names, hides }: FactSource): RuleFacts {
  const places = new Places(directory, names)
  const steps = certainSteps(plan)
  const sets = setSources(steps, match)
  const exposures = lazy(() => exposureFacts(plan.facts.exposure, sets, places))
  const actions = lazy(() => actionsOf(steps))
  const tables: Readonly<Record<TableName, () => Table>> = {
    Plan: lazy(() => tableOf([[plan]], planReaders(steps.length, places))),
    Set: lazy(() => setTable(sets, places)),
    Variable: lazy(() => variableTable(sets, (set, key) => actions()(set, key), hides)),
    Exposure: lazy(() => factTable('Exposure', exposures())),
    Effect: lazy(() => effectTable(plan, sets, places, hides)),
  }
  return { facts: name => tables[name](), itemOf: itemsIn(plan, sets, exposures) }
}

const planReaders = (changes: number, places: Places): Readers<'Plan', Plan, 'sets'> => ({
  organization: plan => plan.organization,
  owner: plan => plan.owner,
  changes: () => changes,
  creates: plan => plan.summary.create,
  updates: plan => plan.summary.update - (plan.steps.length - changes),
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

/** Values that workspaces may see during the apply and that are neither old nor new. */
const gapFacts = ({ facts: { transition } }: Plan, places: Places): FactOf<'Gap'>[] =>
  transition.gaps.map(({ key, before, seen, after, why, workspaces, count, projects, others }) => ({
    key: nameOf(key),
    category: categoryOf(key),
    from: before?.set,
    seen: seen?.set,
    to: after?.set,
    why,
    workspaces: workspaces.map(id => places.workspace(id)),
    count,
    everywhere: others || projects.length > 0,
  }))

/** Who newly receives which variables, one fact for each finding of the plan. */
function exposureFacts(
  { secrets, global, added = [] }: Exposure,
  sets: readonly SetSource[],
  places: Places,
): FactOf<'Exposure'>[] {
  const byName = new Map(sets.map(set => [set.name, set]))
  const placesOf = (set: SetSource | undefined) => set && places.of(targetsThen(set))
  const fact = (
    kind: string,
    {
      set,
      keys,
      count,
    }: { readonly set: string; readonly keys: readonly VariableKey[]; readonly count?: number },
    everywhere: boolean,
    { workspaces, projects, stacks }: Targeted = NOBODY,
  ): FactOf<'Exposure'> => {
    const reached = [...projects, ...workspaces.map(({ project }) => project), ...(everywhere ? [''] : [])]
    return {
      kind,
      set,
      keys: keys.map(nameOf),
      everywhere,
      workspaces,
      projects: distinct(reached),
      stacks,
      count,
    }
  }
  return [
    ...secrets.map(one => fact('secret', one, one.everywhere, places.of(one))),
    ...global.map(one => fact('global', one, true)),
    ...added.map(one => fact('added', one, one.global, placesOf(byName.get(one.set)))),
  ]
}

type Targeted = Pick<FactOf<'Set'>, 'workspaces' | 'projects' | 'stacks'>
const NOBODY: Targeted = { workspaces: [], projects: [], stacks: [] }

function itemsIn(
  { facts: { affected } }: Plan,
  sets: readonly SetSource[],
  exposures: () => readonly FactOf<'Exposure'>[],
): ItemOf {
  const byName = lazy(() => new Map(sets.map(set => [set.name, set])))
  const variables = lazy(() =>
    variablesBySet(sets).flatMap((all, at) => all.map(({ key }) => ({ set: sets[at]?.name, key }))),
  )
  const of = (subject: RuleSubject, index: number): RuleItem => {
    switch (subject) {
      case 'plan':
        return { kind: subject }
      case 'set':
        return { kind: subject, set: sets[index]?.name }
      case 'variable':
        return { kind: subject, ...variables()[index] }
      case 'exposure': {
        const found = exposures()[index]
        return { kind: subject, set: found?.set, detail: found?.kind }
      }
      case 'effect': {
        const found = affected?.changes[index]
        const set = found?.after?.set ?? found?.before?.set
        return { kind: subject, set, key: found?.key, detail: found?.change }
      }
    }
  }
  return (subject, index) => {
    const item = of(subject, index)
    const set = item.set === undefined ? undefined : byName().get(item.set)
    const variable = set?.desired?.variables.find(({ key }) => key === item.key)
    return { item, at: variable?.source ?? set?.desired?.source ?? set?.source }
  }
}

/** One fact for each change of a key, with everybody who sees it. */
function effectTable(
  { facts: { affected } }: Plan,
  sets: readonly SetSource[],
  places: Places,
  hides: Hides,
): Table {
  const workspaces = seeingBy(affected?.workspaces ?? [])
  const stacks = seeingBy(affected?.stacks ?? [])
  const isOpen = affected?.unknown !== undefined
  const variableIn = variablesIn(sets)
  const valueOfVariable = (one: AnyVariable | undefined) => one && readable(one, hides)
  const seeing = ({ at }: EffectSource) => (workspaces.get(at) ?? []).map(id => places.workspace(id))
  const readers: Readers<'Effect', EffectSource> = {
    kind: ({ change }) => change,
    key: ({ key }) => nameOf(key),
    category: ({ key }) => categoryOf(key),
    from: ({ before }) => before?.set,
    to: ({ after }) => after?.set,
    before: ({ before, key }) => valueOfVariable(variableIn(before?.set, key)?.was),
    after: ({ after, key }) => valueOfVariable(variableIn(after?.set, key)?.now),
    workspaces: seeing,
    projects: one => distinct([...seeing(one).map(({ project }) => project), ...(isOpen ? [''] : [])]),
    stacks: ({ at }) => (stacks.get(at) ?? []).map(id => places.nameOf(id)),
    count: ({ at }) => workspaces.get(at)?.length ?? 0,
    everywhere: () => isOpen,
  }
  return tableOf([(affected?.changes ?? []).map((change, at) => ({ ...change, at }))], readers)
}

type EffectSource = AffectedChange & { readonly at: number }

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

interface NowAndWas {
  readonly now: AnyVariable
  readonly was?: AnyVariable
}

/** The variable of a set of ours, with what it was. */
function variablesIn(sets: readonly SetSource[]) {
  const byName = new Map(sets.map(set => [set.name, set]))
  const known = new Map<SetSource, ReadonlyMap<VariableKey, NowAndWas>>()
  return (name: string | undefined, key: VariableKey): NowAndWas | undefined => {
    const set = name === undefined ? undefined : byName.get(name)
    if (set === undefined) return undefined
    let variables = known.get(set)
    if (variables === undefined) {
      const was = beforeIn(set)
      const [all = []] = variablesBySet([set])
      variables = new Map(all.map(now => [now.key, { now, was: was(now) }]))
      known.set(set, variables)
    }
    return variables.get(key)
  }
}
