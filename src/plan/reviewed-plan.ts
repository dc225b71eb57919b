import { createHash, type Hash } from 'node:crypto'
import { compareText } from '../model/diagnostic.ts'
import { targetsOfKind } from '../model/ids.ts'
import { isObject, parseJson, type Serialisable, toCompactJson, toJson } from '../model/json.ts'
import { grouped, shortList } from '../model/lists.ts'
import type { ObservedSet, ObservedState } from '../model/variable-set.ts'
import { isHalfMade, isPartOf, missingParts, sentAgain } from './completion.ts'
import { isDone } from './equality.ts'
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
  const texts = new Set(operations.map(textOf))
  const missingOf = (operation: Operation) => smallestMissing(operation, setOf(operation))
  const again = operations.flatMap(operation => sentAgainAt(operation, setOf(operation)))
  const parts = new Set([...operations.flatMap(missingOf), ...again].map(textOf))
  const partsNow = new Set(now.steps.flatMap(({ operation }) => smallestOperationsOf(operation).map(textOf)))
  const isReviewed = (operation: Operation): boolean =>
    smallestOperationsOf(operation).every(part => parts.has(textOf(part)))
  const lastOf = new Map(
    plans.flatMap((plan: Plan) => plan.steps.map(({ operation }) => [operation.subject.name, plan])),
  )
  const nowOf = grouped(now.steps, ({ operation }) => operation.subject.name)

  /** What became of a reviewed step: it is still planned, done already, or in conflict with the plan of now. */
  const judge = (step: Step): 'planned' | 'done' | Conflict => {
    const { name } = step.operation.subject
    const other = nowById.get(step.id)
    if (other !== undefined && texts.has(textOf(other.operation))) return 'planned'
    if (other !== undefined && !isReviewed(other.operation)) return changedMembers(step, other)
    const wanted = missingOf(step.operation)
    const left = wanted.filter(part => !partsNow.has(textOf(part)))
    if (left.every(part => isDone(part, setOf(part))))
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

/** The same for what is left now: of a set that an apply left half-made, the missing parts stand for its creation. */
const smallestMissing = (operation: Operation, set: ObservedSet | undefined): readonly Operation[] =>
  operation.type === 'create-set' && set !== undefined && isHalfMade(operation, set)
    ? missingParts(operation, set).flatMap(smallestOperationsOf)
    : smallestOperationsOf(operation)

/** What approving the creation of a set approves as well while it has nothing but what was sent: no record tells what arrived. */
const sentAgainAt = (operation: Operation, set: ObservedSet | undefined): readonly Operation[] =>
  operation.type === 'create-set' && set !== undefined && isPartOf(operation, set)
    ? sentAgain(operation, set)
    : []

/** What the current plan does with the set instead: the service or the files have changed. */
function insteadOf(others: readonly Step[]): string {
  const ids = others.map(step => step.id)
  return ids.length === 0 ? 'no longer needed' : shortList(ids)
}

/** Once the first half of a replacement is done, the second half is like any other new variable. */
const textOf = (operation: Operation): string =>
  toCompactJson(operation.type === 'create-variable' ? { ...operation, replaces: undefined } : operation)

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
