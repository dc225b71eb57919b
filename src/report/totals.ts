import type { ApplyResult } from '../apply/outcome.ts'
import { driftOf } from '../plan/facts.ts'
import type { Verb } from '../plan/operation.ts'
import type { Plan, PlanFacts, WhyLeftAlone } from '../plan/plan-data.ts'
import type { NotCompared } from '../plan/secret-states.ts'
import { isToldByFindings, transitionPhrase } from './gap-text.ts'
import { orderPhrases } from './order-text.ts'
import { counted, figure, joined, listed, name, type Phrase, present, say } from './phrase.ts'
import { NO_WRITE } from './set-rows.ts'

export interface Total {
  readonly label: string
  readonly phrase: Phrase
  /** The same with every name, for `--verbose`. */
  readonly whole?: Phrase
  /** Nobody has to act on it, so only `--verbose` shows it. JSON has it always. */
  readonly usual?: true
}

/** The totals that a reader without `--verbose` needs. */
export const needed = (totals: readonly Total[]): Total[] => totals.filter(({ usual }) => usual !== true)

/** What the plan counts instead of listing. */
export function totalsOf(plan: Plan): Total[] {
  const { facts, only, owner } = plan
  const orphans = facts.leftAlone.filter(({ why }) => why in ORPHANED).length
  const unmanaged = facts.unmanagedAssignments.reduce((sum, { count }) => sum + count, 0)
  const inSets = counted(facts.unmanagedAssignments.length, 'set')
  const left = facts.outsideSelection
  return [
    (isToldByFindings(plan) ? usual : line)('Transition', transitionPhrase(plan)),
    orderPhrases(plan).flatMap(phrase => usual('Order', phrase)),
    secrets(plan),
    (isUsual(plan) ? usual : line)('Inventory', ...inventory(plan)),
    line('Assignments', some(unmanaged, `unmanaged, in ${inSets}`)),
    usual('Token', facts.unwritable?.readsOnly && ['read-only; an apply needs write access']),
    usual('Equal', facts.equalSets > 0 && [counted(facts.equalSets, 'set')]),
    whole('Orphaned', byReason(facts, ORPHANED, 3), byReason(facts, ORPHANED)),
    whole('Not ours', notOurs(facts, orphans, owner), byReason(facts, NOT_OURS)).map(asUsual),
    line('Left out', left > 0 && say`${counted(left, 'set')} outside --only ${listed(only)}`),
  ].flat()
}

/** Those that are written or not verified; with `--verbose` also the others. */
function secrets(plan: Plan): Total[] {
  const { facts } = plan
  const open = [some(facts.secretsToWrite, 'to write'), notCompared(plan)]
  const same = facts.secrets.filter(({ state }) => state.state === 'same').length
  const all = [some(same, 'same'), ...open, some(facts.externals, 'external')]
  const [shown] = line('Secrets', ...open)
  return shown === undefined
    ? usual('Secrets', ...all)
    : line('Secrets', ...all).map(({ phrase }) => ({ ...shown, whole: phrase }))
}

/** The secrets of an apply: those that were sent, and those that cannot be verified. */
export const totalsOfApplied = ({ plan, secrets: { sent, versioned } = NONE_SENT }: ApplyResult): Total[] =>
  line(
    'Secrets',
    some(versioned, 'sent (the service shows a new version, never the value)'),
    some(sent - versioned, `sent, not verified (${WHY['no-inventory']}; ${REWRITE})`),
    notCompared(plan),
  )

const NONE_SENT = { sent: 0, versioned: 0 }

const WHY = {
  'no-inventory': 'the API never returns sensitive values',
  'not-recorded': NO_WRITE,
  'no-version-id': 'no version id of the last write',
  'no-version': 'no version and no fingerprint key',
} as const satisfies Record<NotCompared, string>

/** Sets of ours that are in no file: why each is kept, and how to delete it. */
const ORPHANED = {
  'prune-off': 'in no file; kept, because prune is off (to delete, list under removed: or set prune: true)',
  'prune-suspended': 'in no file; kept, because --only suspends prune',
  'outside-owns': 'in no file; kept, because owns does not match it (to delete, list under removed:)',
} as const satisfies Partial<Record<WhyLeftAlone, string>>

const NOT_OURS = {
  unmanaged: 'in no file and no inventory (to manage: setpoint export --only NAME --out sets)',
  'another-owner': 'managed by another owner (to take ownership: --adopt NAME)',
  'project-owned':
    'owned by a project, in no file and no inventory (to manage: setpoint export --only NAME --out sets)',
  'not-owned': 'in no file and no inventory, and owns does not match it',
} as const satisfies Record<Exclude<WhyLeftAlone, keyof typeof ORPHANED | 'outside-selection'>, string>

