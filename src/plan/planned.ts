import { serviceNameOf } from '../model/fields.ts'
import {
  type Assignments,
  assignmentsOf,
  categoryOf,
  idsOf,
  listIn,
  listsOf,
  nameOf,
  type StackId,
  type VariableKey,
  type VariableSetId,
} from '../model/ids.ts'
import { append, itemAt } from '../model/lists.ts'
import type {
  PlannedEffect,
  PlannedExposure,
  PlannedGap,
  PlannedSet,
  PlannedState,
  PlannedVariable,
  PlannedVariableBefore,
} from '../model/planned.gen.ts'
import {
  type DesiredVariable,
  type Group,
  groupsById,
  type ObservedSet,
  type ObservedVariable,
  type ResolvedSet,
} from '../model/variable-set.ts'
import type { BasePlan } from './base.ts'
import { changedSets, type Sign } from './changed-sets.ts'
import { assignmentsThen } from './draft.ts'
import { type Affected, affectedIn } from './effective/affected-members.ts'
import type { Exposed, ItemCounts } from './effective/effect.ts'
import { isPartlyTold, workspacesThatSee } from './effective/received.ts'
import { driftOf } from './facts.ts'
import { isOutsideDigest } from './items.ts'
import { allKnown, KnownTargets } from './known-targets.ts'
import { type Match, type Pair, removalNames } from './match.ts'
import type { Ownership } from './ownership.ts'
import type { Plan } from './plan-data.ts'
import type { NamesById } from './reach.ts'
import type { Secrecy } from './secrecy.ts'

/**
 * What a plan leads to: all our sets with their variables, changed or not, who newly receives what, and what changes for workspaces.
 * The JSON report has it, and rules see it (schemas/parts/report.json). Contains no secret and no value that `secrecy` hides, and of
 * workspaces, projects and Stacks only what the service told. Pure.
 */
export function plannedOf(
  plan: Plan,
  match: Match,
  names: NamesById,
  secrecy: Secrecy,
  groups: readonly Group[] = [],
  formerly: Formerly = () => ({}),
): PlannedState {
  const { facts, summary } = plan
  const { received, transition } = facts
  const affected = affectedIn(received)
  // Rewrites that only a run with secrets can know are left out, so that a review has the same violations as its apply.
  const operations = plan.steps.flatMap(({ operation }) => (isOutsideDigest(operation) ? [] : operation))
  const known = new KnownTargets(names, groupsById(groups))
  const counts = new Map(facts.counts.map(one => [one.set, one]))
  const sets = setsOf(actionsIn(plan), match, known, secrecy, formerly, counts)
  const nameOfSet = namesOfSets(match)
  const observedIds = [...match.pairs, ...match.removals].map(({ observed }) => observed?.id)
  const everywhere = received.withoutProject > 0 || isPartlyTold(received)
  return {
    organization: plan.organization,
    owner: plan.owner,
    changes: operations.length,
    creates: summary.create,
    updates: summary.update - (plan.steps.length - operations.length),
    deletes: summary.delete,
    assigns: summary.assign,
    unassigns: summary.unassign,
    affected: everywhere ? undefined : workspacesThatSee(received).length,
    everywhere,
    drift: driftOf(plan).filter(({ isOutside }) => isOutside).length,
    blocked: plan.blocks.some(({ code }) => code !== 'violates-rule'),
    selected: plan.only.length > 0,
    gaps: transition.gaps.map(gap => gapOf(gap, known, nameOfSet)),
    sets,
    exposures: exposuresOf(plan, match, known),
    effects: effectsOf(affected, valuesIn(sets, observedIds), known, nameOfSet),
    groups: affected.workspaces.map(({ members }) => ({ workspaces: known.workspaces(members) })),
    // Last: all others are known by now.
    workspaces: known.mentioned(),
  }
}

