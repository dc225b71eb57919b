import { type ServiceName, serviceNameOf } from '../../model/fields.ts'
import {
  type Assignments,
  categoryOf,
  type ProjectId,
  type StackId,
  type VariableKey,
  type WorkspaceId,
} from '../../model/ids.ts'
import type {
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedSet,
} from '../../model/variable-set.ts'
import { assignmentsThen } from '../draft.ts'
import { changeOf, isLeft } from '../equality.ts'
import { type Match, removalNames } from '../match.ts'
import { type SecretState, SecretStates } from '../secret-states.ts'

/** A set with its variables and assignments, before or after a plan. */
export interface SetState {
  /** The same before and after. A set that is created has an id of ours. */
  readonly id: string
  readonly name: string
  /** Its name in the service, which decides within a rank. `name` is its key in the file. */
  readonly serviceName: string
  readonly global: boolean
  readonly priority: boolean
  /** Owned by a project instead of the organization. */
  readonly projectOwned: boolean
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** No effect: what a Stack reads, its own configuration says (docs/service.md 13.1). */
  readonly stacks: readonly StackId[]
  readonly held: ReadonlyMap<VariableKey, HeldValue>
  /** A file declares or removes it, so a plan may show its values. */
  readonly ours: boolean
  /** The variables of a workspace itself. */
  readonly isOwn?: true
}

/**
 * The value of a variable. `rewritten`: the secret changes, as far as is known. `sentAgain`: something else of it changes, and
 * its value is sent with that. `written`: how the files declare it.
 */
export type HeldValue =
  | {
      readonly secret: true
      readonly rewritten: boolean
      readonly sentAgain?: boolean
      readonly written?: DesiredVariable
    }
  /** Without a text if the snapshot leaves it out. */
  | {
      readonly secret: false
      readonly text?: string
      readonly hcl: boolean
      readonly written?: DesiredVariable
    }

/** A set before and after a plan. Without `before` it is created, without `after` deleted. */
export interface SetStates {
  readonly before?: SetState
  readonly after?: SetState
  /** The files do not manage its projects. */
  readonly keepsProjects?: boolean
}

/** Both states of each set. */
export const statesIn = (sets: readonly SetStates[]): SetState[] =>
  sets.flatMap(({ before, after }) => [before, after].filter(set => set !== undefined))

/** The sets that a plan changes. `isChanged` takes the name that operations use. */
export function changingSets(
  { pairs, removals }: Match,
  isChanged: (name: string) => boolean,
  secrets: SecretStates,
): SetStates[] {
  const nameOf = removalNames({ pairs, removals })
  return [
    ...pairs.flatMap(({ desired, observed }) =>
      isChanged(desired.name)
        ? {
            before: observed && stateBefore(named(desired, observed), true),
            after: stateAfter(desired, observed, secrets),
            keepsProjects: desired.projects === undefined,
          }
        : [],
    ),
    ...removals.map(({ observed }) => ({
      before: stateBefore({ ...observed, name: nameOf(observed), serviceName: observed.name }, true),
    })),
  ]
}

/** The sets that do not change and have one of these keys. */
export function unchangedSets(
  { pairs, untouched }: Match,
  isChanged: (name: string) => boolean,
  keys?: ReadonlySet<VariableKey>,
): SetStates[] {
  const hasKey = ({ variables }: ObservedSet): boolean =>
    keys === undefined || variables.some(({ key }) => keys.has(key))
  const declared = pairs.flatMap(({ desired, observed }) =>
    observed === undefined || isChanged(desired.name) || !hasKey(observed)
      ? []
      : stateBefore(named(desired, observed), true),
  )
  const others = untouched.filter(hasKey).map(set => stateBefore(set, false))
  return [...declared, ...others].map(set => ({ before: set, after: set }))
}

/** The variables of workspaces themselves, as far as they were read. */
export type OwnVariables = ReadonlyMap<WorkspaceId, ReadonlyMap<VariableKey, ObservedVariable>>

/** The variables of each workspace as a set that only it receives. */
export const ownSets = (own: OwnVariables): SetStates[] =>
  [...own].map(([id, variables]) => {
    const set = ownSet(id, variables)
    return { before: set, after: set }
  })

export const ownSet = (id: WorkspaceId, variables: ReadonlyMap<VariableKey, ObservedVariable>): SetState => ({
  id,
  name: '',
  serviceName: '',
  global: false,
  priority: false,
  projectOwned: false,
  workspaces: [id],
  projects: [],
  stacks: [],
  held: new Map([...variables].map(([key, variable]) => [key, valueBefore(variable)])),
  ours: false,
  isOwn: true,
})

