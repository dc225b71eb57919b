import type { Verb } from '../plan/operation.ts'
import type { Plan, Summary } from '../plan/plan.ts'
import { counted, figure, joined, listed, type Phrase } from './phrase.ts'

/** A line at the end: a word for it, and figures. */
export interface Total {
  readonly label: string
  readonly phrase: Phrase
}

/** What the plan does not show one by one. Lines without a figure are left out. */
export function totalsOf({ facts, only }: Plan): Total[] {
  const unmanaged = facts.unmanagedAssignments.reduce((sum, { count }) => sum + count, 0)
  const inSets = counted(facts.unmanagedAssignments.length, 'set')
  return [
    line('Secrets', [
      ...some(facts.secretsToWrite, 'to write'),
      ...notCompared(facts.secretsNotCompared),
      ...some(facts.externals, 'external'),
    ]),
    line('Assignments', unmanaged === 0 ? [] : [[`${figure(unmanaged)} not managed, in ${inSets}`]]),
    line('Equal', facts.equalSets === 0 ? [] : [[counted(facts.equalSets, 'set')]]),
    line('Not ours', facts.foreignSets === 0 ? [] : [[counted(facts.foreignSets, 'set')]]),
    line('Left out', only.length === 0 ? [] : [outside(facts.outsideSelection, only)]),
  ].flat()
}

/** What an apply has to say of itself: equal, except for what the service does not show. */
export const totalsOfApplied = ({ facts }: Plan): Total[] =>
  line('Secrets', notCompared(facts.secretsNotCompared))

const notCompared = (count: number): Phrase[] => some(count, 'not compared (the service does not show them)')

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
export const requestsOf = ({ summary }: Plan): Phrase =>
  summary.changes === 0 ? [] : [`${counted(summary.changes, 'request')}: ${verbsOf(summary)}`]
