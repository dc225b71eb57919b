import type { Change, SetView } from '../change.ts'
import { present } from '../phrase.ts'

/** What a reader can filter by. Single words, because an attribute stores them. */
export const KINDS = [
  'create',
  'update',
  'delete',
  'assign',
  'unassign',
  'secret',
  'this-change',
  'outside',
  'not-applied',
  'before',
  'failed',
  'unknown',
  'skipped',
] as const

export type FilterKind = (typeof KINDS)[number]

const OF_SIGN = { '+': 'create', '~': 'update', '-': 'delete' } as const satisfies Record<
  SetView['sign'],
  FilterKind
>

/** Labels that differ from the kind. */
export const KIND_WORDS: Readonly<Partial<Record<FilterKind, string>>> = {
  'this-change': 'this change',
  outside: 'changed outside',
  'not-applied': 'merged, not applied',
  before: 'different before',
}

/** Kinds of one entry. Entries of a new or deleted set also have the kind of the set. */
export function kindsOfChange(change: Change, set: SetView): FilterKind[] {
  const { kind, sign, origin, status } = change
  const assigned = sign === '-' ? 'unassign' : 'assign'
  const isSecret = kind === 'variable' && [change.before, change.after].some(one => one.kind === 'secret')
  const kinds = present<FilterKind>(
    set.sign !== '~' && OF_SIGN[set.sign],
    kind === 'assignment' ? assigned : OF_SIGN[sign],
    isSecret && 'secret',
    origin,
  )
  return inOrder(kinds, status)
}

/** The kind of a set and those of its entries. */
export function kindsOfSet(set: SetView): FilterKind[] {
  const ofEntries = set.changes.flatMap(change => kindsOfChange(change, set))
  // An assignment alone is no update.
  const isOwn = set.sign !== '~' || set.changes.length === 0 || set.previousName !== undefined
  return inOrder([...present(isOwn && OF_SIGN[set.sign]), ...set.origins, ...ofEntries], set.status)
}

const inOrder = (kinds: readonly FilterKind[], status: SetView['status']): FilterKind[] =>
  KINDS.filter(kind => kinds.includes(kind) || kind === status)
