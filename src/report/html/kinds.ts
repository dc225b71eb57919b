import type { Change, SetView } from '../change.ts'

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
  const kinds = new Set<FilterKind>(set.sign === '~' ? [] : [OF_SIGN[set.sign]])
  if (change.kind === 'assignment') kinds.add(change.sign === '-' ? 'unassign' : 'assign')
  else kinds.add(OF_SIGN[change.sign])
  if (change.kind === 'variable' && [change.before, change.after].some(({ kind }) => kind === 'secret'))
    kinds.add('secret')
  if (change.origin !== undefined) kinds.add(change.origin)
  return inOrder(kinds, change.status)
}

/** The kind of a set and those of its entries. */
export function kindsOfSet(set: SetView): FilterKind[] {
  const kinds = new Set<FilterKind>([OF_SIGN[set.sign], ...set.origins])
  for (const change of set.changes) for (const kind of kindsOfChange(change, set)) kinds.add(kind)
  // An assignment alone is no update.
  if (set.sign === '~' && set.changes.length > 0 && set.previousName === undefined) {
    kinds.delete('update')
    if (set.changes.some(change => kindsOfChange(change, set).includes('update'))) kinds.add('update')
  }
  return inOrder(kinds, set.status)
}

function inOrder(kinds: ReadonlySet<FilterKind>, status: SetView['status']): FilterKind[] {
  return KINDS.filter(kind => kinds.has(kind) || kind === status)
}
