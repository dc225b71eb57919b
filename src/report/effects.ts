import type { VariableKey } from '../model/ids.ts'
import type { Audience, Effect, EffectGroup, EffectiveDifference, Giver } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan.ts'
import { namesOf } from './changes.ts'
import { counted, figure, joined, keysPhrase, listed, name, type Phrase, value } from './phrase.ts'
import { unseenPhrases } from './unseen.ts'

/** What workspaces see otherwise. */
export interface EffectsView {
  /** `212 of 2,000 see a change`. */
  readonly headline: Phrase
  /** What no set shows by itself: that another set wins. One line each. */
  readonly telling: readonly Phrase[]
  /** Everything, by who sees it. */
  readonly groups: readonly EffectsOfGroup[]
  /** What is left out, and what is not known. */
  readonly notes: readonly Phrase[]
}

export interface EffectsOfGroup {
  readonly who: Phrase
  /** `get env REGION from net-base instead of common`: after `who`. */
  readonly effects: readonly Phrase[]
}

/** Beyond so many lines, the rest is counted. */
const MOST_TELLING = 5

/** None where nobody sees anything else than before. */
export function effectsOf(plan: Plan): EffectsView | undefined {
  const { effective } = plan.facts
  const unseen = unseenPhrases(effective)
  const meanwhile = meanwhilePhrases(plan)
  if (effective.groups.length + unseen.length + meanwhile.length === 0) return undefined
  const groups = effective.groups.map(group => {
    const merged = mergedOf(group.effects)
    const who = whoOf(group, effective, plan)
    return { who, merged, effects: merged.map(one => effectPhrase(one, group)) }
  })
  const telling = groups.flatMap(({ who, merged, effects }) =>
    merged.flatMap(({ effect }, at) =>
      effect.kind === 'winner' ? [[...who, ' ', ...(effects[at] ?? [])]] : [],
    ),
  )
  const more = telling.length - MOST_TELLING
  return {
    headline: headlineOf(effective),
    telling: [
      ...telling.slice(0, MOST_TELLING),
      ...(more > 0 ? [[`and ${figure(more)} more; --format markdown lists them`]] : []),
    ],
    groups: groups.map(({ who, effects }) => ({ who, effects })),
    notes: [...meanwhile, ...unseen, ...notesOf(effective)],
  }
}

/** What is seen for the moment in which a set has another name, and neither before nor afterwards. */
const meanwhilePhrases = (plan: Plan): Phrase[] =>
  (plan.facts.meanwhile ?? []).flatMap(group =>
    mergedOf(group.effects).map(one => [
      'until the new ',
      name(one.effect.before?.set ?? ''),
      ' is there, ',
      ...whoOf(group, plan.facts.effective, plan),
      ' ',
      ...effectPhrase(one, group),
    ]),
  )

function headlineOf(difference: EffectiveDifference): Phrase {
  const { level, known, changed, groups } = difference
  const unless = unlessOf(difference)
  const see = (count: number): string => (count === 1 ? 'sees' : 'see')
  if (level === 'workspaces')
    return [`${figure(changed)} of ${figure(known)} ${see(changed)} a change${unless}`]
  const projects = new Set(groups.flatMap(group => group.projects)).size
  const others = groups.some(group => group.others)
  if (others && changed === 0 && projects === 0) return [`every workspace sees a change${unless}`]
  const alone = projects === 0 && !others
  if (alone && changed === 0) return ['no workspace sees a change']
  const parts = [
    ...(changed > 0 ? [alone ? figure(changed) : `${figure(changed)} named`] : []),
    ...(projects > 0 ? [`those of ${counted(projects, 'project')}`] : []),
    ...(others ? ['every other'] : []),
  ]
  return [`${spoken(parts)} ${parts.length === 1 ? see(changed || 2) : 'see'} a change${unless}`]
}

/** A set with priority wins over what a workspace has by itself, any other one does not. */
function unlessOf({ level, changed, unlessOwn, certain }: EffectiveDifference): string {
  if (!unlessOwn) return ''
  if (certain === undefined) return ', where no variable of their own wins'
  const some = level === 'workspaces' ? `${figure(changed - certain)} of them` : 'some of them'
  return `, ${some} only where no variable of their own wins`
}

const spoken = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(part => part !== '').join(' and ')