/** Where the value of an existing variable came from; without a member, nobody says so. */
type Former = Pick<PlannedVariableBefore, 'secret' | 'external'>
type Formerly = (set: VariableSetId | undefined, key: VariableKey) => Former

/** By the inventory, which knows what was applied, and without a record by the base, which a change cannot edit. */
export function formerlyBy(ownership: Ownership, base: Pick<BasePlan, 'match'> | undefined): Formerly {
  const declared = new Map<string, DesiredVariable['value']>(
    base?.match.pairs.flatMap(({ desired, observed }) =>
      observed === undefined
        ? []
        : desired.variables.map(({ key, value }) => [`${observed.id}/${key}`, value] as const),
    ),
  )
  return (set, key) => {
    const entry = set && ownership.entries.get(set)
    const record = entry?.secrets[key]
    if (record !== undefined) return { secret: record.name, external: false }
    if (entry?.external?.[key] !== undefined) return { external: true }
    const value = declared.get(`${set}/${key}`)
    if (value === undefined) return {}
    return 'secret' in value
      ? { secret: value.secret.name, external: false }
      : { external: 'external' in value }
  }
}

/** The name of a set, without the id that reports add to a deleted set beside a new one of the same name. */
type NameOfSet = (named: string | undefined) => string | undefined

function namesOfSets(match: Match): NameOfSet {
  const labelOf = removalNames(match)
  const names = new Map(match.removals.map(({ observed }) => [labelOf(observed), observed.name]))
  return named => (named === undefined ? undefined : (names.get(named) ?? named))
}

/** A key as rules see it. */
const keyParts = (key: VariableKey) => ({ key: nameOf(key), category: categoryOf(key) })

type Action = PlannedSet['action']

function setsOf(
  actions: ReadonlyMap<string, ReadonlyMap<VariableKey, Action>>,
  { pairs, removals }: Match,
  known: KnownTargets,
  secrecy: Secrecy,
  formerly: Formerly,
  counts: ReadonlyMap<string, ItemCounts>,
): PlannedSet[] {
  const labelOf = removalNames({ pairs, removals })
  return [
    ...pairs.map(({ desired, observed }): PlannedSet => {
      const { name } = desired
      const own = actions.get(name)
      const before = new Map(observed?.variables.toReversed().map(one => [one.key, one]))
      const count = counts.get(name)
      const countOf = (key: VariableKey) => (observed === undefined ? count?.workspaces : count?.items[key])
      return {
        name,
        action: observed === undefined ? 'create' : own === undefined ? 'none' : 'update',
        description: desired.description,
        global: desired.global,
        priority: desired.priority,
        count: count?.workspaces,
        ...known.owner(desired),
        ...known.of(assignmentsThen(desired, observed)),
        variables: desired.variables.map(one => {
          const action = own?.get(one.key) ?? 'none'
          const there = before.get(one.key)
          const former = formerly(observed?.id, one.key)
          return { ...variableOf(name, action, one, there, secrecy, former), count: countOf(one.key) }
        }),
        deleted: goneFrom(desired, observed, own).map(one => ({
          ...goneVariable(name, one, secrecy, formerly(observed?.id, one.key)),
          count: countOf(one.key),
        })),
        before: observed && beforeOf(observed, known),
      }
    }),
    ...removals.map(({ observed }): PlannedSet => {
      const before = beforeOf(observed, known)
      const count = counts.get(labelOf(observed))?.workspaces
      const variables = observed.variables.map(one => ({
        ...goneVariable(before.name, one, secrecy, formerly(observed.id, one.key)),
        count,
      }))
      return { ...before, action: 'delete', count, variables, deleted: [], before }
    }),
  ]
}

const beforeOf = (set: ObservedSet, known: KnownTargets) => ({
  name: serviceNameOf(set),
  description: set.description,
  global: set.global,
  priority: set.priority,
  ...known.owner(set),
  ...known.of(set),
})

