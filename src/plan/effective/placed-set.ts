import { type ServiceName, serviceNameOf } from '../../model/fields.ts'
import { type Assignments, categoryOf, type VariableKey } from '../../model/ids.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
  Variable,
} from '../../model/variable-set.ts'
import { assignmentsThen } from '../draft.ts'
import { changeOf, isKept } from '../equality.ts'
import { isReplaced, type Match, type Pair } from '../match.ts'
import type { SecretState, SecretStates } from '../secrets.ts'
import type { Standing } from './precedence.ts'

/** A set with what it gives and where, at one moment. */
export interface PlacedSet extends Standing {
  /** The same before and after; a set that is created has one of its own. */
  readonly id: string
  readonly name: string
  /** Its name in the service, which decides within a rank. */
  readonly called: string
  readonly global: boolean
  readonly workspaces: readonly string[]
  readonly projects: readonly string[]
  /** Reached, and never told of in effects: what a Stack reads, its own configuration says (docs/service.md 13.1). */
  readonly stacks: readonly string[]
  readonly held: ReadonlyMap<VariableKey, Held>
  /** A file declares or removes it, so a plan may show what it holds. */
  readonly ours: boolean
}

/** A set before and after a plan. Without `before` it is created, without `after` deleted. */
export interface MovingSet {
  readonly before?: PlacedSet
  readonly after?: PlacedSet
}

/** The sets that operations are about, as they are and as they will be. `names`: as operations name them. */
export function movingSets(
  { pairs, removals }: Match,
  names: ReadonlySet<string>,
  secrets: SecretStates,
): MovingSet[] {
  return [
    ...pairs.filter(pair => names.has(pair.desired.name)).map(pair => movingPair(pair, secrets)),
    ...removals.map(({ observed }) => ({ before: placedNow(observed, true) })),
  ]
}

/** The observed sets that stay as they are. */
export function stayingSets(
  { pairs, untouched }: Match,
  names: ReadonlySet<string>,
): { readonly set: ObservedSet & ServiceName; readonly ours: boolean }[] {
  return [
    ...pairs.flatMap(({ desired, observed }) =>
      observed === undefined || names.has(desired.name)
        ? []
        : [{ set: named(desired, observed), ours: true }],
    ),
    ...untouched.map(set => ({ set, ours: false })),
  ]
}

/** As operations name it: one that keeps its name is no other set to a reader. */
export const named = (desired: ResolvedSet, observed: ObservedSet): ObservedSet & ServiceName =>
  desired.called === observed.name ? { ...observed, name: desired.name, called: observed.name } : observed

function movingPair({ desired, observed }: Pair, secrets: SecretStates): MovingSet {
  const after = placedThen(desired, observed, secrets)
  return observed === undefined ? { after } : { before: placedNow(named(desired, observed), true), after }
}

/** `keys`: only these variables, where not all are wanted. */
export const placedNow = (
  set: ObservedSet & ServiceName,
  ours: boolean,
  keys?: ReadonlySet<VariableKey>,
): PlacedSet => ({
  id: set.id,
  name: set.name,
  called: serviceNameOf(set),
  global: set.global,
  priority: set.priority,
  projectOwned: set.parent !== undefined,
  ...placesOf(set),
  held: observedHeld(set, keys),
  ours,
})

const placesOf = ({ workspaces, projects, stacks = [] }: Assignments) => ({ workspaces, projects, stacks })

/** Of a key that a service holds twice, the first by id. */
function observedHeld(set: ObservedSet, keys?: ReadonlySet<VariableKey>): Map<VariableKey, Held> {
  const held = new Map<VariableKey, Held>()
  for (const variable of set.variables)
    if (keys === undefined || keys.has(variable.key))
      if (!held.has(variable.key)) held.set(variable.key, heldNow(variable))
  return held
}

export function placedThen(
  desired: ResolvedSet,
  observed: ObservedSet | undefined,
  secrets: SecretStates,
): PlacedSet {
  // What takes the place of a set has nothing that the files do not give it.
  const kept = isReplaced({ desired, ...(observed && { observed }) }) ? [] : (observed?.variables ?? [])
  const there = new Map(kept.toReversed().map(variable => [variable.key, variable]))
  const held = new Map<VariableKey, Held>()
  for (const variable of desired.variables) {
    const { key } = variable
    const then = heldThen(variable, there.get(key), secrets.of(desired.name, key))
    if (then !== undefined) held.set(key, then)
  }
  return {
    id: observed?.id ?? `new ${desired.name}`,
    name: desired.name,
    called: serviceNameOf(desired),
    global: desired.global,
    priority: desired.priority,
    projectOwned: desired.parent !== undefined,
    ...placesOf(assignmentsThen(desired, observed)),
    held,
    ours: true,
  }
}

/** What a set gives for one key. `rewritten`: another secret than before, as far as can be told. */
export type Held =
  | { readonly secret: true; readonly rewritten: boolean }
  /** Without a text: the snapshot that the plan is made from leaves it out. */
  | { readonly secret: false; readonly text?: string; readonly hcl: boolean }

export const heldNow = ({ value, hcl }: Pick<ObservedVariable, 'value' | 'hcl'>): Held =>
  'hidden' in value
    ? { secret: true, rewritten: false }
    : { secret: false, ...('text' in value ? value : {}), hcl }

/** What it gives once the files are applied; `undefined` for an external variable that is not there, which nobody makes. */
function heldThen(
  desired: Variable<DesiredValue>,
  observed: ObservedVariable | undefined,
  state: SecretState | undefined,
): Held | undefined {
  if ('external' in desired.value) {
    if (observed === undefined) return undefined
    const { hcl } = isKept('hcl', observed, desired) ? observed : desired
    return heldNow({ value: observed.value, hcl })
  }
  if ('text' in desired.value) return { secret: false, text: desired.value.text, hcl: desired.hcl }
  const rewritten =
    observed === undefined ||
    !('hidden' in observed.value) ||
    state?.state === 'write' ||
    changeOf(observed, desired) === 'replace'
  return { secret: true, rewritten }
}

/** Whether a reader of the variable sees the same, where one set gave it before and gives it after. */
export function sameInOneSet(key: VariableKey, before: Held, after: Held): boolean {
  if (before.secret || after.secret) return before.secret && after.secret && !after.rewritten
  if (before.text === undefined || after.text === undefined)
    return before.text === after.text && before.hcl === after.hcl
  return sameHeldText(key, before, after)
}

/** The same of two sets: nobody can tell whether two secrets are equal. */
export const sameInTwoSets = (key: VariableKey, before: Held, after: Held): boolean =>
  !before.secret && !after.secret && sameHeldText(key, before, after)

const sameHeldText = (
  key: VariableKey,
  before: Held & { readonly secret: false },
  after: Held & { readonly secret: false },
): boolean =>
  before.text !== undefined &&
  after.text !== undefined &&
  before.text === after.text &&
  (before.hcl === after.hcl || categoryOf(key) === 'env')
