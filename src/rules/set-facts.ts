import type { SourceRange } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import {
  categoryOf,
  nameOf,
  type ProjectId,
  type StackId,
  type TargetLists,
  type VariableKey,
  type WorkspaceId,
} from '../model/ids.ts'
import { append, lazy } from '../model/lists.ts'
import type {
  DesiredVariable,
  Directory,
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
} from '../model/variable-set.ts'
import { assignmentsThen } from '../plan/draft.ts'
import { isOptional, partsOf } from '../plan/items.ts'
import type { Match } from '../plan/match.ts'
import type { Plan, Step } from '../plan/plan.ts'
import type { Hides } from '../plan/secrecy.ts'
import { type Readers, type Table, tableOf } from './table.ts'
import type { FactOf } from './vocabulary.ts'

/** Where the fields of a set come from. Without `desired`, the plan deletes it. */
export type SetSource = {
  readonly name: string
  readonly isChanged: boolean
  /** The variables that the plan deletes while it keeps the set. */
  readonly gone: readonly ObservedVariable[]
  /** Where the files say that it is deleted. */
  readonly source?: SourceRange
} & (
  | { readonly desired: ResolvedSet; readonly was?: ObservedSet }
  | { readonly desired?: undefined; readonly was: ObservedSet }
)

/** Every set of a plan, in the order of its items. */
export function setSources(steps: readonly Step[], { pairs, removals }: Match): SetSource[] {
  const changed = new Set(steps.map(({ operation }) => operation.subject.name))
  const deleted = new Map<string, VariableKey[]>()
  for (const { operation } of steps)
    if (operation.type === 'delete-variable' && !operation.replaced)
      append(deleted, operation.subject.name, operation.before.key)
  const goneFrom = (desired: ResolvedSet, was: ObservedSet | undefined) => {
    const keys = deleted.get(desired.name)?.filter(key => !desired.variables.some(one => one.key === key))
    return keys === undefined ? [] : ownVariables({ desired, was }).filter(({ key }) => keys.includes(key))
  }
  return [
    ...pairs.map(({ desired, observed }) => ({
      name: desired.name,
      isChanged: changed.has(desired.name),
      gone: goneFrom(desired, observed),
      desired,
      was: observed,
    })),
    ...removals.map(({ observed, source }) => ({
      name: serviceNameOf(observed),
      isChanged: true,
      gone: [],
      source,
      was: observed,
    })),
  ]
}

/** The variables that it has. A set that replaces another one has none of its variables. */
const ownVariables = ({ desired, was }: Pick<SetSource, 'desired' | 'was'>): readonly ObservedVariable[] =>
  was === undefined || (desired !== undefined && ownersDiffer(was, desired)) ? [] : was.variables

/** Without steps that only a run with secrets can know, so that a review has the same violations as its apply. */
export const certainSteps = ({ steps }: Plan) => steps.filter(({ operation }) => !isOptional(operation))

/** What happens to a variable of a set, by the set's name. */
export function actionsOf(steps: readonly Step[]): ActionOf {
  const actions = new Map<string, Map<VariableKey, string>>()
  for (const { operation } of steps) {
    const known = actions.get(operation.subject.name) ?? new Map<VariableKey, string>()
    actions.set(operation.subject.name, known)
    for (const item of partsOf(operation)) {
      if (item.kind !== 'variable') continue
      const isUpdate = item.isHalf || (item.before !== undefined && item.after !== undefined)
      known.set(item.key, isUpdate ? 'update' : item.after === undefined ? 'delete' : 'create')
    }
  }
  return (set, key) => actions.get(set)?.get(key)
}

/** What happens to a variable of a set, by the set's name. */
type ActionOf = (set: string, key: VariableKey) => string | undefined

/** What the set will be assigned to, or was until it is deleted. */
export const targetsThen = ({ desired, was }: SetSource) =>
  desired === undefined ? was : assignmentsThen(desired, was)

/** Its fields, and the numbers of variables that stay and that the plan deletes. */
export function setTable(sets: readonly SetSource[], places: Places): Table {
  const readers: Readers<'Set', SetSource, 'variables' | 'deleted'> & Counts = {
    name: set => set.name,
    action: ({ desired, was, isChanged }) =>
      desired === undefined ? 'delete' : was === undefined ? 'create' : isChanged ? 'update' : 'none',
    description: set => nowOf(set).description,
    global: set => nowOf(set).global,
    priority: set => nowOf(set).priority,
    project: set => projectOf(nowOf(set), places),
    workspaces: set => places.of(targetsThen(set)).workspaces,
    projects: set => places.of(targetsThen(set)).projects,
    stacks: set => places.of(targetsThen(set)).stacks,
    before: ({ was }) => was && setBefore(was, places),
    stay: set => nowOf(set).variables.length,
    go: ({ gone }) => gone.length,
  }
  return tableOf([sets], readers)
}

type Counts = Readonly<Record<'stay' | 'go', (set: SetSource) => number>>