/** The sets that change and stay, by name, with what happens to each variable. Without rewrites that only some runs know. */
function actionsIn(plan: Plan): Map<string, Map<VariableKey, Action>> {
  // A deleted set may have the name of a new one.
  const sets = changedSets(plan).filter(({ sign }) => sign !== '-')
  return new Map(
    sets
      .filter(({ steps }) => steps.some(({ operation }) => !isOutsideDigest(operation)))
      .map(({ name, changes }) => [
        name,
        new Map(
          changes.flatMap(one =>
            one.kind === 'variable' && one.rewrite !== 'value-changed'
              ? [[one.key, ACTIONS[one.sign]] as const]
              : [],
          ),
        ),
      ]),
  )
}

const ACTIONS = { '+': 'create', '~': 'update', '-': 'delete' } as const satisfies Record<Sign, Action>

/** The variables that the plan deletes while it keeps the set. */
function goneFrom(
  desired: ResolvedSet,
  observed: ObservedSet | undefined,
  actions: ReadonlyMap<VariableKey, Action> | undefined,
): readonly ObservedVariable[] {
  if (observed === undefined || actions === undefined) return []
  const declared = new Set(desired.variables.map(({ key }) => key))
  return observed.variables.filter(({ key }) => actions.get(key) === 'delete' && !declared.has(key))
}

function variableOf(
  set: string,
  action: Action,
  desired: DesiredVariable,
  observed: ObservedVariable | undefined,
  secrecy: Secrecy,
  former: Former,
): PlannedVariable {
  const { key, value, description, hcl } = desired
  const hidden = 'text' in value && secrecy.hidesAfter(key)
  const secret = 'secret' in value ? value.secret : undefined
  const external = 'external' in value
  return {
    set,
    ...keyParts(key),
    action,
    description,
    hcl,
    sensitive: secret !== undefined || (external && observed !== undefined && 'hidden' in observed.value),
    external,
    secret: secret?.name,
    version: secret?.version,
    accept: desired.accept ?? [],
    hidden,
    value: 'text' in value && !hidden ? value.text : undefined,
    before: observed && {
      description: observed.description,
      hcl: observed.hcl,
      ...shownValue(observed, secrecy, desired),
      ...former,
    },
  }
}

/** A variable that the plan deletes, as it is. */
function goneVariable(
  set: string,
  observed: ObservedVariable,
  secrecy: Secrecy,
  former: Former,
): PlannedVariable {
  const { key, description, hcl } = observed
  const value = shownValue(observed, secrecy)
  return {
    set,
    ...keyParts(key),
    action: 'delete',
    description,
    hcl,
    external: false,
    accept: [],
    ...value,
    before: { description, hcl, ...value, ...former },
  }
}

function shownValue(observed: ObservedVariable, secrecy: Secrecy, desired?: DesiredVariable) {
  const { value } = observed
  const sensitive = 'hidden' in value
  const hidden = !sensitive && (!('text' in value) || secrecy.hidesBefore(observed, desired))
  return { sensitive, hidden, value: 'text' in value && !hidden ? value.text : undefined }
}

/** One for each finding of the plan. Targets are those of the sets, whoever is told to be in a project. */
function exposuresOf(
  { facts: { exposure } }: Plan,
  { pairs }: Match,
  known: KnownTargets,
): PlannedExposure[] {
  const byName = new Map(pairs.map(pair => [pair.desired.name, pair]))
  return exposure.map(({ kind, set, keys, audience }): PlannedExposure => {
    const pair = byName.get(set)
    const these = new Set(keys)
    const declared = pair?.desired.variables.filter(({ key }) => these.has(key)) ?? []
    const everywhere = pair?.desired.global !== false
    const targets = everywhere ? undefined : targetsOf(kind, pair, these)
    return {
      kind,
      set,
      keys: keys.map(nameOf),
      secrets: [...new Set(declared.flatMap(({ value }) => ('secret' in value ? value.secret.name : [])))],
      everywhere,
      ...(targets && {
        ...known.of(targets),
        projects: known.projects(targets.projects, targets.workspaces),
      }),
      count: audience.others || audience.projects.length > 0 ? undefined : audience.count,
    }
  })
}

