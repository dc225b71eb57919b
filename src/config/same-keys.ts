import { compareText, type SourceRange } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import { matchesPattern } from '../model/pattern.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import type { Findings } from './findings.ts'

/** A pattern of `same-keys`: the sets that match it are one family. */
export interface Family {
  readonly pattern: string
  readonly source: SourceRange
}

/**
 * Warns where sets of one family differ in their keys, at the set that lacks them: the key that was forgotten in
 * production. What a base gives counts; `env` and `terraform` are told apart.
 */
export function checkSameKeys(
  families: readonly Family[],
  sets: readonly DesiredSet[],
  findings: Findings,
): void {
  for (const { pattern, source } of families) {
    const family = sets.filter(set => matchesPattern(pattern, set.name))
    if (family.length === 0)
      findings.warning(
        'same-keys',
        source,
        `no set matches the pattern "${pattern}" of same-keys`,
        'A pattern is matched against whole names; * stands for any text.',
      )
    else checkFamily(pattern, family, findings)
  }
}

function checkFamily(pattern: string, family: readonly DesiredSet[], findings: Findings): void {
  const holders = new Map<VariableKey, DesiredSet[]>()
  for (const set of family)
    for (const { key } of set.variables) holders.set(key, [...(holders.get(key) ?? []), set])
  for (const set of family) {
    const own = new Set(set.variables.map(({ key }) => key))
    const lacks = new Map<readonly DesiredSet[], VariableKey[]>()
    const byHolders = new Map<string, readonly DesiredSet[]>()
    for (const [key, having] of holders) {
      if (own.has(key)) continue
      const names = having.map(({ name }) => name).join('\0')
      const same = byHolders.get(names) ?? having
      byHolders.set(names, same)
      lacks.set(same, [...(lacks.get(same) ?? []), key])
    }
    for (const [having, keys] of lacks)
      findings.warning(
        'same-keys',
        set.source,
        `"${set.name}" has no ${listed(keys.toSorted(compareText))}, and ${quoted(having)} ${having.length === 1 ? 'has' : 'have'}`,
        `\`same-keys\` says that the sets of "${pattern}" have the same keys. Add what is missing, or make the pattern narrower.`,
      )
  }
}

const MOST = 5

function listed(texts: readonly string[]): string {
  const shown = texts.length <= MOST + 1 ? texts : texts.slice(0, MOST)
  const rest = texts.length - shown.length
  return `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`
}

const quoted = (sets: readonly DesiredSet[]): string => listed(sets.map(({ name }) => `"${name}"`))
