import { idsOf } from '../../model/ids.ts'
import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import type { LooksSecret } from '../secrecy.ts'
import type { SecretStates } from '../secrets.ts'
import { effectiveDifference } from './difference.ts'
import type { EffectGroup, EffectiveDifference } from './effect.ts'
import { type Exposure, exposureOf } from './exposure.ts'
import { type MovingSet, movingSets, placedNow } from './placed-set.ts'

/** What a plan does to workspaces. For the reader: nothing decides by it, and the digest does not know it. */
export interface EffectiveFacts {
  readonly effective: EffectiveDifference
  readonly exposure: Exposure
  /** What workspaces see while a set has another name, before the one that takes its place is there; left out: nothing else. */
  readonly meanwhile?: readonly EffectGroup[]
}

export function effectiveFacts(
  match: Match,
  drafts: readonly Draft[],
  secrets: SecretStates,
  directory: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
  looksSecret: LooksSecret,
): EffectiveFacts {
  const names = new Set(drafts.map(({ operation }) => operation.subject.name))
  const moving = movingSets(match, names, secrets)
  const { difference, population } = effectiveDifference(moving, match, names, directory, looksSecret)
  const effective = {
    ...difference,
    ...(partial === true ? { partial } : {}),
    ...(population.claimed ? { claimed: true as const } : {}),
  }
  const meanwhile = whileAside(match, directory, looksSecret)
  return {
    effective,
    exposure: exposureOf(moving, population),
    ...(meanwhile.length === 0 ? {} : { meanwhile }),
  }
}

/** Names decide within a rank, so that a set loses there to one whose name is between its own and the one that it has aside. */
function whileAside(match: Match, directory: Directory, looksSecret: LooksSecret): readonly EffectGroup[] {
  const moving = match.pairs.flatMap(({ observed, aside }): MovingSet[] => {
    if (observed === undefined || aside === undefined) return []
    const before = placedNow(observed, true)
    return [{ before, after: { ...before, name: aside, called: aside } }]
  })
  if (moving.length === 0) return []
  const names = new Set(
    match.pairs.flatMap(({ desired, aside }) => (aside === undefined ? [] : [desired.name])),
  )
  const { groups } = effectiveDifference(moving, match, names, directory, looksSecret).difference
  return groups.flatMap(group => {
    const effects = group.effects.filter(({ kind }) => kind === 'winner')
    return effects.length === 0 ? [] : [{ ...group, effects }]
  })
}

/** Ids that the facts mention. */
export const idsIn = ({ effective, exposure, meanwhile = [] }: EffectiveFacts): string[] => [
  ...[...effective.groups, ...meanwhile].flatMap(({ workspaces, projects }) => [...workspaces, ...projects]),
  ...(effective.displaced ?? []).flatMap(one =>
    [one, ...one.values.flatMap(({ audience }) => audience ?? [])].flatMap(({ workspaces, projects }) => [
      ...workspaces,
      ...projects,
    ]),
  ),
  ...exposure.secrets.flatMap(idsOf),
]
