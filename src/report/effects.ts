import type { Audience, Effect, EffectiveDifference, Giver } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan.ts'
import { namesOf } from './changes.ts'
import {
  command,
  counted,
  figure,
  groupedBy,
  joined,
  keysPhrase,
  listed,
  name,
  type Phrase,
  present,
  say,
  value,
} from './phrase.ts'

export interface EffectsView {
  /** `212 of 2,000 affected`. */
  readonly headline: Phrase
  /** Where another set wins, which no entry of a set shows. One line each. */
  readonly telling: readonly Phrase[]
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

const MOST_TELLING = 5

/** `undefined` if nothing changes for any workspace. */
export function effectsOf(plan: Plan): EffectsView | undefined {
  const { effective } = plan.facts
  const unseen = unseenPhrases(effective)
  if (effective.groups.length + unseen.length === 0) return undefined
  const groups = effective.groups.map(group => {
    const merged = groupedBy(group.effects, ({ kind, before, after, why }) =>
      JSON.stringify([kind, before?.set, after?.set, why]),
    )
    return {
      who: whoOf(group, effective, plan),
      merged,
      effects: merged.map(one => effectPhrase(one, group)),
    }
  })
  const telling = groups.flatMap(({ who, merged, effects }) =>
    effects.flatMap((effect, at) => (merged[at]?.[0]?.kind === 'winner' ? [say`${who} ${effect}`] : [])),
  )
  const more = telling.length - MOST_TELLING
  return {
    headline: headlineOf(effective),
    telling: present(
      ...telling.slice(0, MOST_TELLING),
      more > 0 && [`and ${figure(more)} more; --format markdown lists all`],
    ),
    groups,
    notes: [...unseen, ...notesOf(effective)],
  }
}

function headlineOf(difference: EffectiveDifference): Phrase {
  const { level, known, changed, groups } = difference
  const unless = unlessOf(difference)
  if (level === 'workspaces') return [`${figure(changed)} of ${figure(known)} affected${unless}`]
  const projects = new Set(groups.flatMap(group => group.projects)).size
  const others = groups.some(group => group.others)
  if (others && changed === known) return [`all workspaces affected${unless}`]
  const parts = present(
    (changed > 0 || !(others || projects > 0)) && counted(changed, 'workspace'),
    projects > 0 && `those of ${counted(projects, 'project')}`,
    others && 'all others',
  )
  return [`${spoken(parts)} affected${unless}`]
}

/** A workspace variable overrides every set without priority. */
function unlessOf({ level, changed, unlessOwn, certain }: EffectiveDifference): string {
  if (!unlessOwn) return ''
  if (certain === undefined) return ', unless a workspace variable overrides'
  const some = level === 'workspaces' ? `${figure(changed - certain)} of them` : 'some of them'
  return `, ${some} unless a workspace variable overrides`
}

const spoken = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(part => part !== '').join(' and ')

function notesOf({ level, withoutProject, left, groups, partial, claimed }: EffectiveDifference): Phrase[] {
  const isTold = groups.some(({ projects, others }) => projects.length > 0 || others)
  return present<Phrase>(
    level === 'projects' &&
      isTold &&
      say`workspace projects are unknown; run ${command('setpoint directory')} for exact names`,
    level === 'workspaces' &&
      withoutProject > 0 && [`the directory file has no project for ${counted(withoutProject, 'workspace')}`],
    claimed === true &&
      groups.length > 0 && [
        'workspaces and their projects come from the directory file and were not checked with the service',
      ],
    partial && ['the snapshot does not contain unmanaged sets, which may override some of this'],
    left > 0 && [`${counted(left, 'more effect')} not shown`],
  )
}

/** `6 workspaces (a, b, c and 3 more)`; `other workspaces of project payments`; `every other workspace`. */
export function whoOf(
  { count, workspaces, projects, others }: Audience,
  { known, level }: EffectiveDifference,
  plan: Plan,
): Phrase {
  const everybody = level === 'workspaces' && count === known && count > 1
  const every =
    count === 0 && projects.length === 0 && known === 0 ? 'every workspace' : 'every other workspace'
  const parts = present<Phrase>(
    everybody ? [`all ${figure(count)} workspaces`] : named(count, namesOf(workspaces, plan)),
    projects.length > 0 &&
      say`workspaces of project${projects.length > 1 && 's'} ${listed(namesOf(projects, plan))}`,
    others && [every],
  )
  return joined(parts, ', ')
}

function named(count: number, names: readonly string[]): Phrase | undefined {
  if (count === 0) return undefined
  if (count === 1) return say`workspace ${listed(names)}`
  const shown = names.slice(0, count <= 4 ? 4 : 3)
  if (shown.length === 0) return [counted(count, 'workspace')]
  const more = count - shown.length
  return say`${figure(count)} workspaces (${joined(shown.map(name), ', ')}${more > 0 && ` and ${figure(more)} more`})`
}

/** One workspace, or every other one. */
export const isSingle = ({ count, projects, others }: Audience): boolean =>
  projects.length === 0 && count + (others ? 1 : 0) <= 1

/** `effects` differ only in the key. */
function effectPhrase(effects: readonly Effect[], audience: Audience): Phrase {
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
      return say`${get} ${isOne ? 'a new value' : 'new values'} of ${what} from ${after}${values}`
    case 'source':
      return say`${get} ${what} from ${after} instead of ${before}, with the same value`
    case 'winner':
      return say`${get} ${what} from ${after} instead of ${before} (${WHY[effect.why ?? 'gone']})${values}`
  }
}

const WHY = {
  gone: 'which no longer has it',
  priority: 'it has priority',
  scope: 'its assignment has a stronger rank',
  name: 'its name sorts first',
} as const satisfies Record<NonNullable<Effect['why']>, string>

function valuesOf({ before, after }: Effect): Phrase {
  if (before?.secret === true && after?.secret === true) return []
  const [was, is] = [givenValue(before), givenValue(after)]
  if (is === undefined) return []
  return was === undefined ? say`: ${is}` : say`: ${was} -> ${is}`
}

/** `undefined` if the value may not be shown. */
export const givenValue = (giver: Giver | undefined): Phrase | undefined =>
  giver?.secret === true ? ['(secret)'] : giver?.text === undefined ? undefined : [value(giver.text)]

const MOST_LINES = 3

/** Variables that other sets override everywhere: a line for those of one set with the same winner. */
function unseenPhrases({ unseen = [], unseenLeft = 0 }: EffectiveDifference): Phrase[] {
  const groups = groupedBy(unseen, ({ set, winner }) => JSON.stringify([set, winner]))
  const lines = groups.slice(0, MOST_LINES).map((group): Phrase => {
    const { set = '', winner = '' } = group[0] ?? {}
    const keys = keysPhrase(group.map(({ key }) => key))
    const [have, them] = group.length === 1 ? ['has', 'it'] : ['have', 'them']
    return say`${keys} of ${name(set)} ${have} no effect: other sets override ${them} everywhere, such as ${name(winner)}`
  })
  const more = unseenLeft + groups.slice(MOST_LINES).flat().length
  return more === 0 ? lines : [...lines, [`and ${counted(more, 'more variable')} without effect`]]
}
