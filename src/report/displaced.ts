import { nameOf, type VariableKey } from '../model/ids.ts'
import type { Audience, DisplacedValue, Displacement, Giver } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan.ts'
import {
  type Alert,
  type AlertContext,
  type AlertGroup,
  type AlertKind,
  alert,
  condensed,
  keysIn,
  MOST_EACH,
  moreSets,
  subjectOf,
  verb,
} from './alert.ts'
import { namesOf } from './changes.ts'
import { givenValue, whoOf } from './effects.ts'
import { counted, figure, groupedBy, joined, listed, name, type Phrase, say } from './phrase.ts'

/** A new value is a finding from this many workspaces on; otherwise the entry of the set is enough. */
const MANY = 10
const MOST_VALUES = 6
/** Up to so many keys, and pairs of values for each, are shown with their values. */
const MOST_TOLD = 3

/** Variables that workspaces lose; then overrides and values that change for many, the broadest first. */
export function displacedValues(context: AlertContext): AlertGroup[] {
  const all = context.plan.facts.effective.displaced ?? []
  const lost = all.filter(({ kind }) => kind === 'lost')
  const gone = groupedBy(lost, likenessOf).map(group => alertOf(group, context))
  // Nine sets with three workspaces each are as broad as one with twenty-seven.
  const values = groupedBy(
    all.filter(({ kind }) => kind !== 'lost'),
    likenessOf,
  ).filter(group => group[0].kind !== 'value' || breadthOf(group) >= MANY)
  const other = values.map(group => alertOf(group, context))
  return [
    condensed(
      lost.map(one => alertOf([one], context)),
      gone,
      MOST_EACH,
      rest =>
        say`${moreSets(rest)} no longer ${verb(rest, 'gives', 'give')} ${counted(keysIn(rest), 'variable')}${atMost(rest)}`,
    ),
    condensed(
      values.flat().map(one => alertOf([one], context)),
      other,
      MOST_VALUES,
      rest =>
        say`${moreSets(rest)} ${verb(rest, 'overrides or changes', 'override or change')} ${counted(keysIn(rest), 'variable')}${atMost(rest)}`,
    ),
  ]
}

/** Number of workspaces of a group; the largest if the numbers do not add up. */
function breadthOf(group: readonly Displacement[]): number {
  if (group.some(({ projects, others }) => others || projects.length > 0)) return Number.POSITIVE_INFINITY
  const counts = group.map(({ count }) => count)
  return group.every(seesAll) ? counts.reduce((sum, count) => sum + count, 0) : Math.max(...counts)
}

/** Sets may have workspaces in common, so their numbers do not add up. */
function atMost(alerts: readonly Alert[]): string {
  const most = Math.max(...alerts.map(({ breadth = 0 }) => breadth))
  return Number.isFinite(most) ? `, in at most ${counted(most, 'workspace')} each` : ''
}

/** Equal for displacements that can share a line: everything but the audience. */
function likenessOf({ kind, projects, others, values, certain }: Displacement): string | undefined {
  if (projects.length > 0 || others) return undefined
  const told = values.map(({ key, before, after }) =>
    kind === 'lost' ? key : [key, textOf(before), textOf(after), giverOf(kind, before, after)],
  )
  return JSON.stringify([kind, certain, told])
}

const textOf = (giver: Giver | undefined): string | undefined => (giver?.secret ? '(secret)' : giver?.text)

const giverOf = (kind: Displacement['kind'], before: Giver | undefined, after: Giver | undefined) =>
  kind === 'override' ? before?.set : kind === 'fallback' ? after?.set : undefined

const KIND = {
  override: 'override',
  fallback: 'value',
  value: 'value',
  lost: 'gone',
} as const satisfies Record<Displacement['kind'], AlertKind>

function alertOf(group: readonly Displacement[], context: AlertContext): Alert {
  const { plan } = context
  const [first] = group
  if (first === undefined) throw new TypeError('an alert is about a set')
  const sets = [...new Set(group.map(({ set }) => set))]
  const keys = [...new Set(first.values.map(({ key }) => key))]
  const isWhole = group.every(seesAll)
  const audience = {
    count: group.reduce((sum, { count }) => sum + count, 0),
    workspaces: group.flatMap(({ workspaces }) => workspaces).slice(0, 4),
    projects: first.projects,
    others: first.others,
    // Audiences of several sets have no workspace in common.
    whole: group.flatMap(({ whole = [] }) => whole),
  }
  const broadest = Math.max(...group.map(({ count }) => count))
  const isTold = group.length === 1 || isWhole
  const who = isTold
    ? whoOf(audience, plan.facts.effective, plan)
    : say`at most ${counted(broadest, 'workspace')} each`
  const what = say`${!isWhole && 'some of '}${listed(keys.map(nameOf))}`
  const phrase = say`${subjectOf(sets)}${deedOf(first, sets.length > 1 ? '' : 's', what, who)}${valuesOf(first, keys, plan)}`
  const about = { source: context.sources.get(first.set), sets, keys, breadth: breadthOf(group) }
  return alert(KIND[first.kind], phrase, about)
}

