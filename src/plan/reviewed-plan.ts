import { createHash, type Hash } from 'node:crypto'
import { compareText } from '../model/diagnostic.ts'
import { targetsOfKind } from '../model/ids.ts'
import { isObject, parseJson, type Serialisable, toCompactJson, toJson } from '../model/json.ts'
import { grouped, shortList } from '../model/lists.ts'
import type { ObservedSet, ObservedState, ObservedValue, Variable } from '../model/variable-set.ts'
import { isUnfinished, missingParts } from './completion.ts'
import { hasArrived, isDone } from './equality.ts'
import { isOutsideDigest, setFinder } from './items.ts'
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
    .filter(step => !isOutsideDigest(step.operation))
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

/** Written by an older or newer version. A snapshot has a format of its own, and no checksum. */
const isOfOtherFormat = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'checksum' in value &&
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
 * Compares reviewed plans with the current one, row by row. A reviewed plan is never executed. Each row of the current plan must be a
 * reviewed one. Each reviewed row must still be planned, or be done already; otherwise it is a conflict. With several plans, in the order
 * of their merges, a row needs only one of them, and a later plan overrides what an earlier one says about the same set.
 */
export function compareReviewed(
  reviewed: readonly [Plan, ...Plan[]],
  now: Plan,
  observed: ObservedState,
): Verdict {
  const setOf = setFinder(observed)
  const rowsIn = (steps: readonly Step[]): ReadonlyMap<Step, readonly PlanRow[]> =>
    new Map(steps.map(step => [step, rowsOf(step.operation, setOf(step.operation))]))
  const reviewedSteps = reviewed.flatMap(({ steps }) => steps)
  const [rowsThen, rowsNow] = [rowsIn(reviewedSteps), rowsIn(now.steps)]
  const isReviewed = isAmong(rowsThen, (row, then) => isSame(then, row) || isRepeated(then, row))
  const isPlanned = isAmong(rowsNow, isSame)
  const nowById = new Map(now.steps.map(step => [step.id, step]))
  const reviewedById = new Map(reviewedSteps.map(step => [step.id, step]))
  const lastOf = new Map(
    reviewed.flatMap(plan => plan.steps.map(({ operation }) => [operation.subject.name, plan])),
  )
  const nowOf = grouped(now.steps, ({ operation }) => operation.subject.name)

  /** What became of a reviewed step: it is still planned, done already, or in conflict with the plan of now. */
  const judge = (step: Step): 'planned' | 'done' | Conflict => {
    const { name } = step.operation.subject
    const other = nowById.get(step.id)
    const rows = rowsThen.get(step) ?? []
    const left = rows.filter(row => !isPlanned(row))
    const isKept = other === undefined || (rowsNow.get(other) ?? []).every(isReviewed)
    if (isKept && left.every(row => row.isDone)) return left.length === rows.length ? 'done' : 'planned'
    // A later plan says otherwise about the set.
    if (isKept && lastOf.get(name)?.steps.includes(step) !== true) return 'planned'
    return other === undefined
      ? { id: step.id, reviewed: step.id, now: insteadOf(nowOf.get(name) ?? []) }
      : changedMembers(step, other)
  }

  const conflicts: Conflict[] = []
  const done: Step[] = []
  for (const step of reviewedById.values()) {
    const verdict = isOutsideDigest(step.operation) ? 'planned' : judge(step)
    if (verdict === 'done') done.push(step)
    else if (verdict !== 'planned') conflicts.push(verdict)
  }
  for (const [{ id, operation }, rows] of rowsNow)
    if (!reviewedById.has(id) && !isOutsideDigest(operation) && !rows.every(isReviewed))
      conflicts.push({ id, reviewed: 'nothing', now: id })
  return { conflicts, done }
}

/**
 * What an operation does to one part of a set: a variable, a target, all settings, or the set with everything in it. Two plans that were
 * made without each other have rows apart that one plan after both merges has in one request. An operation is never divided where a part
 * depends on another.
 */