/** The targets that variables newly reach: new ones of the set, and for variables that are new in it, all. */
function targetsOf(
  kind: Exposed['kind'],
  { desired, observed }: Pair,
  keys: ReadonlySet<VariableKey>,
): Assignments {
  const then = assignmentsThen(desired, observed)
  const had = new Set(observed?.variables.map(({ key }) => key))
  if (observed === undefined || kind !== 'secret' || [...keys].some(key => !had.has(key))) return then
  const before = new Set<string>(idsOf(observed))
  return assignmentsOf(listsOf(of => listIn(then, of)?.filter(id => !before.has(id))))
}

/** One for each change of a key, with everybody who sees it. */
function effectsOf(
  affected: Affected,
  values: KnownValues,
  known: KnownTargets,
  nameOfSet: NameOfSet,
): PlannedEffect[] {
  const groups = new Map<number, number[]>()
  const stacks = new Map<number, StackId[]>()
  for (const [group, { changes }] of affected.workspaces.entries())
    for (const at of changes) append(groups, at, group)
  for (const { members, changes } of affected.stacks)
    for (const at of changes) for (const id of members) append(stacks, at, id)
  const projects = affected.workspaces.map(({ members }) => known.projects([], members))
  const everywhere = affected.unknown !== undefined
  return affected.changes.map(({ key, change, before, after }, at): PlannedEffect => {
    const seeing = groups.get(at) ?? []
    return {
      kind: change,
      ...keyParts(key),
      from: nameOfSet(before?.set),
      to: after?.set,
      before: before?.id && values.before(before.id, key),
      after: after?.set && values.after(after.set, key),
      everywhere,
      ...(everywhere
        ? {}
        : {
            workspaces: seeing,
            projects: allKnown(seeing.flatMap(group => itemAt(projects, group))),
            stacks: known.names(stacks.get(at)),
            count: seeing.reduce(
              (count, group) => count + itemAt(affected.workspaces, group).members.length,
              0,
            ),
          }),
    }
  })
}

/** The readable values of our sets: before by id, and after by name. */
interface KnownValues {
  readonly before: (id: VariableSetId, key: VariableKey) => string | undefined
  readonly after: (set: string, key: VariableKey) => string | undefined
}

function valuesIn(sets: readonly PlannedSet[], ids: readonly (VariableSetId | undefined)[]): KnownValues {
  const byId = new Map(sets.map((set, at) => [ids[at], set]))
  // A deleted set may have the name of a new one.
  const byName = new Map(sets.toReversed().map(set => [set.name, set]))
  const known = new Map<PlannedSet, ReadonlyMap<string, PlannedVariable>>()
  const variable = (set: PlannedSet | undefined, key: VariableKey) => {
    if (set === undefined) return undefined
    let variables = known.get(set)
    if (variables === undefined) {
      variables = new Map([...set.variables, ...set.deleted].map(one => [`${one.category}/${one.key}`, one]))
      known.set(set, variables)
    }
    return variables.get(key)
  }
  return {
    before: (id, key) => variable(byId.get(id), key)?.before?.value,
    after: (set, key) => variable(byName.get(set), key)?.value,
  }
}

function gapOf(
  {
    key,
    before,
    seen,
    after,
    why,
    workspaces,
    count,
    projects,
    others,
  }: Plan['facts']['transition']['gaps'][number],
  known: KnownTargets,
  nameOfSet: NameOfSet,
): PlannedGap {
  const everywhere = others || projects.length > 0
  return {
    ...keyParts(key),
    from: nameOfSet(before?.set),
    seen: nameOfSet(seen?.set),
    to: after?.set,
    why,
    workspaces: everywhere || workspaces.length < count ? undefined : known.workspaces(workspaces),
    count: everywhere ? undefined : count,
    everywhere,
  }
}
