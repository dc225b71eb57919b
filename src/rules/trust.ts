import { isSameRule, levelRank, type Rule } from '../model/rule.ts'

/** The rules for a plan: those of the files, and those of the base, which a change cannot remove. */
export function rulesInForce(head: readonly Rule[], base: readonly Rule[]): Rule[] {
  const byId = new Map(base.map(rule => [rule.id, rule]))
  const same = new Set<Rule>()
  const strict = head.map(rule => {
    const before = byId.get(rule.id)
    if (before === undefined || !isSameRule(before, rule)) return rule
    same.add(before)
    return levelRank(before.level) > levelRank(rule.level) ? { ...rule, level: before.level } : rule
  })
  return [...strict, ...base.filter(rule => !same.has(rule))]
}
