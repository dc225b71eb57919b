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
    for (const { key } of set.variables) {
      const known = holders.get(key)
      if (known === undefined) holders.set(key, [set])
      else known.push(set)
    }
  const groups = groupsOf(holders)
  for (const set of family) {
    const own = new Set(set.variables.map(({ key }) => key))
    const lacks = groups.filter(({ keys }) => !keys.some(key => own.has(key)))
    const found =
      lacks.length > MOST
        ? [`has no ${listed(lacks.flatMap(({ keys }) => keys))}, which others have`]
        : lacks.map(
            ({ keys, having }) =>
              `has no ${listed(keys)}, and ${quoted(having)} ${having.length === 1 ? 'has' : 'have'}`,
          )
    for (const words of found)
      findings.warning(
        'same-keys',
        set.source,
        `"${set.name}" ${words}`,
        `\`same-keys\` says that the sets of "${pattern}" have the same keys. Add what is missing, or make the pattern narrower.`,
      )
  }
}

/** Keys that the same sets have: a set has all of a group, or none. */
interface KeyGroup {
  readonly keys: VariableKey[]
  readonly having: readonly DesiredSet[]
}

function groupsOf(holders: ReadonlyMap<VariableKey, readonly DesiredSet[]>): readonly KeyGroup[] {
  const groups = new Map<string, KeyGroup>()
  for (const [key, having] of holders) {
    const names = having.map(({ name }) => name).join('\0')
    const known = groups.get(names)
    if (known === undefined) groups.set(names, { keys: [key], having })
    else known.keys.push(key)
  }
  for (const { keys } of groups.values()) keys.sort(compareText)
  return [...groups.values()].sort((a, b) => compareText(a.keys[0] ?? '', b.keys[0] ?? ''))
}

const MOST = 5

function listed(texts: readonly string[]): string {
  const shown = texts.length <= MOST + 1 ? texts : texts.slice(0, MOST)
  const rest = texts.length - shown.length
  return `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`
}

const quoted = (sets: readonly DesiredSet[]): string => listed(sets.map(({ name }) => `"${name}"`))
