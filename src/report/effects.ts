import type { Audience, EffectReason, Received, ReceivedChange } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan-data.ts'
import { counted, figure, groupedBy, keysPhrase, listed, name, type Phrase, present, say } from './phrase.ts'
import { countsOf, type EffectGroup, effectGroups } from './received-effects.ts'
import { givenValue, isSingle, MOST_NAMED, namesOf, whoPhrase } from './who.ts'

export interface EffectsView {
  /** `212 of 2,000 affected`. */
  readonly headline: Phrase
  /** The headline names everybody, and the entries of the sets show what they get. */
  readonly isTold: boolean
  /** All effects, by the workspaces that they concern. */
  readonly groups: readonly EffectsOfGroup[]
  /** What is left out or unknown. */
  readonly notes: readonly Phrase[]
}

interface EffectsOfGroup {
  readonly who: Phrase
  /** `get env REGION from net-base instead of common`: after `who`. */
  readonly effects: readonly Phrase[]
}

/** `undefined` if nothing changes for any workspace. */
export function effectsOf(plan: Plan): EffectsView | undefined {
  const { received } = plan.facts
  const groups = effectGroups(plan)
  const unseen = unseenPhrases(received)
  if (groups.length + unseen.length === 0) return undefined
  return {
    headline: headlineOf(plan, groups),
    isTold: isTold(received, groups),
    groups: groups.map(({ audience, effects }) => {
      const merged = groupedBy(effects, ({ kind, before, after, why }) =>
        JSON.stringify([kind, before?.set, after?.set, why]),
      )
      return {
        who: whoPhrase(audience, plan),
        effects: merged.map(one => effectPhrase(one, audience)),
      }
    }),
    notes: [...unseen, ...notesOf(received, groups)],
  }
}

/** Everybody who is affected gets new values from the same set as before, and is named or is everybody. */
function isTold(received: Received, groups: readonly EffectGroup[]): boolean {
  const { level, whole, known, unseen = [] } = received
  const { seeing } = countsOf(received)
  return (
    level === 'workspaces' &&
    unseen.length === 0 &&
    groups.every(({ effects, audience: { count } }) => {
      const isEverybody = whole === true && count === known
      const isClear = count <= MOST_NAMED || isEverybody
      return count === seeing && isClear && effects.every(({ kind }) => kind === 'value')
    })
  )
}

function headlineOf(plan: Plan, groups: readonly EffectGroup[]): Phrase {
  const { received } = plan.facts
  const { level, known, whole } = received
  const { seeing } = countsOf(received)
  const unless = unlessOf(received)
  const of = whole ? ` of ${figure(known)}` : ''
  if (level === 'workspaces') {
    const ids = new Set(groups.flatMap(({ audience }) => audience.workspaces))
    const isNamed = seeing > 0 && seeing <= MOST_NAMED && !(whole && seeing === known)
    return say`${figure(seeing)}${of} affected${isNamed && say`: ${listed(namesOf([...ids], plan))}`}${unless}`
  }
  const projects = new Set(groups.flatMap(({ audience }) => audience.projects)).size
  const others = groups.some(({ audience }) => audience.others)
  if (others && seeing === known) return [`all workspaces affected${unless}`]
  const parts = present(
    (seeing > 0 || !(others || projects > 0)) && counted(seeing, 'workspace'),
    projects > 0 && `those of ${counted(projects, 'project')}`,
    others && 'all others',
  )
  return [`${spoken(parts)} affected${unless}`]
}

/** A workspace variable overrides every set without priority. */
function unlessOf(received: Received): string {
  const { seeing, certain, isCertain } = countsOf(received)
  if (isCertain) return ''
  if (certain === 0) return ', unless a workspace variable overrides'
  const some = received.level === 'workspaces' ? `${figure(seeing - certain)} of them` : 'some of them'
  return `, ${some} unless a workspace variable overrides`
}

const spoken = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(part => part !== '').join(' and ')

function notesOf({ level, withoutProject, partial }: Received, groups: readonly EffectGroup[]): Phrase[] {
  const isPart = groups.some(({ audience }) => audience.projects.length > 0 || audience.others)
  return present<Phrase>(
    level === 'projects' && isPart && ['the service does not show this token which workspaces these are'],
    level === 'workspaces' &&
      withoutProject > 0 && [
        `the service does not show this token the project of ${counted(withoutProject, 'workspace')}`,
      ],
    partial && ['the snapshot does not contain unmanaged sets, which may override some of this'],
  )
}

/** `effects` differ only in the key. */
function effectPhrase(effects: readonly ReceivedChange[], audience: Audience): Phrase {
  const [effect, ...more] = effects
  if (effect === undefined) return []
  const isOne = more.length === 0
  const [get, lose] = isSingle(audience) ? ['gets', 'loses'] : ['get', 'lose']
  const what = keysPhrase(effects.map(({ key }) => key))
  const before = name(effect.before?.set ?? '')
  const after = name(effect.after?.set ?? '')
  const values = isOne && valuesOf(effect)
  switch (effect.kind) {
    case 'gained':
      return say`${get} ${what} from ${after}${values}`
    case 'lost':
      return say`${lose} ${what} of ${before}`
    case 'value':
      // The entry of the set has the values.
      return say`${get} ${isOne ? 'a new value' : 'new values'} of ${what} from ${after}`
    case 'source':
      return say`${get} ${what} from ${after} instead of ${before}, with the same value`
    case 'winner':
      return say`${get} ${what} from ${after} instead of ${before} (${WHY[effect.why ?? 'gone']})${values}`
    case 'priority':
    case 'sent':
      return []
  }
}

const WHY = {
  gone: 'which no longer provides it',
  priority: 'it has priority',
  scope: 'its assignment has a stronger rank',
  name: 'its name sorts first',
} as const satisfies Record<EffectReason, string>

function valuesOf({ before, after }: ReceivedChange): Phrase {
  if (before?.secret === true && after?.secret === true) return []
  const [was, is] = [givenValue(before), givenValue(after)]
  if (is === undefined) return []
  return was === undefined ? say`: ${is}` : say`: ${was} -> ${is}`
}

const MOST_LINES = 3

/** Variables that other sets override everywhere: a line for those of one set with the same winner. */
function unseenPhrases({ unseen = [], unseenLeft = 0 }: Received): Phrase[] {
  const groups = groupedBy(unseen, ({ set, winner }) => JSON.stringify([set, winner]))
  const lines = groups.slice(0, MOST_LINES).map((group): Phrase => {
    const { set, winner } = group[0]
    const keys = keysPhrase(group.map(({ key }) => key))
    const [have, them] = group.length === 1 ? ['has', 'it'] : ['have', 'them']
    return say`${keys} of ${name(set)} ${have} no effect: other sets override ${them} everywhere, such as ${name(winner)}`
  })
  const more = unseenLeft + groups.slice(MOST_LINES).flat().length
  return more === 0 ? lines : [...lines, [`and ${counted(more, 'more variable')} without effect`]]
}
