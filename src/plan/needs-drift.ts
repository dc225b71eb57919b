import { type Checked, type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import { grouped, itemAt, shortList } from '../model/lists.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from './create.ts'
import { diffVariableSets } from './difference.ts'
import { type Draft, type Slot, scopeSlot } from './draft.ts'
import { isWorkspace } from './effective/members.ts'
import type { Matched } from './match-states.ts'
import { type Narrowing, narrowed } from './narrowing.ts'
import type { Operation } from './operation.ts'
import { entryOf } from './ownership.ts'
import type { Plan } from './plan-data.ts'
import { SecretStates } from './secret-states.ts'

/** The plan of this change alone, or why there is none. */
interface PlannedChange {
  readonly narrowing: Narrowing
  readonly planned: Checked<Plan>
}

/**
 * Why this change cannot be made alone: a step needs something of the files that differs in the service. `fullPlan`: the command of
 * the plan that reverts the drift as well. Pure.
 */
export function needsDrift(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  whole: Matched,
  { narrowing, planned }: PlannedChange,
  fullPlan = 'setpoint plan',
): Diagnostic[] {
  if (narrowing.drift.length === 0) return []
  const { match, ownership } = narrowed(whole, narrowing)
  const drafts = diffVariableSets(match, new SecretStates(match, ownership, options))
  const needs: Need[] = [
    ...narrowing.edited.map(({ name, source }) => ({
      message: `"${name}" is not in the service, and this change edits it.`,
      source,
    })),
    ...unlisted({ match, ownership }, drafts),
    ...heldSlots(drafts, diffVariableSets(whole.match, new SecretStates(whole.match, whole.ownership))),
  ]
  if (needs.length === 0) {
    const full = createPlan(desired, observed, options, whole)
    if (full.value !== undefined) needs.push(...refused(planned), ...lostKeys(planned.value, full.value))
  }
  return needs.map(({ message, source }) =>
    mistake(
      'needs-drift',
      `This change cannot be made alone. ${message}`,
      `The full plan reverts the drift as well: ${fullPlan}`,
      source,
    ),
  )
}

type Need = Pick<Diagnostic, 'message' | 'source'>

/** Sets that this change edits and no inventory lists: to say what was last applied, the whole set has to be. */
function unlisted({ match, ownership }: Matched, drafts: readonly Draft[]): Need[] {
  if (ownership.owner === undefined) return []
  const edited = new Set(drafts.map(({ operation }) => operation.subject.id))
  return match.pairs
    .filter(
      pair =>
        pair.kept !== undefined &&
        pair.kept.digest === undefined &&
        entryOf(pair, ownership) === undefined &&
        edited.has(pair.observed?.id),
    )
    .map(({ desired: { name, source } }) => ({
      message: `"${name}" is not in the inventory and differs from the files.`,
      source,
    }))
}

/** Steps that wait for what only the full plan does, such as a key that another global set still holds. */
function heldSlots(drafts: readonly Draft[], full: readonly Draft[]): Need[] {
  const released = new Set(drafts.flatMap(({ releases }) => releases))
  const holders = new Map<Slot, Draft>()
  // A set that becomes global waits for its other changes, but does not need them.
  for (const draft of full)
    for (const slot of draft.releases)
      if (slot !== ownScope(draft) || draft.operation.type === 'update-set') holders.set(slot, draft)
  return drafts.flatMap(({ id, acquires, source, operation }) => {
    // A set that stays global because of drift has no such slot any more.
    const slots = isInside(operation) ? [...acquires, scopeSlot(operation.subject.id)] : acquires
    const held = slots.flatMap(slot => (released.has(slot) ? [] : (holders.get(slot) ?? [])))
    return [...new Set(held)].map(holder => ({
      message: `"${id}" needs "${holder.id}" first, which reverts drift.`,
      source,
    }))
  })
}

const ownScope = ({ operation: { subject } }: Draft): Slot | undefined => subject.id && scopeSlot(subject.id)

const isInside = (operation: Operation) =>
  operation.type === 'create-variable' ||
  operation.type === 'update-variable' ||
  operation.type === 'assign' ||
  operation.type === 'unassign'

/** What the service would refuse, and would not after the full plan. */
const refused = ({ value, diagnostics }: Checked<Plan>): Need[] =>
  value === undefined ? diagnostics.filter(one => hasErrors([one])) : []

/** Keys that workspaces lose with this change alone, and keep with the full plan: their other set has drifted. */
function lostKeys(plan: Plan | undefined, full: Plan): Need[] {
  const kept = new Set(lostIn(full).map(({ id, key }) => `${id} ${key}`))
  const lost = (plan === undefined ? [] : lostIn(plan)).filter(({ id, key }) => !kept.has(`${id} ${key}`))
  return [...grouped(lost, ({ key }) => key)].map(([key, members]) => {
    const names = shortList([...new Set(members.map(({ id }) => JSON.stringify(plan?.names[id] ?? id)))])
    const what = `${categoryOf(key)} ${nameOf(key)}`
    return { message: `Without the set that has drifted, ${what} would be lost in ${names}.` }
  })
}

const lostIn = ({ facts: { received } }: Plan) =>
  received.groups.flatMap(({ members, changes }) =>
    changes.flatMap(at => {
      const { kind, key } = itemAt(received.changes, at)
      return kind === 'lost' ? members.filter(isWorkspace).map(id => ({ id, key })) : []
    }),
  )