function notesOf({ level, withoutProject, left, groups, partial, claimed }: EffectiveDifference): Phrase[] {
  const isTold = groups.some(({ projects, others }) => projects.length > 0 || others)
  return [
    ...(level === 'projects' && isTold
      ? [
          [
            'told by name and project: the directory does not list the workspaces with their projects (setpoint directory)',
          ],
        ]
      : []),
    ...(level === 'workspaces' && withoutProject > 0
      ? [[`the project of ${counted(withoutProject, 'workspace')} is not in the directory`]]
      : []),
    ...(claimed === true && groups.length > 0
      ? [
          [
            'workspaces and their projects are those of the directory file; the service was not asked for them',
          ],
        ]
      : []),
    ...(partial ? [['sets of others are not in the snapshot, and may win over some of this']] : []),
    ...(left > 0 ? [[`${counted(left, 'effect')} more ${left === 1 ? 'is' : 'are'} left out`]] : []),
  ]
}

/** `6 workspaces (a, b, c and 3 more)`; `other workspaces of project payments`; `every other workspace`. */
export function whoOf(
  { count, workspaces, projects, others }: Audience,
  { known, level }: EffectiveDifference,
  plan: Plan,
): Phrase {
  const everybody = level === 'workspaces' && count === known && count > 1
  const parts: Phrase[] = [
    ...(everybody ? [[`all ${figure(count)} workspaces`]] : named(count, namesOf(workspaces, plan))),
    ...(projects.length > 0
      ? [[`workspaces of project${projects.length === 1 ? '' : 's'} `, ...listed(namesOf(projects, plan))]]
      : []),
    ...(others
      ? [[count === 0 && projects.length === 0 && known === 0 ? 'every workspace' : 'every other workspace']]
      : []),
  ]
  return joined(parts, ', ')
}

function named(count: number, names: readonly string[]): Phrase[] {
  if (count === 0) return []
  if (count === 1) return [['workspace ', ...listed(names)]]
  if (count <= 4) return [[`${figure(count)} workspaces (`, ...listed(names), ')']]
  const rest = ` and ${figure(count - 3)} more)`
  const first = joined(
    names.slice(0, 3).map(text => [name(text)]),
    ', ',
  )
  return [[`${figure(count)} workspaces (`, ...first, rest]]
}

/** Effects that differ in the key alone. */
interface MergedEffect {
  readonly effect: Effect
  readonly keys: VariableKey[]
}

function mergedOf(effects: readonly Effect[]): MergedEffect[] {
  const merged = new Map<string, MergedEffect>()
  for (const effect of effects) {
    const same = JSON.stringify([effect.kind, effect.before?.set, effect.after?.set, effect.why])
    const known = merged.get(same)
    if (known === undefined) merged.set(same, { effect, keys: [effect.key] })
    else known.keys.push(effect.key)
  }
  return [...merged.values()]
}

function effectPhrase({ effect, keys }: MergedEffect, { count, projects, others }: EffectGroup): Phrase {
  const one = (count === 1 && projects.length === 0 && !others) || (count === 0 && projects.length === 0)
  const [get, lose] = one ? ['gets', 'loses'] : ['get', 'lose']
  const what = keysPhrase(keys)
  const before = name(effect.before?.set ?? '')
  const after = name(effect.after?.set ?? '')
  const values = keys.length === 1 ? valuesOf(effect) : []
  switch (effect.kind) {
    case 'gained':
      return [`${get} `, ...what, ' from ', after, ...values]
    case 'lost':
      return [`${lose} `, ...what, ' of ', before]
    case 'value':
      return [`${get} another `, ...what, ' of ', after, ...values]
    case 'source':
      return [`${get} `, ...what, ' from ', after, ' instead of ', before, ', with the same value']
    case 'winner':
      return [
        `${get} `,
        ...what,
        ' from ',
        after,
        ' instead of ',
        before,
        ` (${WHY[effect.why ?? 'gone']})`,
        ...values,
      ]
  }
}

const WHY = {
  gone: 'which does not give it any more',
  priority: 'it has priority',
  scope: 'its assignment counts more',
  name: 'its name sorts first',
} as const satisfies Record<NonNullable<Effect['why']>, string>

function valuesOf({ before, after }: Effect): Phrase {
  if (before?.secret === true && after?.secret === true) return []
  const [was, is] = [shown(before), shown(after)]
  if (was !== undefined && is !== undefined) return [': ', ...was, ' -> ', ...is]
  return is === undefined ? [] : [': ', ...is]
}

const shown = (giver: Giver | undefined): Phrase | undefined =>
  giver?.secret === true ? ['(secret)'] : giver?.text === undefined ? undefined : [value(giver.text)]
