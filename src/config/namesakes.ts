import type { Findings } from '../model/findings.ts'
import type { DesiredSet } from '../model/variable-set.ts'

const ownerIn = ({ project }: DesiredSet): string =>
  project === undefined ? '' : 'id' in project ? `id ${project.id}` : `name ${project.name}`

export const sameOwnerIn = (sets: readonly DesiredSet[], set: DesiredSet): DesiredSet | undefined =>
  sets.find(other => ownerIn(other) === ownerIn(set))

/** Several sets of one name are told by their keys (docs/owners.md). */
export function checkKeys(named: readonly (readonly DesiredSet[])[], findings: Findings): void {
  if (named.every(sets => sets.length === 1)) return
  const holders = new Map<string, DesiredSet>()
  for (const sets of named.toSorted((a, b) => a.length - b.length))
    for (const set of sets) {
      const label = sets.length === 1 ? set.name : (set.key ?? set.name)
      const other = holders.get(label)
      if (other === undefined) holders.set(label, set)
      else
        findings.error(
          'duplicate-set',
          set.source,
          `the key "${label}" stands for another set at ${other.source.path}:${other.source.line}`,
          `Sets of one name and several owners are told by their keys: choose another key, and write \`name: ${set.name}\` beside it.`,
        )
    }
}

/** Sets of one name are called by their keys from here on; what the service calls them stands beside it. */
export function labelled(sets: DesiredSet[]): DesiredSet[] {
  const counts = new Map<string, number>()
  for (const { name } of sets) counts.set(name, (counts.get(name) ?? 0) + 1)
  return sets.map(set => {
    if (counts.get(set.name) === 1 && set.key === undefined) return set
    const { key = set.name, ...rest } = set
    return counts.get(set.name) === 1 ? rest : { ...rest, name: key, called: set.name }
  })
}
