import { compareText } from '../model/diagnostic.ts'
import { nameOf } from '../model/ids.ts'
import type { Audience, PrecedenceReason, ReceivedChange } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan-data.ts'
import { type Alert, type AlertContext, type AlertGroup, type AlertKind, alert, condensed } from './alert.ts'
import { givenValue, whoOf } from './effects.ts'
import { groupedBy, joined, listed, name, type Phrase, say } from './phrase.ts'
import { type EffectGroup, effectGroups } from './received-effects.ts'

/** Up to so many keys are shown with their values. */
const MOST_TOLD = 3
const MOST_VALUES = 6

/** Variables that workspaces lose; then values where another set wins, the broadest first. The entry of a set shows its own new values. */
export function displacedValues(context: AlertContext): AlertGroup[] {
  const rows = displacementsIn(context.plan).flatMap(one => rowsOf(one, context))
  const [gone, others] = [rows.filter(isGone), rows.filter(row => !isGone(row))].map(some =>
    some.map(row => alertOf(row, context)),
  )
  return [condensed(gone ?? []), condensed(others ?? [], MOST_VALUES)]
}

/**
 * What one set does to values that workspaces had: it wins over other sets (`override`), leaves the key to another set
 * (`fallback`) or takes it away (`lost`).
 */
interface Displacement {
  readonly kind: keyof typeof KIND
  readonly set: string
  readonly values: {
    readonly change: ReceivedChange
    readonly group: EffectGroup
    /** The position of the group. */
    readonly at: number
  }[]
}

const KIND = { override: 'override', fallback: 'value', lost: 'gone' } as const satisfies Record<
  string,
  AlertKind
>

/** By set. Nothing is left out, because a review relies on it. */
function displacementsIn(plan: Plan): Displacement[] {
  const found = new Map<string, Displacement>()
  for (const [at, group] of effectGroups(plan).entries())
    for (const change of group.effects) {
      const cause = causeOf(change)
      if (cause === undefined) continue
      const identity = JSON.stringify(cause)
      const one = found.get(identity) ?? { ...cause, values: [] }
      one.values.push({ change, group, at })
      found.set(identity, one)
    }
  return [...found.values()].toSorted((a, b) => compareText(a.set, b.set) || compareText(a.kind, b.kind))
}

/** The set to review; `undefined` if no workspace loses a value, or the entry of the set shows the new one. */
function causeOf({
  kind,
  before,
  after,
  why,
}: ReceivedChange): Pick<Displacement, 'kind' | 'set'> | undefined {
  const [was, is] = [before?.set ?? '', after?.set ?? '']
  switch (kind) {
    case 'gained':
    case 'source':
    case 'value':
    case 'priority':
    case 'sent':
      return undefined
    case 'lost':
      return { kind, set: was }
    case 'winner':
      return why === 'gone' ? { kind: 'fallback', set: was } : { kind: 'override', set: is }
  }
}

/** What one set does to keys for an audience: everybody in it sees all of them. */
interface DisplacedRow extends Pick<Displacement, 'kind' | 'set'> {
  /** The other set that gave the keys, or gives them now. */
  readonly giver: string
  readonly audience: Audience
  readonly values: readonly ReceivedChange[]
}

const isGone = ({ kind }: DisplacedRow): boolean => kind === 'lost'

function rowsOf({ kind, set, values }: Displacement, { movesTo }: AlertContext): DisplacedRow[] {
  const giverOf = ({ before, after }: ReceivedChange): string =>
    (kind === 'override' ? before?.set : kind === 'fallback' ? after?.set : undefined) ?? ''
  const told = values
    // The entry says where a key moves.
    .filter(({ change }) => kind !== 'fallback' || !movesTo(set, change.key, giverOf(change)))
    .toSorted((a, b) => compareText(a.change.key, b.change.key))
  return groupedBy(told, ({ change, at }) => JSON.stringify([at, giverOf(change)])).map(alike => ({
    kind,
    set,
    giver: giverOf(alike[0].change),
    audience: alike[0].group.audience,
    values: alike.map(({ change }) => change),
  }))
}

const WHY = {
  priority: 'it has priority',
  scope: 'its assignment has a stronger rank',
  name: 'its name sorts first',
} as const satisfies Record<PrecedenceReason, string>

function alertOf(row: DisplacedRow, { plan, sources }: AlertContext): Alert {
  const { kind, set, audience, values } = row
  const { count, projects, others } = audience
  const keys = values.map(({ key }) => key)
  const who = whoOf(audience, plan.facts.received, plan)
  const whys = new Set(values.map(({ why }) => why))
  const [why] = whys
  const because = whys.size === 1 && why !== undefined && why !== 'gone' && `, because ${WHY[why]}`
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
function pairOf(one: ReceivedChange): Phrase | undefined {
  const [before, after] = [givenValue(one.before), givenValue(one.after)]
  if (before === undefined && after === undefined) return undefined
  if (one.before?.secret && one.after?.secret) return ['(secret)']
  return say`${before ?? '(not shown)'} -> ${after ?? '(not shown)'}`
}