type Reasons = Readonly<Partial<Record<WhyLeftAlone, string>>>

/** `payments-prod, old: in no file; …`: a phrase for each reason, with at most `most` names. */
function byReason({ leftAlone }: PlanFacts, reasons: Reasons, most = Number.POSITIVE_INFINITY): Phrase[] {
  return Object.entries(reasons).flatMap(([why, says]) => {
    const sets = leftAlone.filter(one => one.why === why)
    if (sets.length === 0) return []
    const more = sets.length - most
    const named = listed(sets.slice(0, most).map(({ set }) => set))
    return [say`${named}${more > 0 && ` and ${figure(more)} more`}: ${says}`]
  })
}

const whole = (label: string, phrases: readonly Phrase[], all: readonly Phrase[]): Total[] =>
  line(label, ...phrases).map(total => (all.length === 0 ? total : { ...total, whole: joined(all, '; ') }))

const REWRITE = 'to send one again: --rewrite SET/KEY'

/** Each reason once, and what sends a value. */
function notCompared({ owner, facts: { secrets, secretsNotCompared } }: Plan): Phrase | false {
  const reasons = new Set(
    secrets.flatMap(({ state }) => (state.state === 'not-compared' ? [WHY[state.why]] : [])),
  )
  const why = reasons.size === 0 ? [WHY['no-inventory']] : [...reasons]
  const next = owner === undefined ? REWRITE : 'to send one, write a new version'
  return some(secretsNotCompared, `not verified (${[...why, next].join('; ')})`)
}

function inventory({ facts: { inventory }, steps }: Plan): Phrase[] {
  const { adopted, requests } = inventory
  return present<Phrase>(
    adopted.length > 0 && say`adds ${listed(adopted)}`,
    adopted.length === 0 && steps.length === 0 && requests > 0 && ['out of date'],
    requests > 0 && [counted(requests, 'request')],
  )
}

/** `154 sets: network 98, data 51, nobody 5`. Without any known owner, the first sets and the reason. */
function notOurs(facts: PlanFacts, orphans: number, ours?: string): Phrase[] {
  const sets = facts.undeclaredSets - orphans
  if (sets === 0) return []
  const others = facts.owners.filter(({ owner }) => owner !== ours)
  const total = counted(sets, 'set')
  if (!others.some(({ owner }) => owner !== null)) {
    const reasons = byReason(facts, NOT_OURS, 3)
    return reasons.length === 0 ? [[total]] : reasons
  }
  const each = others.map(
    ({ owner, sets }) => say`${owner === null ? 'nobody' : name(owner)} ${figure(sets)}`,
  )
  return [say`${total}: ${joined(each, ', ')}`]
}

/** A line, unless there is nothing to say. */
export function line(label: string, ...phrases: readonly (Phrase | undefined | false)[]): Total[] {
  const said = present(...phrases)
  return said.length === 0 ? [] : [{ label, phrase: joined(said, ', ') }]
}

/** Only the record of what the steps change. */
const isUsual = ({ facts: { inventory }, steps }: Plan): boolean =>
  inventory.adopted.length === 0 && steps.length > 0

const asUsual = (total: Total): Total => ({ ...total, usual: true })

const usual = (...args: Parameters<typeof line>): Total[] => line(...args).map(asUsual)

const some = (count: number, what: string): Phrase | false => count > 0 && [`${figure(count)} ${what}`]

/** The verbs of operations, and how a report says that they are done. */
export const VERBS = [
  ['create', 'created'],
  ['update', 'updated'],
  ['delete', 'deleted'],
  ['assign', 'assigned'],
  ['unassign', 'unassigned'],
] as const satisfies [Verb, string][]

/** `8 requests: 5 update, 2 delete, 1 assign`. */
export function requestsOf({ summary, facts: { inventory } }: Plan): Phrase {
  if (summary.changes === 0) return []
  const verbs = present(...VERBS.map(([verb]) => some(summary[verb], verb)))
  const more = inventory.requests > 0 && ` + ${figure(inventory.requests)} inventory`
  return say`${counted(summary.changes, 'request')}${more}: ${joined(verbs, ', ')}`
}

/** Number of sets by the gravest origin of their differences. */
export function driftCounts(plan: Plan): { outside: number; notApplied: number; unknownOrigin: number } {
  const sets = driftOf(plan)
  const outside = sets.filter(({ isOutside }) => isOutside).length
  const notApplied = sets.filter(({ isOutside, isNotApplied }) => !isOutside && isNotApplied).length
  return { outside, notApplied, unknownOrigin: sets.length - outside - notApplied }
}
