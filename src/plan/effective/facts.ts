import { idsOf } from '../../model/targets.ts'
import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import type { LooksSecret } from '../secrecy.ts'
import type { SecretStates } from '../secrets.ts'
import { effectiveDifference } from './difference.ts'
import type { EffectiveDifference } from './effect.ts'
import { type Exposure, exposureOf } from './exposure.ts'
import { movingSets } from './moving-set.ts'

/** What a plan does to workspaces. For the reader: nothing decides by it, and the digest does not know it. */
export interface EffectiveFacts {
  readonly effective: EffectiveDifference
  readonly exposure: Exposure
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
  return { effective, exposure: exposureOf(moving, population) }
}

/** Ids that the facts mention. */
export const idsIn = ({ effective, exposure }: EffectiveFacts): string[] => [
  ...effective.groups.flatMap(({ workspaces, projects }) => [...workspaces, ...projects]),
  ...(effective.displaced ?? []).flatMap(one =>
    [one, ...one.values.flatMap(({ audience }) => audience ?? [])].flatMap(({ workspaces, projects }) => [
      ...workspaces,
      ...projects,
    ]),
  ),
  ...exposure.secrets.flatMap(idsOf),
]