interface PlanRow {
  /** The set and the part. */
  readonly part: string
  /** Without values that the service shows: one that a plan withholds may be any. */
  readonly before: string
  /** These values; `undefined` if nobody can tell. */
  readonly values: readonly (string | undefined)[]
  readonly after: string
  /** Whether the service shows `after`. */
  readonly isDone: boolean
}

/**
 * `set`: that of the operation, as the service shows it. A creation that was interrupted left a set with nothing but what was sent: its
 * rows are the parts, those that are missing and those that are there.
 */
function rowsOf(operation: Operation, set: ObservedSet | undefined): readonly PlanRow[] {
  const { subject } = operation
  const row = (part: string, before: unknown, after: unknown, asked: Operation = operation): PlanRow => ({
    part: toCompactJson([set?.id ?? subject.id ?? 'new', subject.name, part]),
    before: before === undefined ? ABSENT : toCompactJson(before),
    values: variablesBefore(asked).map(one => readableIn(one, set)),
    after: after === undefined ? ABSENT : toCompactJson(after),
    isDone: isDone(asked, set, hasArrived(asked)),
  })
  switch (operation.type) {
    case 'create-set': {
      const { variables } = operation.after
      if (set === undefined || !isUnfinished(operation, set)) return [row('', undefined, operation.after)]
      const held = new Set(set.variables.map(({ key }) => key))
      const there = variables.filter(({ key }) => held.has(key))
      return [
        ...missingParts(operation, set).flatMap(part => rowsOf(part, set)),
        ...there.map(variable => ({ ...row(variable.key, undefined, variable), isDone: true })),
      ]
    }
    case 'delete-set': {
      const { before } = operation
      return [row('', { ...before, variables: before.variables.map(unread) }, undefined)]
    }
    case 'update-set':
      return [row('settings', operation.before, operation.after)]
    case 'create-variable':
      return [row(operation.after.key, undefined, operation.after)]
    case 'update-variable': {
      const { variableId, before, after } = operation
      return [row(after.key, { ...unread(before), variableId }, after)]
    }
    case 'delete-variable': {
      const { variableId, before } = operation
      return [row(before.key, { ...unread(before), variableId }, undefined)]
    }
    case 'assign':
    case 'unassign': {
      const { kind, ids } = operation.targets
      const isAssigned = operation.type === 'assign'
      return ids.map(id =>
        row(id, !isAssigned, isAssigned, { ...operation, targets: targetsOfKind(kind, [id]) }),
      )
    }
  }
}

/** In place of a part that is not there. */
const ABSENT = ''

const isSame = (one: PlanRow, other: PlanRow): boolean =>
  one.after === other.after &&
  one.before === other.before &&
  one.values.every((value, at) => {
    const now = other.values[at]
    return value === undefined || now === undefined || value === now
  })

/**
 * Whether a row sends a reviewed variable once more that has arrived: without a record nobody knows whether a secret did
 * (docs/secrets.md#the-inventory), and a service may have stored a text in another form.
 */
const isRepeated = (then: PlanRow, now: PlanRow): boolean =>
  then.isDone && then.after === now.after && now.after !== ABSENT

/** Whether a row is among those of some steps. */
function isAmong(
  steps: ReadonlyMap<Step, readonly PlanRow[]>,
  is: (row: PlanRow, one: PlanRow) => boolean,
): (row: PlanRow) => boolean {
  const known = grouped([...steps.values()].flat(), ({ part }) => part)
  return row => known.get(row.part)?.some(one => is(row, one)) === true
}

/** What the current plan does with the set instead: the service or the files have changed. */
function insteadOf(others: readonly Step[]): string {
  const ids = others.map(step => step.id)
  return ids.length === 0 ? 'no longer needed' : shortList(ids)
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

/** The value that a plan shows, or withholds and the service shows. */
function readableIn(
  { key, value }: Variable<ObservedValue>,
  set: ObservedSet | undefined,
): string | undefined {
  const shown = 'withheld' in value ? set?.variables.find(one => one.key === key)?.value : value
  return shown !== undefined && 'text' in shown ? shown.text : undefined
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
