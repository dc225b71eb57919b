import type { SourceRange } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import { type ChangedSet, type ChangedVariable, changedSets } from '../plan/changed-sets.ts'
import type { Plan } from '../plan/plan-data.ts'
import { counted, figure, listed, type Phrase, say } from './phrase.ts'

/** Something to review before everything else. */
export interface Alert {
  readonly kind: AlertKind
  readonly phrase: Phrase
  /** The sets and variables that it concerns; empty if it concerns the whole plan. */
  readonly sets: readonly string[]
  readonly keys: readonly VariableKey[]
  /** Number of workspaces: infinite for all, undefined if unknown or not about workspaces. */
  readonly breadth?: number
  readonly source?: SourceRange
}

/** All findings, and the lines that a reader is shown. */
export interface Review {
  readonly every: readonly Alert[]
  readonly shown: readonly Alert[]
  /** How much `shown` sums up or leaves out, and where to see it. */
  readonly more?: Phrase
}

/** By harm (docs/reports.md): first what is irreversible, then who receives what, then what is temporary. */
const ORDER = [
  ['forbidden'],
  ['blocked'],
  ['lost'],
  ['readable'],
  ['loosened'],
  ['adopted'],
  ['missing'],
  ['rule'],
  ['gone'],
  ['global'],
  ['priority'],
  ['secret'],
  ['override', 'value'],
  ['gap'],
  ['drift'],
  ['unknown'],
] as const

export type AlertKind = (typeof ORDER)[number][number]

const HARM = new Map<AlertKind, number>(ORDER.flatMap((kinds, at) => kinds.map(kind => [kind, at] as const)))
const harmOf = ({ kind }: Alert): number => HARM.get(kind) ?? ORDER.length

/** Irreversible, or the loss of a protection. These lines are never left out; several of one kind may be summed up. */
export const isGrave = ({ kind }: Pick<Alert, 'kind'>): boolean => GRAVE.has(kind)
const GRAVE: ReadonlySet<AlertKind> = new Set([
  'forbidden',
  'blocked',
  'readable',
  'lost',
  'loosened',
  'adopted',
  'missing',
])

/** By harm, then by breadth. The sort is stable. */
export const inOrder = (alerts: readonly Alert[]): Alert[] =>
  alerts.toSorted((a, b) => harmOf(a) - harmOf(b) || broader(a, b))

const broader = (a: Alert, b: Alert): number => {
  const [one, other] = [a.breadth ?? 0, b.breadth ?? 0]
  return one === other ? 0 : other - one
}

export const alert = (kind: AlertKind, phrase: Phrase, about: Partial<Alert> = {}): Alert => ({
  sets: [],
  keys: [],
  ...about,
  kind,
  phrase,
})

/** What alerts about sets are made from, looked up once. */
export interface AlertContext {
  readonly plan: Plan
  readonly sets: readonly ChangedSet[]
  readonly created: ReadonlySet<string>
  /** Where a set stands in the files. */
  readonly sources: ReadonlyMap<string, SourceRange>
  /** Whether a variable moves from one set to another, and leaves the first one before: then a gap says it, if anybody sees it. */
  readonly movesTo: (from: string, key: VariableKey, to: string) => boolean
}

export function alertContextOf(plan: Plan): AlertContext {
  const created = new Set<string>()
  const sources = new Map<string, SourceRange>()
  for (const { operation, source } of plan.steps) {
    const { name } = operation.subject
    if (operation.type === 'create-set') created.add(name)
    if (source !== undefined && !sources.has(name)) sources.set(name, source)
  }
  const sets = changedSets(plan)
  const at = (set: string, key: string): string => `${key} ${set}`
  const sent = new Map<string, ChangedVariable>()
  for (const { name, changes } of sets)
    for (const one of changes)
      if (one.kind === 'variable' && one.after !== undefined) sent.set(at(name, one.key), one)
  const moves = new Set(
    sets.flatMap(({ name, changes }) =>
      changes.flatMap(one => {
        if (one.kind !== 'variable' || one.after !== undefined) return []
        const ids = new Set(one.steps.map(({ id }) => id))
        const isLater = (to: string): boolean =>
          sent.get(at(to, one.key))?.steps.some(({ after }) => after.some(({ step }) => ids.has(step))) ===
          true
        return one.moves.filter(isLater).map(to => JSON.stringify([name, one.key, to]))
      }),
    ),
  )
  return { plan, sets, created, sources, movesTo: (...move) => moves.has(JSON.stringify(move)) }
}

export const setsIn = (alerts: readonly Alert[]): string[] => [...new Set(alerts.flatMap(({ sets }) => sets))]

/** Alerts of one kind, and their shorter form. */
export interface AlertGroup {
  readonly every: readonly Alert[]
  readonly shown: readonly Alert[]
}

export const MOST_EACH = 4

/**
 * The one rule to sum up: the broadest findings of a kind have a line each, and the last line counts the others and names their sets.
 * It never adds up what differs. `shown`: the findings in their shorter form, if there is one.
 */
export function condensed(every: readonly Alert[], most = MOST_EACH, shown = every): AlertGroup {
  if (shown.length <= most) return { every, shown }
  const sorted = inOrder(shown)
  const rest = sorted.slice(most - 1)
  return { every, shown: [...sorted.slice(0, most - 1), othersLike(rest)] }
}

function othersLike(rest: readonly Alert[]): Alert {
  const [first] = rest
  if (first === undefined) throw new TypeError('nothing to sum up')
  const sets = setsIn(rest)
  const phrase = say`and ${figure(rest.length)} more like this${sets.length > 0 && say`: ${listed(sets)}`}`
  const breadth = rest.reduce((most, one) => Math.max(most, one.breadth ?? 0), 0)
  const keys = [...new Set(rest.flatMap(one => one.keys))]
  return alert(first.kind, phrase, { sets, keys, breadth: breadth || undefined })
}

/** Lines of the review; grave ones come on top. */
const MOST_LINES = 20

export function reviewOf(told: readonly AlertGroup[]): Review {
  const every = inOrder(told.flatMap(one => one.every))
  const all = inOrder(told.flatMap(one => one.shown))
  const room = MOST_LINES - all.filter(isGrave).length
  const others = all.filter(one => !isGrave(one) && one.kind !== 'unknown').slice(0, Math.max(room, 5))
  const kept = new Set<Alert>(others)
  const shown = all.filter(one => isGrave(one) || one.kind === 'unknown' || kept.has(one))
  const left = all.length - shown.length
  if (left === 0 && all.length === every.length) return { every, shown }
  const start = left === 0 ? '' : `and ${figure(left)} more; `
  const where = `all ${counted(every.length, 'finding')}: --verbose, or "review" in --format json`
  return { every, shown, more: [`${start}${where}`] }
}