/** Every set, live and desired; without a match, live only. */
export function allSets(observed: ObservedState, match: Match | undefined): SetStates[] {
  if (match === undefined) return observed.sets.map(set => ({ before: stateBefore(set, false) }))
  const isChanged = () => true
  return [...changingSets(match, isChanged, new SecretStates(match)), ...unchangedSets(match, isChanged)]
}

/** Under its key in the file, if it keeps its name in the service: to a reader it is the same set. */
const named = (desired: ResolvedSet, observed: ObservedSet): ObservedSet & ServiceName =>
  desired.serviceName === observed.name
    ? { ...observed, name: desired.name, serviceName: observed.name }
    : observed

/** As it is in the service. */
function stateBefore(set: ObservedSet & ServiceName, ours: boolean): SetState {
  const held = new Map<VariableKey, HeldValue>()
  // A service may hold a key twice. The first by id counts.
  for (const variable of set.variables)
    if (!held.has(variable.key)) held.set(variable.key, valueBefore(variable))
  return { id: set.id, held, ours, ...detailsOf(set, set) }
}

/** As it is once the files are applied. */
function stateAfter(
  desired: ResolvedSet,
  observed: ObservedSet | undefined,
  secrets: SecretStates,
): SetState {
  const there = new Map((observed?.variables ?? []).toReversed().map(variable => [variable.key, variable]))
  const held = new Map<VariableKey, HeldValue>()
  for (const variable of desired.variables) {
    const { key } = variable
    const then = valueAfter(variable, there.get(key), secrets.of(desired.name, key))
    if (then !== undefined) held.set(key, then)
  }
  const id = observed?.id ?? `new ${desired.name}`
  return { id, held, ours: true, ...detailsOf(desired, assignmentsThen(desired, observed)) }
}

const detailsOf = (
  set: Pick<ObservedSet, 'name' | 'global' | 'priority' | 'parent'> & ServiceName,
  { workspaces, projects, stacks = [] }: Assignments,
) => ({
  name: set.name,
  serviceName: serviceNameOf(set),
  global: set.global,
  priority: set.priority,
  projectOwned: set.parent !== undefined,
  workspaces,
  projects,
  stacks,
})

export const valueBefore = ({ value, hcl }: Pick<ObservedVariable, 'value' | 'hcl'>): HeldValue =>
  'hidden' in value
    ? { secret: true, rewritten: false }
    : { secret: false, text: 'text' in value ? value.text : undefined, hcl }

/** `undefined` for an external variable that does not exist: it is never created. */
function valueAfter(
  desired: DesiredVariable,
  observed: ObservedVariable | undefined,
  state: SecretState | undefined,
): HeldValue | undefined {
  if ('external' in desired.value) {
    if (observed === undefined) return undefined
    const { hcl } = isLeft('hcl', observed, desired) ? observed : desired
    return { ...valueBefore({ value: observed.value, hcl }), written: desired }
  }
  if ('text' in desired.value)
    return { secret: false, text: desired.value.text, hcl: desired.hcl, written: desired }
  const change = observed && changeOf(observed, desired)
  const rewritten =
    observed === undefined ||
    !('hidden' in observed.value) ||
    state?.state === 'write' ||
    change === 'replace'
  return { secret: true, rewritten, sentAgain: change === 'update', written: desired }
}

/** Whether the value of a secret may change although no one asked for that. */
export const isSentAgain = (then: HeldValue): boolean => then.secret && then.sentAgain === true

/** Whether a workspace sees the same value if the same set gives it before and after. */
export function sameInOneSet(key: VariableKey, before: HeldValue, after: HeldValue): boolean {
  if (before.secret || after.secret) return before.secret && after.secret && !after.rewritten
  const withheld = before.text === undefined && after.text === undefined && before.hcl === after.hcl
  return withheld || sameInTwoSets(key, before, after)
}

/** The same for two sets. Whether two secrets are equal is unknown. */
export const sameInTwoSets = (key: VariableKey, before: HeldValue, after: HeldValue): boolean =>
  !before.secret &&
  !after.secret &&
  before.text !== undefined &&
  before.text === after.text &&
  (before.hcl === after.hcl || categoryOf(key) === 'env')

/** What happens to a value that the same set gives before and after; `undefined`: nothing. */
export function kindInOneSet(
  key: VariableKey,
  before: HeldValue,
  after: HeldValue,
): 'value' | 'sent' | undefined {
  if (!sameInOneSet(key, before, after)) return 'value'
  return isSentAgain(after) ? 'sent' : undefined
}

/** Whether a reader of the set may find another value under the key, or none. */
export const isOtherValue = (
  key: VariableKey,
  before: HeldValue | undefined,
  after: HeldValue | undefined,
): boolean => before === undefined || after === undefined || kindInOneSet(key, before, after) !== undefined
