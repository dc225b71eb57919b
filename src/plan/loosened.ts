import { matchesAny } from '../model/names.ts'
import { isSameRule, levelRank, type Rule } from '../model/rule.ts'
import type { Guards, ResolvedState } from '../model/variable-set.ts'
import type { LoosenedSetting } from './plan-data.ts'
import type { LeftProtection } from './protection.ts'

type Settings = Pick<ResolvedState, 'guards' | 'owner' | 'owns' | 'prune' | 'rules'>

/** A setting that protects. `text`: what base and files say of it. */
interface ProtectiveSetting<T> {
  readonly setting: string
  readonly isLooser: (base: T, head: T) => boolean
  readonly text: (base: T, head: T) => readonly [base: string, head: string]
}

/** The share of a guard; without one there is no limit. */
const share = (name: keyof Guards & ('deletions' | 'losses' | 'updates')): ProtectiveSetting<Settings> => {
  const of = ({ guards }: Settings): number => guards[name] ?? Infinity
  const said = (one: Settings): string => (of(one) === Infinity ? 'no limit' : `${of(one)}%`)
  return {
    setting: `guards.${name}`,
    isLooser: (base, head) => of(head) > of(base),
    text: (base, head) => [said(base), said(head)],
  }
}

const quoted = (texts: readonly string[]): string => texts.map(text => JSON.stringify(text)).join(', ')
const unprotected = (base: Settings, head: Settings): readonly string[] =>
  base.guards.protect.filter(pattern => !head.guards.protect.includes(pattern))

const ROWS: readonly ProtectiveSetting<Settings>[] = [
  share('deletions'),
  share('losses'),
  share('updates'),
  {
    setting: 'guards.protect',
    isLooser: (base, head) => unprotected(base, head).length > 0,
    text: (base, head) => [quoted(unprotected(base, head)), 'not protected'],
  },
  {
    setting: 'guards.gaps',
    isLooser: (base, head) => base.guards.gaps !== undefined && head.guards.gaps === undefined,
    text: () => ['forbid', 'allow'],
  },
  { setting: 'prune', isLooser: (base, head) => head.prune && !base.prune, text: () => ['false', 'true'] },
  {
    setting: 'owner',
    isLooser: (base, head) => base.owner !== head.owner,
    text: (base, head) => [base.owner ?? 'none', head.owner ?? 'none'],
  },
  {
    setting: 'owns',
    isLooser: (base, head) =>
      base.owns.length > 0 &&
      (head.owns.length === 0 ||
        head.owns.some(pattern => !base.owns.includes(pattern) && !matchesAny(base.owns, pattern))),
    text: (base, head) => [quoted(base.owns), head.owns.length === 0 ? 'everything' : quoted(head.owns)],
  },
]

/** A rule of the base. It is unknown whether other expressions are weaker. */
const ruleRow = (before: Rule, now: Rule | undefined): ProtectiveSetting<unknown> => {
  const isOther = now !== undefined && !isSameRule(before, now)
  return {
    setting: `rules.${before.id}`,
    isLooser: () => now === undefined || isOther || levelRank(now.level) < levelRank(before.level),
    text: () => [
      before.level,
      now === undefined ? 'deleted' : isOther ? `${now.level} with other expressions` : now.level,
    ],
  }
}

/** A set that leaves the protection by another name. */
const protectionRow = ({ set, name }: LeftProtection): ProtectiveSetting<unknown> => ({
  setting: 'guards.protect',
  isLooser: () => true,
  text: () => [JSON.stringify(name), `${JSON.stringify(set.name)}, which is not protected`],
})

/** Every setting of `setpoint.yaml`, every rule, and every protection of a set that this change loosens. */
export function loosenedSettings(
  base: Settings,
  head: Settings,
  left: readonly LeftProtection[],
): LoosenedSetting[] {
  const rules = new Map(head.rules?.map(rule => [rule.id, rule]))
  return [
    ...ROWS,
    ...(base.rules ?? []).map(rule => ruleRow(rule, rules.get(rule.id))),
    ...left.map(protectionRow),
  ].flatMap(({ setting, isLooser, text }) => {
    if (!isLooser(base, head)) return []
    const [before, after] = text(base, head)
    return { setting, base: before, head: after }
  })
}
