import { driftOf, type Origin, type SetOrigin } from '../plan/origin.ts'
import type { Plan } from '../plan/plan.ts'
import { type Alert, alert } from './alert.ts'
import type { Change } from './change.ts'
import { counted, figure, message, name, type Phrase, shortTime } from './phrase.ts'
import type { SetView } from './sets.ts'

/** Where differences come from, as a report of one kind tells it. */
export interface Origins {
  /** `item` as `plan/items.ts` names it. */
  readonly of: (set: string, item: string) => Origin | undefined
  readonly updatedAt: (set: string) => string | undefined
  /** Every set says when the service last touched it: drift is about what happened and when. */
  readonly tellsTime: boolean
}

/**
 * A plan without a base says only what was changed outside: all else is simply what it is for. With a base, and of drift,
 * everything that is known is told.
 */
export function originsIn({ facts }: Plan, kind: 'plan' | 'drift' | 'apply'): Origins {
  const bySet = new Map<string, SetOrigin>(facts.origins.map(one => [one.set, one]))
  const tellsAll = facts.base !== undefined || kind === 'drift'
  return {
    of: (set, item) => {
      const origin = bySet.get(set)?.items[item]
      return tellsAll || origin === 'outside' ? origin : undefined
    },
    updatedAt: set => bySet.get(set)?.updatedAt,
    tellsTime: kind === 'drift',
  }
}

const WORDS = {
  'this-change': 'this change',
  outside: 'changed outside',
  'not-applied': 'merged earlier, not applied',
  before: 'different before this change',
} as const satisfies Record<Origin, string>

const itemOf = (change: Change): string | undefined => {
  if (change.kind === 'assignment') return undefined
  return change.kind === 'setting' ? change.setting : `${change.category}/${change.name}`
}

/** Entries and notes of a set with their origin: on the set where all have one, else on each entry. */
export function withOrigins(
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
  const known = [...new Set(found.flatMap(origin => origin ?? []))]
  const [only] = known
  const isCommon = only !== undefined && known.length === 1 && found.every(origin => origin === only)
  const updatedAt = origins.updatedAt(set)
  const since: Phrase[] = updatedAt === undefined ? [] : [['set updated ', message(shortTime(updatedAt))]]
  const noteOf = (origin: Origin, isLikely: boolean): Phrase[] => [
    [`${isLikely ? 'possibly ' : ''}${WORDS[origin]}`],
    ...(origin === 'outside' ? since : []),
  ]
  const alone = isCommon && (isWhole || changes.length !== 1)
  const time = origins.tellsTime && !known.includes('outside') ? since : []
  const isSingle = !isWhole && changes.length === 1
  return {
    changes: told.map(change => {
      const more = [
        ...(alone || change.origin === undefined ? [] : noteOf(change.origin, isLikely(change))),
        ...(isSingle ? time : []),
      ]
      return more.length === 0 ? change : { ...change, notes: [...change.notes, ...more] }
    }),
    notes: [...notes, ...(alone ? noteOf(only, told.some(isLikely)) : []), ...(isSingle ? [] : time)],
    origins: known,
  }
}

const isLikely = (change: Change): boolean => change.kind === 'variable' && change.likely === true

/** For a table: `this change, 1 changed outside`. */
export function whyOf({ changes, origins }: Pick<SetView, 'changes' | 'origins'>): string {
  const [only, ...others] = origins
  if (only === undefined) return ''
  if (others.length === 0) return WORDS[only]
  return origins
    .map(origin => `${figure(changes.filter(change => change.origin === origin).length)} ${WORDS[origin]}`)
    .join(', ')
}

/** Sets by the gravest origin of their differences, for the headline of a drift report and for programs. */
export function driftCounts(plan: Plan): { outside: number; notApplied: number; untold: number } {
  const sets = driftOf(plan)
  const outside = sets.filter(({ isOutside }) => isOutside).length
  const notApplied = sets.filter(({ isOutside, isNotApplied }) => !isOutside && isNotApplied).length
  return { outside, notApplied, untold: sets.length - outside - notApplied }
}

/** What a change weakens, and what a plan takes back that somebody did by hand. */
export function originAlerts(plan: Plan, kind: 'plan' | 'drift' | 'apply'): Alert[] {
  const loosened = (plan.facts.base?.loosened ?? []).map(({ setting, base, head }) =>
    alert(
      'loosened',
      [name(setting), ' protects less than before: ', name(base), ' becomes ', name(head)],
      {},
    ),
  )
  const reverted = plan.facts.origins.reduce(
    (sum, { items }) => sum + Object.values(items).filter(origin => origin === 'outside').length,
    0,
  )
  const drift =
    kind !== 'plan' || reverted === 0
      ? []
      : [
          alert(
            'drift',
            [`${counted(reverted, 'change')} made outside ${reverted === 1 ? 'is' : 'are'} reverted`],
            {},
          ),
        ]
  return [...loosened, ...drift]
}
