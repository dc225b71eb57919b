import { createHash, type Hash } from 'node:crypto'
import { compareText } from '../model/diagnostic.ts'
import { targetsOfKind } from '../model/ids.ts'
import { isObject, parseJson, type Serialisable, toCompactJson, toJson } from '../model/json.ts'
import { grouped, shortList } from '../model/lists.ts'
import type { ObservedSet, ObservedState, ObservedValue, Variable } from '../model/variable-set.ts'
import { isPartOf, isUnfinished, missingParts, sentAgain } from './completion.ts'
import { hasArrived, isDone } from './equality.ts'
import { isOptional, setFinder } from './items.ts'
import type { Operation } from './operation.ts'
import type { InventoryFacts } from './ownership.ts'
import type { Plan, PlanFacts, Step } from './plan-data.ts'

/**
 * SHA-256 over what a plan does and what is agreed to with it: organization, address, selection, whether it is of one change, operations with
 * before and after; the sets that are taken from other owners, who newly receives which secret as the sets say it, what blocks by kind
 * and set, and the hits of rules that block. Lines, paths, time, version, order, unmanaged sets, members of projects and counts are
 * not included.
 */
export function digestOf(
  plan: Pick<
    Plan,
    'format' | 'organization' | 'address' | 'only' | 'onlyThisChange' | 'steps' | 'hits' | 'blocks'
  > & {
    readonly facts: Pick<PlanFacts, 'newReach'> & { readonly inventory: Pick<InventoryFacts, 'taken'> }
  },
): string {
  const { hits = [], blocks, facts } = plan
  const hash = hashOf(plan).copy()
  const blocking = hits
    .filter(({ level }) => level === 'block')
    .map(({ rule, message, item }) => toCompactJson({ rule, message, item }))
    .toSorted(compareText)
  if (blocking.length > 0) hash.update(`,"rules":[${blocking.join()}]`)
  // Messages count objects, and rules are told by their hits.
  const guards = new Set(
    blocks
      .filter(({ code }) => code !== 'violates-rule')
      .map(({ code, item }) => toCompactJson({ code, item })),
  )
  if (guards.size > 0) hash.update(`,"guards":[${[...guards].toSorted(compareText).join()}]`)
  const taken = facts.inventory.taken.map(({ id, owner }) => toCompactJson({ id, owner }))
  if (taken.length > 0) hash.update(`,"taken":[${taken.toSorted(compareText).join()}]`)
  const reach = facts.newReach.map(({ members: _, ...agreed }) => toCompactJson(agreed))
  if (reach.length > 0) hash.update(`,"reach":[${reach.join()}]`)
  return hash.update('}').digest('hex')
}

/** The hash of everything but the hits, which come to a plan last. */
function hashOf({
  format,
  organization,
  address,
  only,
  onlyThisChange,
  steps,
}: Parameters<typeof digestOf>[0]): Hash {
  // Which drift is left changes nothing that is done.
  const selected = { address, format, only, ...(onlyThisChange && { onlyThisChange: true }) }
  const begin = toCompactJson({ ...selected, organization })
  const known = hashes.get(steps)
  if (known?.begin === begin) return known.hash
  const operations = steps
    .filter(step => !isOptional(step.operation))
    .map(step => ({ id: step.id, operation: step.operation }))
    .toSorted((a, b) => compareText(a.id, b.id))
  const hash = createHash('sha256')
  // Hashed piece by piece, because a plan may be as large as all files.
  hash.update(`${toCompactJson(selected).slice(0, -1)},"operations":[`)
  for (const [index, operation] of operations.entries())
    hash.update(`${index === 0 ? '' : ','}${toCompactJson(operation)}`)
  hash.update(`],"organization":${toCompactJson(organization)}`)
  hashes.set(steps, { begin, hash })
  return hash
}

const hashes = new WeakMap<Plan['steps'], { readonly begin: string; readonly hash: Hash }>()

const FORMAT: Plan['format'] = 2

/**
 * The bytes of a saved plan: canonical JSON with a checksum over everything else, which shows any cut or edit. It
 * proves integrity, not origin: whoever edits the file can compute it again. That is why an apply compares the file
 * with the current plan and executes the current one.
 */
export function savedPlan(plan: Plan & Serialisable<Plan>): string {
  return toJson({ ...plan, checksum: checksumOf(plan) })
}

const checksumOf = (plan: Plan): string => createHash('sha256').update(toJson(plan)).digest('hex')

export type PlanFileFault = 'cut' | 'edited' | 'not-a-plan' | 'other-format'

/** The plan of a saved file, or what is wrong with the file. `isPlan` checks its form. */
export function parseSavedPlan(
  text: string,
  isPlan: (value: unknown) => value is Plan & { readonly checksum: string },
): Plan | PlanFileFault {
  const value = parseJson(text)
  if (value === undefined) return 'cut'
  if (!isPlan(value)) return isOfOtherFormat(value) ? 'other-format' : 'not-a-plan'
  const { checksum: _, ...plan } = value
  const whole = savedPlan(plan)
  return whole === text && plan.digest === digestOf(plan) ? plan : 'edited'
}

