import { nameOf } from '../model/ids.ts'
import type {
  Audience,
  DisplacedValue,
  Displacement,
  EffectiveDifference,
  PrecedenceReason,
} from '../plan/effective/effect.ts'
import { type Alert, type AlertContext, type AlertGroup, type AlertKind, alert, condensed } from './alert.ts'
import { givenValue, whoOf } from './effects.ts'
import { groupedBy, joined, listed, name, type Phrase, say } from './phrase.ts'

/** Up to so many keys are shown with their values. */
const MOST_TOLD = 3
const MOST_VALUES = 6

/** Variables that workspaces lose; then values where another set wins, the broadest first. The entry of a set shows its own new values. */
export function displacedValues(context: AlertContext): AlertGroup[] {
  const { effective } = context.plan.facts
  const rows = (effective.displaced ?? []).flatMap(one => rowsOf(one, context))
  const reasons = reasonsIn(effective)
  const [gone, others] = [rows.filter(isGone), rows.filter(row => !isGone(row))].map(some =>
    some.map(row => alertOf(row, reasons, context)),
  )
  return [condensed(gone ?? []), condensed(others ?? [], MOST_VALUES)]
}

/** What one set does to keys for an audience: everybody in it sees all of them. */
interface DisplacedRow {
  readonly kind: keyof typeof KIND
  readonly set: string
  /** The other set that gave the keys, or gives them now. */
  readonly giver: string
  readonly audience: Audience
  readonly values: readonly DisplacedValue[]
}

const KIND = { override: 'override', fallback: 'value', lost: 'gone' } as const satisfies Partial<
  Record<Displacement['kind'], AlertKind>
>

const isGone = ({ kind }: DisplacedRow): boolean => kind === 'lost'

function rowsOf(one: Displacement, { movesTo }: AlertContext): DisplacedRow[] {
  const { kind, set, values } = one
  if (kind === 'value') return []
  const giverOf = ({ before, after }: DisplacedValue): string =>
    (kind === 'override' ? before?.set : kind === 'fallback' ? after?.set : undefined) ?? ''
  // The entry says where a key moves.
  const told = values.filter(value => kind !== 'fallback' || !movesTo(set, value.key, giverOf(value)))
  return groupedBy(told, value => JSON.stringify([value.audience, giverOf(value)])).map(group => ({
    kind,
    set,
    giver: giverOf(group[0]),
    audience: group[0].audience ?? one,
    values: group,
  }))
}

/** Why one set gives a key and no longer the other, by key and sets. */
type RankReasons = ReadonlyMap<string, PrecedenceReason>

const reasonsIn = ({ groups }: EffectiveDifference): RankReasons =>
  new Map(
    groups.flatMap(({ effects }) =>
      effects.flatMap(effect => {
        const { why } = effect
        return why === undefined || why === 'gone' ? [] : [[pairText(effect), why] as const]
      }),
    ),
  )

const pairText = ({ key, before, after }: DisplacedValue): string =>
  JSON.stringify([key, before?.set, after?.set])

const WHY = {
  priority: 'it has priority',
  scope: 'its assignment has a stronger rank',
  name: 'its name sorts first',
} as const satisfies Record<PrecedenceReason, string>

function alertOf(row: DisplacedRow, reasons: RankReasons, { plan, sources }: AlertContext): Alert {
  const { kind, set, audience, values } = row
  const { count, projects, others } = audience
  const keys = values.map(({ key }) => key)
  const who = whoOf(audience, plan.facts.effective, plan)
  const whys = new Set(values.map(one => reasons.get(pairText(one))))
  const [why] = whys
  const because = whys.size === 1 && why !== undefined && `, because ${WHY[why]}`
  const phrase = say`${name(set)} ${deedOf(row, listed(keys.map(nameOf)), who)}${because}${valuesOf(row)}`
  const breadth = others || projects.length > 0 ? Number.POSITIVE_INFINITY : count
  return alert(KIND[kind], phrase, { source: sources.get(set), sets: [set], keys, breadth })
}

function deedOf({ kind, giver }: DisplacedRow, what: Phrase, who: Phrase): Phrase {
  switch (kind) {
    case 'override':
      return say`overrides ${what} of ${name(giver)} in ${who}`
    case 'fallback':
      return say`no longer gives ${what} to ${who}, where now ${name(giver)} wins`
    case 'lost':
      return say`no longer gives ${what} to ${who}, and no other set does`
  }
}

/** `: 6 -> 1`; several keys with their names. */
function valuesOf({ kind, values }: DisplacedRow): Phrase {
  if (values.length > MOST_TOLD || kind === 'lost') return []
  const told = values.flatMap((one): Phrase[] => {
    const pair = pairOf(one)
    return pair === undefined ? [] : [say`${values.length > 1 && say`${name(nameOf(one.key))} `}${pair}`]
  })
  return told.length === 0 ? [] : say`: ${joined(told, ', ')}`
}

/** `undefined` if neither side may be shown. */
function pairOf(one: DisplacedValue): Phrase | undefined {
  const [before, after] = [givenValue(one.before), givenValue(one.after)]
  if (before === undefined && after === undefined) return undefined
  if (one.before?.secret && one.after?.secret) return ['(secret)']
  return say`${before ?? '(not shown)'} -> ${after ?? '(not shown)'}`
}
