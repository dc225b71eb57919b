import { TARGETS } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { type ChangedSet, changedSets, type Sign } from '../plan/changed-sets.ts'
import type { Origin } from '../plan/plan-data.ts'
import { type Change, type SetView, worst } from './change.ts'
import { changesOf } from './changes.ts'
import { counted, figure, message, type Phrase, present, say, shortTime } from './phrase.ts'
import { type Context, tellsOrigins } from './report-context.ts'

export { rankOf } from '../plan/changed-sets.ts'

export const setsOf = (context: Context, kind: 'plan' | 'drift' | 'apply'): SetView[] =>
  changedSets(context.plan, tellsOrigins(context.plan, kind)).map(set => setOf(set, context))

function setOf(set: ChangedSet, context: Context): SetView {
  const { sign, name, previousName, source } = set
  const changes = changesOf(set, context)
  const notes = sign === '-' && source === undefined ? [['pruned: no file declares it']] : []
  return {
    sign,
    name,
    previousName,
    what: summaryOf(sign, changes, present(previousName !== undefined && 'renamed, same id')),
    ...withOrigins(set, changes, notes, context.updatedAt(name)),
    folded: sign === '-' || changes.length === 0,
    status: worst(set.steps.map(context.statusOf)),
    source,
  }
}

function summaryOf(sign: Sign, changes: readonly Change[], how: readonly string[]): Phrase {
  const parts = [
    ...how,
    ...changes
      .filter(change => change.kind === 'setting')
      .map(change => change.setting)
      .filter(setting => sign === '~' || (setting !== 'description' && setting !== 'owner')),
    ...variableCounts(sign, changes),
    ...assignmentCounts(sign, changes),
  ]
  return [parts.join(', ') || 'empty']
}

function assignmentCounts(sign: Sign, changes: readonly Change[]): string[] {
  const assignments = changes.filter(change => change.kind === 'assignment')
  return [...grouped(assignments, one => `${one.targets} ${one.sign}`).values()].map(all => {
    const count = all.reduce((sum, { named }) => sum + named.length, 0)
    return `${sign === '~' ? all[0].sign : ''}${counted(count, TARGETS[all[0].targets].one)}`
  })
}

function variableCounts(sign: Sign, changes: readonly Change[]): string[] {
  const variables = changes.filter(change => change.kind === 'variable')
  const lost = variables.filter(change => change.loss !== undefined).length
  const secrets = variables.filter(change => change.after.kind === 'secret').length
  const held = sign === '+' && secrets > 0 ? ` (${counted(secrets, 'secret')})` : ''
  return present(
    variables.length > 0 && `${counted(variables.length, 'variable')}${held}`,
    lost > 0 && `${counted(lost, 'secret')} lost`,
  )
}

const ORIGIN_WORDS = {
  'this-change': 'this change',
  outside: 'changed outside',
  'not-applied': 'merged earlier, not applied',
  before: 'different before this change',
} as const satisfies Record<Origin, string>

/** Adds origins: to the set if all entries have the same one, else to each entry. */
function withOrigins(
  { sign, origin }: ChangedSet,
  changes: readonly Change[],
  notes: readonly Phrase[],
  updatedAt: string | undefined,
): Pick<SetView, 'changes' | 'notes' | 'origins'> {
  const isWhole = sign !== '~'
  const found = changes.length === 0 ? [origin] : changes.map(change => change.origin)
  const known = [...new Set(found.filter(one => one !== undefined))]
  const [only] = known
  const isCommon = only !== undefined && known.length === 1 && found.every(one => one === only)
  const since = updatedAt === undefined ? [] : [say`set updated ${message(shortTime(updatedAt))}`]
  const noteOf = (origin: Origin, isLikely: boolean): Phrase[] => [
    [`${isLikely ? 'possibly ' : ''}${ORIGIN_WORDS[origin]}`],
    ...(origin === 'outside' ? since : []),
  ]
  const alone = isCommon && (isWhole || changes.length !== 1)
  return {
    changes: changes.map(change => {
      const more = alone || change.origin === undefined ? [] : noteOf(change.origin, isLikely(change))
      return more.length === 0 ? change : { ...change, notes: [...change.notes, ...more] }
    }),
    notes: [...notes, ...(alone ? noteOf(only, changes.some(isLikely)) : [])],
    origins: known,
  }
}

const isLikely = (change: Change): boolean => change.kind === 'variable' && change.likely === true

/** For a table: `this change, 1 changed outside`. */
export function whyOf({ changes, origins }: Pick<SetView, 'changes' | 'origins'>): string {
  const [only, ...others] = origins
  if (only === undefined) return ''
  if (others.length === 0) return ORIGIN_WORDS[only]
  return origins
    .map(
      origin =>
        `${figure(changes.filter(change => change.origin === origin).length)} ${ORIGIN_WORDS[origin]}`,
    )
    .join(', ')
}