/** Written by an older or newer version. */
const isOfOtherFormat = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'format' in value &&
  typeof value.format === 'number' &&
  value.format !== FORMAT

/** Why a reviewed plan may not be applied: what was reviewed, and what the plan is now. */
export interface Conflict {
  readonly id: string
  readonly reviewed: string
  readonly now: string
}

/** The result of comparing a reviewed plan with the current one. Without conflicts, the current plan may run. */
interface Verdict {
  readonly conflicts: readonly Conflict[]
  /** Reviewed steps that are already done. */
  readonly done: readonly Step[]
}

/**
 * Compares reviewed plans with the current one. A saved plan is a claim and never executed. Each part of each current operation
 * must equal a reviewed part exactly. Each reviewed part must still be needed, or be done already; otherwise it is a conflict.
 * With several plans, in the order of their merges, a part needs only one of them, and a later plan overrides what an earlier one
 * says about the same set.
 */
export function judgeClaim(
  reviewed: Plan | readonly [Plan, ...Plan[]],
  now: Plan,
  observed: ObservedState,
): Verdict {
  const plans: readonly Plan[] = 'steps' in reviewed ? [reviewed] : reviewed
  const nowById = new Map(now.steps.map(step => [step.id, step]))
  const reviewedById = new Map(plans.flatMap(({ steps }) => steps.map(step => [step.id, step])))
  const operations = plans.flatMap(({ steps }) => steps.map(({ operation }) => operation))
  const setOf = setFinder(observed)
  const read = (operation: Operation): Operation => asRead(operation, setOf(operation))
  const isWhole = isAmong(operations)
  const missingOf = (operation: Operation) => smallestMissing(operation, setOf(operation))
  const again = operations.flatMap(operation => sentAgainAt(operation, setOf(operation)))
  const isPart = isAmong([...operations.flatMap(missingOf), ...again])
  const isPlanned = isAmong(now.steps.flatMap(({ operation }) => smallestOperationsOf(read(operation))))
  const isReviewed = (operation: Operation): boolean => smallestOperationsOf(read(operation)).every(isPart)
  const lastOf = new Map(
    plans.flatMap((plan: Plan) => plan.steps.map(({ operation }) => [operation.subject.name, plan])),
  )
  const nowOf = grouped(now.steps, ({ operation }) => operation.subject.name)

  /** What became of a reviewed step: it is still planned, done already, or in conflict with the plan of now. */
  const judge = (step: Step): 'planned' | 'done' | Conflict => {
    const { name } = step.operation.subject
    const other = nowById.get(step.id)
    if (other !== undefined && isWhole(read(other.operation))) return 'planned'
    if (other !== undefined && !isReviewed(other.operation)) return changedMembers(step, other)
    const wanted = missingOf(step.operation)
    const left = wanted.filter(part => !isPlanned(part))
    if (left.every(part => isDone(part, setOf(part), hasArrived(part))))
      return left.length === wanted.length ? 'done' : 'planned'
    // A later plan says otherwise about the set.
    if (lastOf.get(name)?.steps.includes(step) !== true) return 'planned'
    return other === undefined
      ? { id: step.id, reviewed: step.id, now: insteadOf(nowOf.get(name) ?? []) }
      : changedMembers(step, other)
  }

  const conflicts: Conflict[] = []
  const done: Step[] = []
  for (const step of reviewedById.values()) {
    const verdict = isOptional(step.operation) ? 'planned' : judge(step)
    if (verdict === 'done') done.push(step)
    else if (verdict !== 'planned') conflicts.push(verdict)
  }
  for (const step of now.steps)
    if (!reviewedById.has(step.id) && !isOptional(step.operation) && !isReviewed(step.operation))
      conflicts.push({ id: step.id, reviewed: 'nothing', now: step.id })
  return { conflicts, done }
}

/**
 * An operation as the smallest operations with the same effect: one variable, one target, or all settings. Two plans that were made
 * without each other have them apart, and one plan after both merges has them in one request. An operation is never divided where
 * a part depends on another.
 */
function smallestOperationsOf(operation: Operation): readonly Operation[] {
  if (operation.type === 'assign' || operation.type === 'unassign')
    return operation.targets.ids.map(id => ({
      ...operation,
      targets: targetsOfKind(operation.targets.kind, [id]),
    }))
  return [operation]
}

/** The same for what is left now: of a set that has nothing but what was sent, the missing parts stand for its creation. */
const smallestMissing = (operation: Operation, set: ObservedSet | undefined): readonly Operation[] =>
  operation.type === 'create-set' && set !== undefined && isUnfinished(operation, set)
    ? missingParts(operation, set).flatMap(smallestOperationsOf)
    : smallestOperationsOf(operation)