const nowOf = ({ desired, was }: SetSource) => desired ?? was

const projectOf = ({ parent }: Pick<ResolvedSet, 'parent'>, places: Places): string | undefined =>
  parent && places.nameOf(parent)

const setBefore = (was: ObservedSet, places: Places): FactOf<'SetBefore'> => ({
  name: serviceNameOf(was),
  description: was.description,
  global: was.global,
  priority: was.priority,
  project: projectOf(was, places),
  ...places.of(was),
})

export type AnyVariable = DesiredVariable | ObservedVariable

/** For each set the variables that stay, then those that the plan deletes, as they were. */
export const variablesBySet = (sets: readonly SetSource[]): (readonly AnyVariable[])[] =>
  sets.map(set => (set.gone.length === 0 ? nowOf(set).variables : [...nowOf(set).variables, ...set.gone]))

export function variableTable(sets: readonly SetSource[], actionOf: ActionOf, hides: Hides): Table {
  let at = -1
  let beforeOf: BeforeOf = () => undefined
  const was = (one: AnyVariable, set: number): ObservedVariable | undefined => {
    if (set !== at) beforeOf = beforeIn(sets[set] as SetSource)
    at = set
    return beforeOf(one)
  }
  const readers: Readers<'Variable', AnyVariable> = {
    set: (_, set) => sets[set]?.name ?? '',
    key: ({ key }) => nameOf(key),
    category: ({ key }) => categoryOf(key),
    action: ({ key }, set) => {
      const { desired, name } = sets[set] as SetSource
      return desired === undefined ? 'delete' : (actionOf(name, key) ?? 'none')
    },
    description: ({ description }) => description,
    hcl: ({ hcl }) => hcl,
    sensitive: (one, set) => secretOf(one) !== undefined || isHidden(isExternal(one) ? was(one, set) : one),
    external: isExternal,
    secret: one => secretOf(one)?.name,
    version: one => secretOf(one)?.version,
    value: one => readable(one, hides),
    before: (one, set) => variableBefore(was(one, set), hides),
  }
  return tableOf(variablesBySet(sets), readers)
}

type BeforeOf = (one: AnyVariable) => ObservedVariable | undefined

/** What each variable of a set was. */
export function beforeIn(source: SetSource): BeforeOf {
  // A service may hold a key twice: the first counts.
  const old = new Map(source.was?.variables.toReversed().map(one => [one.key, one]))
  const own = ownVariables(source)
  return one => {
    if ('id' in one) return one
    return isExternal(one) ? own.find(({ key }) => key === one.key) : old.get(one.key)
  }
}

const variableBefore = (
  one: ObservedVariable | undefined,
  hides: Hides,
): FactOf<'VariableBefore'> | undefined =>
  one && {
    description: one.description,
    hcl: one.hcl,
    sensitive: isHidden(one),
    value: readable(one, hides),
  }

const secretOf = ({ value }: AnyVariable) => ('secret' in value ? value.secret : undefined)

const isExternal = ({ value }: AnyVariable): boolean => 'external' in value

const isHidden = (one: AnyVariable | undefined): boolean => one !== undefined && 'hidden' in one.value

/** Its value, if a rule may see it. */
export function readable({ key, value }: AnyVariable, hides: Hides): string | undefined {
  return 'text' in value && !hides(key, value.text) ? value.text : undefined
}

/** Workspaces, projects and Stacks as rules see them. A workspace is one object however many sets have it. */
export class Places {
  readonly #names: Readonly<Record<string, string>>
  readonly #known: () => ReadonlyMap<string, { readonly name: string; readonly project?: string }>
  readonly #workspaces = new Map<WorkspaceId, FactOf<'Workspace'>>()

  constructor({ workspaces, projects, stacks = [] }: Directory, names: Readonly<Record<string, string>>) {
    this.#names = names
    this.#known = lazy(() => new Map([...projects, ...stacks, ...workspaces].map(one => [one.id, one])))
  }

  /** Its id if the name is not known. */
  nameOf(id: ProjectId | StackId | WorkspaceId): string {
    return Object.hasOwn(this.#names, id) ? (this.#names[id] ?? id) : (this.#known().get(id)?.name ?? id)
  }

  workspace(id: WorkspaceId): FactOf<'Workspace'> {
    const known = this.#workspaces.get(id)
    if (known !== undefined) return known
    const made = { id, name: this.nameOf(id), project: this.#known().get(id)?.project ?? '' }
    this.#workspaces.set(id, made)
    return made
  }

  of({ workspaces = [], projects = [], stacks = [] }: TargetLists) {
    return {
      workspaces: workspaces.map(id => this.workspace(id)),
      projects: projects.map(id => this.nameOf(id)),
      stacks: stacks.map(id => this.nameOf(id)),
    }
  }
}

/** Each name once, in the order of the list. */
export const distinct = (names: readonly string[]): string[] => [...new Set(names)]