/**
 * Whether every workspace of the displacement sees all of its values. Then no workspace belongs to two such sets with the same
 * keys, because each key has one winner, and their numbers add up.
 */
const seesAll = ({ count, projects, others, values }: Displacement): boolean =>
  groupedBy(values, ({ key }) => key).every(all => {
    const audiences = all.flatMap(({ audience }) => audience ?? [])
    if (audiences.length < all.length) return true
    return (
      audiences.reduce((sum, one) => sum + one.count, 0) === count &&
      audiences.flatMap(one => one.projects).length === projects.length &&
      audiences.some(one => one.others) === others
    )
  })

/** What one set, or several, do to `what` for `who`. */
function deedOf({ kind, values }: Displacement, s: '' | 's', what: Phrase, who: Phrase): Phrase {
  switch (kind) {
    case 'override':
      return say` override${s} ${what} of ${giversOf(values, 'before')} in ${who}`
    case 'fallback':
      return say` no longer give${s} ${what} to ${who}, where now ${giversOf(values, 'after')} wins`
    case 'value':
      return say` change${s} ${what} in ${who}`
    case 'lost':
      return say` no longer give${s} ${what} to ${who}, and no other set does`
  }
}

function giversOf(values: readonly DisplacedValue[], side: 'before' | 'after'): Phrase {
  const sets = [...new Set(values.flatMap(one => one[side]?.set ?? []))]
  return sets.length <= 2 ? listed(sets) : [`${figure(sets.length)} sets`]
}

/** `: 6 -> 1`; several keys with their names; different values with who sees which. */
function valuesOf({ kind, values }: Displacement, keys: readonly VariableKey[], plan: Plan): Phrase {
  if (keys.length > MOST_TOLD || kind === 'lost') return []
  const told = keys.flatMap((key): Phrase[] => {
    const pairs = groupedBy(
      values.filter(one => one.key === key),
      ({ before, after }) => JSON.stringify([textOf(before), textOf(after)]),
    ).toSorted((a, b) => countOf(b) - countOf(a))
    const start = keys.length > 1 && say`${name(nameOf(key))} `
    if (pairs.length > MOST_TOLD) return [say`${start}${figure(pairs.length)} different changes of its value`]
    const phrases = pairs.flatMap((pair): Phrase[] => {
      const shown = pairOf(pair[0])
      return shown === undefined ? [] : [say`${shown}${pairs.length > 1 && whereOf(pair, plan)}`]
    })
    return phrases.length === 0 ? [] : [say`${start}${joined(phrases, ', ')}`]
  })
  return told.length === 0 ? [] : say`: ${joined(told, ', ')}`
}

const audiencesOf = (values: readonly DisplacedValue[]): Audience[] =>
  values.flatMap(({ audience }) => audience ?? [])

const countOf = (values: readonly DisplacedValue[]): number =>
  audiencesOf(values).reduce(
    (sum, one) => sum + one.count + (one.others || one.projects.length > 0 ? 1e9 : 0),
    0,
  )

function whereOf(pair: readonly DisplacedValue[], plan: Plan): Phrase {
  const audiences = audiencesOf(pair)
  if (audiences.some(one => one.others)) return [' elsewhere']
  const projects = audiences.flatMap(one => one.projects)
  if (projects.length > 0) return say` in project ${listed(namesOf(projects, plan))}`
  const workspaces = audiences.flatMap(one => one.workspaces)
  const count = countOf(pair)
  return say` in ${figure(count)}${count <= 3 && say` (${listed(namesOf(workspaces, plan))})`}`
}

/** `undefined` if neither side may be shown. */
function pairOf(one: DisplacedValue | undefined): Phrase | undefined {
  const [before, after] = [givenValue(one?.before), givenValue(one?.after)]
  if (before === undefined && after === undefined) return undefined
  if (one?.before?.secret && one.after?.secret) return ['(secret)']
  return say`${before ?? '(not shown)'} -> ${after ?? '(not shown)'}`
}