/**
 * What approving an operation approves as well once it has arrived: the same variable sent again, because an apply that was interrupted
 * recorded nothing. Of a set, while it has nothing but what was sent.
 */
function sentAgainAt(operation: Operation, set: ObservedSet | undefined): readonly Operation[] {
  if (set === undefined) return []
  switch (operation.type) {
    case 'create-set':
      return isPartOf(operation, set) ? sentAgain(operation.subject, operation.after.variables, set) : []
    case 'create-variable':
    case 'update-variable': {
      const { subject, after } = operation
      const isThere = hasArrived(operation)
      const variables = set.variables.filter(({ key }) => key === after.key)
      return variables.every(variable => isThere(variable, after)) ? sentAgain(subject, [after], set) : []
    }
    case 'update-set':
    case 'delete-set':
    case 'delete-variable':
    case 'assign':
    case 'unassign':
      return []
  }
}

/** What the current plan does with the set instead: the service or the files have changed. */
function insteadOf(others: readonly Step[]): string {
  const ids = others.map(step => step.id)
  return ids.length === 0 ? 'no longer needed' : shortList(ids)
}

/** Whether an operation of now is one of these. What is shown of a value decides nothing: one that was withheld may be any. */
function isAmong(operations: readonly Operation[]): (operation: Operation) => boolean {
  const known = grouped(operations, textOf)
  return operation =>
    known
      .get(textOf(operation))
      ?.some(one =>
        zipped(valuesBefore(one), valuesBefore(operation)).every(
          ([a, b]) => a === undefined || b === undefined || a === b,
        ),
      ) === true
}

const zipped = <T>(one: readonly T[], other: readonly T[]): (readonly [T, T | undefined])[] =>
  one.map((first, at) => [first, other[at]])

/**
 * An operation without what does not change what it does: readable values before, which `isAmong` compares, why a secret is written, and
 * whether it is half of a replacement, which it no longer is once the other half is done.
 */
function textOf(operation: Operation): string {
  switch (operation.type) {
    case 'create-variable':
      return toCompactJson({ ...operation, replaces: undefined })
    case 'update-variable':
      return toCompactJson({ ...operation, before: unread(operation.before), rewrite: undefined })
    case 'delete-variable':
      return toCompactJson({ ...operation, before: unread(operation.before), replaced: undefined })
    case 'delete-set': {
      const { before } = operation
      return toCompactJson({ ...operation, before: { ...before, variables: before.variables.map(unread) } })
    }
    case 'create-set':
    case 'update-set':
    case 'assign':
    case 'unassign':
      return toCompactJson(operation)
  }
}

const unread = (variable: Variable<ObservedValue>): Variable<ObservedValue> =>
  'hidden' in variable.value ? variable : { ...variable, value: { withheld: true } }

/** The variables that an operation takes away or changes. */
function variablesBefore(operation: Operation): readonly Variable<ObservedValue>[] {
  if (operation.type === 'delete-set') return operation.before.variables
  return operation.type === 'update-variable' || operation.type === 'delete-variable'
    ? [operation.before]
    : []
}

/** `undefined`: hidden or withheld. */
const valuesBefore = (operation: Operation): (string | undefined)[] =>
  variablesBefore(operation).map(({ value }) => ('text' in value ? value.text : undefined))

/** An operation of now with the values that it withholds, as the service shows them. Only to compare. */
function asRead(operation: Operation, set: ObservedSet | undefined): Operation {
  if (set === undefined || variablesBefore(operation).every(({ value }) => !('withheld' in value)))
    return operation
  const shown = (variable: Variable<ObservedValue>): Variable<ObservedValue> => {
    const there = set.variables.find(({ key }) => key === variable.key)
    return 'withheld' in variable.value && there !== undefined && 'text' in there.value
      ? { ...variable, value: there.value }
      : variable
  }
  switch (operation.type) {
    case 'update-variable':
    case 'delete-variable':
      return { ...operation, before: shown(operation.before) }
    case 'delete-set': {
      const { before } = operation
      return { ...operation, before: { ...before, variables: before.variables.map(shown) } }
    }
    case 'create-set':
    case 'update-set':
    case 'create-variable':
    case 'assign':
    case 'unassign':
      return operation
  }
}

/** The members that differ, which is what a reader wants to see. */
function changedMembers(reviewed: Step, now: Step): Conflict {
  const before = members(reviewed.operation)
  const after = members(now.operation)
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    name => before.get(name) !== after.get(name),
  )
  const show = (of: Map<string, string>) =>
    names.map(name => `${name} ${of.get(name) ?? 'absent'}`).join(', ')
  return { id: reviewed.id, reviewed: show(before), now: show(after) }
}

function members(value: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member))
      for (const [inner, text] of members(member, `${prefix}${name}.`)) found.set(inner, text)
    else found.set(`${prefix}${name}`, JSON.stringify(member))
  }
  return found
}
