import type { ApplyResult } from '../apply/outcome.ts'
import type { Verb } from '../plan/operation.ts'
import type { Plan, PlanFacts, Summary } from '../plan/plan.ts'
import type { NotCompared } from '../plan/secret-state.ts'
import { counted, figure, joined, listed, name, type Phrase } from './phrase.ts'

/** A line at the end: a word for it, and figures. */
export interface Total {
  readonly label: string
  readonly phrase: Phrase
}

/** What the plan does not show one by one. Lines without a figure are left out. */
export function totalsOf({ facts, only, owner }: Plan): Total[] {
  const orphans = facts.owners.find(one => one.owner === owner)?.sets ?? 0
  const unmanaged = facts.unmanagedAssignments.reduce((sum, { count }) => sum + count, 0)
  const inSets = counted(facts.unmanagedAssignments.length, 'set')
  return [
    line('Secrets', [
      ...some(sameSecrets(facts, false), 'same'),
      ...some(sameSecrets(facts, true), 'same version, value not verified'),
      ...some(facts.secretsToWrite, 'to write'),
      ...notCompared(facts),
      ...some(facts.externals, 'external'),
    ]),
    line('Inventory', inventory(facts)),
    line('Assignments', unmanaged === 0 ? [] : [[`${figure(unmanaged)} not managed, in ${inSets}`]]),
    line('Equal', facts.equalSets === 0 ? [] : [[counted(facts.equalSets, 'set')]]),
    line(
      'In no file',
      orphans === 0
        ? []
        : [[`${counted(orphans, 'set')} of ours, left as ${orphans === 1 ? 'it is' : 'they are'}`]],
    ),
    line('Not ours', notOurs(facts, orphans, owner)),
    line('Left out', only.length === 0 ? [] : [outside(facts.outsideSelection, only)]),
  ].flat()
}

/** What an apply has to say of itself: equal, except for what the service does not show. */
export const totalsOfApplied = ({ plan: { facts }, secrets }: ApplyResult): Total[] =>
  line('Secrets', [...sent(secrets), ...notCompared(facts)])

/** That a secret arrived no read can show; a service that has versions shows at least that it was written. */
function sent(
  { sent, versioned }: NonNullable<ApplyResult['secrets']> = { sent: 0, versioned: 0 },
): Phrase[] {
  const unseen = sent - versioned
  return [
    ...some(versioned, 'sent (a new version shows, the value never does)'),
    ...some(unseen, 'sent, not verified (the service never shows a secret)'),
  ]
}

const sameSecrets = ({ secrets }: PlanFacts, unverified: boolean): number =>
  secrets.filter(({ state }) => state.state === 'same' && (state.unverified === true) === unverified).length

const WHY = {
  'no-inventory': 'the service does not show them',
  'not-recorded': 'not written by us yet',
  damaged: 'the inventory is damaged',
  'no-version-id': 'the service does not say when they change',
  'no-version': 'no version, no key',
  'no-fingerprint': 'no version, written without a key',
  'other-key': 'recorded with another key',
} as const satisfies Record<NotCompared, string>

/** With each reason once. */
function notCompared({ secrets, secretsNotCompared }: PlanFacts): Phrase[] {
  const reasons = new Set(
    secrets.flatMap(({ state }) => (state.state === 'not-compared' ? [WHY[state.why]] : [])),
  )
  const why = reasons.size === 0 ? [WHY['no-inventory']] : [...reasons]
  return some(secretsNotCompared, `not compared (${why.join('; ')})`)
}

function inventory({ inventory: { adopted, fingerprints = 0, requests } }: PlanFacts): Phrase[] {
  const taken: Phrase[] = [
    ...(adopted.length === 0 ? [] : [['takes in ', ...listed(adopted)]]),
    ...(fingerprints === 0 ? [] : [[`${counted(fingerprints, 'fingerprint')} to record`]]),
  ]
  return requests === 0 ? taken : [...taken, [counted(requests, 'request')]]
}

function notOurs({ foreignSets, owners: list }: PlanFacts, orphans: number, ours?: string): Phrase[] {
  const sets = foreignSets - orphans
  return sets === 0 ? [] : [[counted(sets, 'set'), ...owners(list.filter(({ owner }) => owner !== ours))]]
}

/** `: network 98, data 51, nobody 5`, where anybody is known. */
function owners(list: PlanFacts['owners']): Phrase {
  if (!list.some(({ owner }) => owner !== null)) return []
  const each = list.map(
    ({ owner, sets }): Phrase => [owner === null ? 'nobody' : name(owner), ` ${figure(sets)}`],
  )
  return [': ', ...joined(each, ', ')]
}

const line = (label: string, phrases: readonly Phrase[]): Total[] =>
  phrases.length === 0 ? [] : [{ label, phrase: joined(phrases, ', ') }]

const some = (count: number, what: string): Phrase[] => (count === 0 ? [] : [[`${figure(count)} ${what}`]])

const outside = (count: number, only: readonly string[]): Phrase => [
  `${counted(count, 'set')} outside --only `,
  ...listed(only),
]

const VERBS: readonly Verb[] = ['create', 'update', 'delete', 'assign', 'unassign']

/** `5 update, 2 delete, 1 assign`. */
export const verbsOf = (summary: Summary): string =>
  VERBS.filter(verb => summary[verb] > 0)
    .map(verb => `${figure(summary[verb])} ${verb}`)
    .join(', ')

/** `8 requests: 5 update, 2 delete, 1 assign`. */
export const requestsOf = ({ summary, facts }: Plan): Phrase =>
  summary.changes === 0
    ? []
    : [`${counted(summary.changes, 'request')}${plusInventory(facts)}: ${verbsOf(summary)}`]

const plusInventory = ({ inventory: { requests } }: PlanFacts): string =>
  requests === 0 ? '' : ` + ${figure(requests)} inventory`
