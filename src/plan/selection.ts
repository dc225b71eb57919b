import { commandWord, type Diagnostic } from '../model/diagnostic.ts'
import { matchesAny, patternHint } from '../model/names.ts'
import type { ResolvedSet, ResolvedState } from '../model/variable-set.ts'

/** A pattern that means names of several declared sets, and no key of theirs. */
export function ambiguousPattern(
  pattern: string,
  flag: string,
  sets: readonly Pick<ResolvedSet, 'name' | 'called' | 'id'>[],
): Diagnostic | undefined {
  const meant = sets.filter(({ called }) => called !== undefined && matchesAny([pattern], called))
  if (meant.length === 0) return undefined
  return {
    severity: 'error',
    code: 'ambiguous-set',
    message: `${flag} "${pattern}" is the name of ${meant.length} sets of the files: ${meant.map(({ name, id }) => `"${name}"${id === undefined ? '' : ` (${id})`}`).join(', ')}.`,
    hint: `Say which one by its key in the files: ${flag} ${commandWord(meant[0]?.name ?? '')}`,
  }
}

/** Projects may be written by name and by id: only here it shows that two are one. */
export function duplicateSets(sets: readonly ResolvedSet[]): Diagnostic[] {
  const seen = new Map<string, ResolvedSet>()
  return sets.flatMap((set): Diagnostic[] => {
    if (set.called === undefined) return []
    const place = `${set.parent ?? ''} ${set.called}`
    const other = seen.get(place)
    if (other === undefined) seen.set(place, set)
    return other === undefined
      ? []
      : [
          {
            severity: 'error',
            code: 'duplicate-set',
            message: `the set "${set.called}" of this project is already declared at ${other.source.path}:${other.source.line}`,
            hint: 'Merge the two, or rename one.',
            source: set.source,
          },
        ]
  })
}

/** Patterns of a flag that mean no set which the files declare or remove; `removed`: names of sets that they remove by id. */
export function unmatchedPatterns(
  flag: '--only' | '--adopt',
  patterns: readonly string[],
  desired: ResolvedState,
  removed: readonly string[] = [],
): Diagnostic[] {
  const names = [
    ...desired.sets.map(set => set.name),
    ...desired.removed.map(set => set.name ?? set.id ?? ''),
    ...removed,
  ]
  return patterns
    .filter(pattern => !names.some(name => matchesAny([pattern], name)))
    .map(pattern => {
      const several = ambiguousPattern(pattern, flag, desired.sets)
      if (several !== undefined) return several
      return {
        severity: 'error',
        code: 'unmatched-selection',
        message: `${flag} "${pattern}" matches no set of the files.`,
        hint: patternHint(pattern, names),
      }
    })
}
