import { compareText } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { VariableKey } from '../model/ids.ts'
import { append, grouped, itemAt, shortList } from '../model/lists.ts'
import { matchesPattern } from '../model/names.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import type { WrittenText } from './setpoint-file.ts'

/**
 * Warns at each set that lacks keys that others of its family have, such as a key that was forgotten in production. Keys of bases
 * count, and `env` and `terraform` are separate. The sets that match a pattern are a family; all families together may have `most` variables. `open`: sets with keys that
 * are not known, which are skipped.
 */
export function checkSameKeys(
  patterns: readonly WrittenText[],
  sets: readonly DesiredSet[],
  most: number,
  findings: Findings,
  open: ReadonlySet<DesiredSet> = new Set(),
): void {
  let looked = 0
  for (const { text: pattern, source } of new Map(patterns.map(one => [one.text, one])).values()) {
    const family = sets.filter(set => matchesPattern(pattern, set.name))
    looked += family.reduce((sum, { variables }) => sum + variables.length, 0)
    if (looked > most) {
      findings.error(
        'file-limit',
        source,
        `The patterns of \`same-keys\` match sets with more than ${most} variables in total.`,
        'Make them narrower, so that fewer sets match more than one.',
      )
      return
    }
    if (family.length === 0)
      findings.warning(
        'same-keys',
        source,
        `No set matches the pattern "${pattern}" of \`same-keys\`.`,
        'Write a pattern that matches whole names, with `*` for any text.',
      )
    else
      checkFamily(
        pattern,
        family.filter(set => !open.has(set)),
        findings,
      )
  }
}

function checkFamily(pattern: string, family: readonly DesiredSet[], findings: Findings): void {
  const groups = groupsOf(family)
  const keys = groups.reduce((sum, group) => sum + group.keys.length, 0)
  for (const set of family) {
    const own = new Set(set.variables.map(({ key }) => key))
    const lacks = firstLacking(groups, own)
    const found =
      lacks.length > MOST
        ? [
            `has no ${listed(
              lacks.flatMap(group => group.keys.slice(0, MOST + 1)),
              keys - own.size,
            )}, which other sets have`,
          ]
        : lacks.map(
            ({ keys, having }) =>
              `has no ${listed(keys)}, but ${quoted(having)} ${having.length === 1 ? 'has' : 'have'}`,
          )
    for (const words of found)
      findings.warning(
        'same-keys',
        set.source,
        `"${set.name}" ${words}.`,
        `Add what is missing, or make the pattern narrower. \`same-keys\` requires sets that match "${pattern}" to have the same keys.`,
      )
  }
}

/** Keys that the same sets have: a set has all keys of a group, or none. */
interface KeyGroup {
  readonly keys: readonly VariableKey[]
  readonly having: readonly DesiredSet[]
}

/** Sorted by their first keys. */
function groupsOf(family: readonly DesiredSet[]): readonly KeyGroup[] {
  const holders = new Map<VariableKey, DesiredSet[]>()
  const numbers = new Map(family.map((set, number) => [set, number]))
  for (const set of family)
    for (const key of new Set(set.variables.map(({ key }) => key))) append(holders, key, set)
  const groups = grouped(holders, ([, sets]) => sets.map(set => numbers.get(set)).join())
  return [...groups.values()]
    .map(same => ({ keys: same.map(([key]) => key).sort(compareText), having: same[0][1] }))
    .sort((a, b) => compareText(itemAt(a.keys, 0), itemAt(b.keys, 0)))
}

/** At most one more than is listed singly, so that it ends early. */
function firstLacking(groups: readonly KeyGroup[], own: ReadonlySet<VariableKey>): readonly KeyGroup[] {
  const lacking: KeyGroup[] = []
  for (const group of groups) {
    if (!own.has(itemAt(group.keys, 0))) lacking.push(group)
    if (lacking.length > MOST) break
  }
  return lacking
}

const MOST = 5

const listed = (texts: readonly string[], count = texts.length): string =>
  shortList(texts, count <= MOST + 1 ? count : MOST, count)

const quoted = (sets: readonly DesiredSet[]): string =>
  listed(
    sets.slice(0, MOST + 1).map(({ name }) => `"${name}"`),
    sets.length,
  )
