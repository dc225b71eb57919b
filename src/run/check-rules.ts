import type { Diagnostic } from '../model/diagnostic.ts'
import type { Rule } from '../model/rule.ts'

/** Every mistake in the expressions of these rules. Loads nothing without a rule. */
export async function checkRules(rules: readonly Rule[] = []): Promise<readonly Diagnostic[]> {
  if (rules.length === 0) return []
  const { Judge } = await import('../rules/judge.ts')
  const judge = new Judge()
  try {
    return await judge.check(rules)
  } finally {
    await judge.close()
  }
}
