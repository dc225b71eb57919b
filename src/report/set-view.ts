import { compareText, type SourceRange } from '../model/diagnostic.ts'
import { SETTING_NAMES } from '../model/fields.ts'
import { TARGETS } from '../model/ids.ts'
import { grouped, itemAt } from '../model/lists.ts'
import { setKeyOf } from '../plan/operation.ts'
import type { Origin, Step } from '../plan/plan-data.ts'
import { type Change, type SetView, type Sign, worst } from './change.ts'
import { changesOf, waitNotes } from './changes.ts'
import { counted, figure, message, type Phrase, present, say, shortTime } from './phrase.ts'
import type { Context, Origins } from './report-context.ts'

/** Deleted sets first, then those that change, are only renamed, and are created; each by name. */
export function setsOf(context: Context): SetView[] {
  const bySet = grouped(context.plan.steps, ({ operation }) => setKeyOf(operation))
  return [...bySet.values()]
    .map(steps => setOf(steps, context))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareText(a.name, b.name))
}

/** The place of a set in every report: deletions come first, and are the last to be left out. */
export const rankOf = ({ sign, changes }: Pick<SetView, 'sign' | 'changes'>): number =>
  sign === '-' ? 0 : sign === '+' ? 3 : changes.length === 0 ? 2 : 1

function setOf(steps: readonly Step[], context: Context): SetView {
  const sign = signOf(steps)
  const changes = changesOf(steps, context)
  const previousName = previousNameOf(steps)
  const source = sourceOf(steps)
  const silent = steps.filter(({ operation }) => sign !== '~' || isOnlyRename(operation))
  const notes = [
    ...(sign === '-' && source === undefined ? [['pruned: no file declares it']] : []),
    ...silent.flatMap(step => waitNotes(step, context)),
  ]
  const name = itemAt(steps, 0).operation.subject.name
  return {
    sign,
    name,
    previousName,
    what: summaryOf(sign, changes, present(previousName !== undefined && 'renamed, same id')),
    ...withOrigins(name, sign !== '~', changes, notes, context.origins),
    folded: sign === '-' || changes.length === 0,
    status: worst(steps.map(context.statusOf)),
    source,
  }
}

function signOf(steps: readonly Step[]): Sign {
  if (steps.some(({ operation }) => operation.type === 'create-set')) return '+'
  return steps.some(({ operation }) => operation.type === 'delete-set') ? '-' : '~'
}

function previousNameOf(steps: readonly Step[]): string | undefined {
  const names = steps.flatMap(({ operation }) =>
    operation.type === 'update-set' && operation.before.name !== operation.after.name
      ? operation.before.name
      : [],
  )
  return names[0]
}

const isOnlyRename = (operation: Step['operation']): boolean =>
  operation.type === 'update-set' &&
  SETTING_NAMES.every(one => (operation.before[one] === operation.after[one]) !== (one === 'name'))

/** The line of the set, or else the first line of a variable. */
function sourceOf(steps: readonly Step[]): SourceRange | undefined {
  const ofSet = steps.find(
    ({ operation, source }) =>
      source !== undefined && operation.type !== 'create-variable' && operation.type !== 'update-variable',
  )
  return ofSet?.source ?? steps.flatMap(({ source }) => source ?? []).toSorted((a, b) => a.line - b.line)[0]
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

const itemOf = (change: Change): string | undefined => {
  if (change.kind === 'assignment') return undefined
  return change.kind === 'setting' ? change.setting : `${change.category}/${change.name}`
}

/** Adds origins: to the set if all entries have the same one, else to each entry. */
function withOrigins(
  set: string,
  isWhole: boolean,
  changes: readonly Change[],
  notes: readonly Phrase[],
  origins: Origins,
): Pick<SetView, 'changes' | 'notes' | 'origins'> {
  const whole = isWhole ? origins.of(set, 'set') : undefined
  const told = changes.map(change => {
    const item = itemOf(change)
    const origin = change.origin ?? whole ?? (item === undefined ? undefined : origins.of(set, item))
    return origin === undefined ? change : { ...change, origin }
  })
  const alike = isWhole ? whole : origins.of(set, 'name')
  const found = changes.length === 0 ? [alike] : told.map(change => change.origin)
  const known = [...new Set(found.filter(origin => origin !== undefined))]
  const [only] = known
  const isCommon = only !== undefined && known.length === 1 && found.every(origin => origin === only)
  const updatedAt = origins.updatedAt(set)
  const since = updatedAt === undefined ? [] : [say`set updated ${message(shortTime(updatedAt))}`]
  const noteOf = (origin: Origin, isLikely: boolean): Phrase[] => [
    [`${isLikely ? 'possibly ' : ''}${ORIGIN_WORDS[origin]}`],
    ...(origin === 'outside' ? since : []),
  ]
  const alone = isCommon && (isWhole || changes.length !== 1)
  return {
    changes: told.map(change => {
      const more = alone || change.origin === undefined ? [] : noteOf(change.origin, isLikely(change))
      return more.length === 0 ? change : { ...change, notes: [...change.notes, ...more] }
    }),
    notes: [...notes, ...(alone ? noteOf(only, told.some(isLikely)) : [])],
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
