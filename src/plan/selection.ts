import { commandWord, type Diagnostic } from '../model/diagnostic.ts'
import { matchesAny, type NamedSet, patternHint, selects } from '../model/names.ts'
import type { ResolvedSet } from '../model/variable-set.ts'

/** A set that a flag can select: by its key in the files, and by its id where that is known. */
export interface SelectableSet extends NamedSet {
  /** Its name in the service, where the key is another. */
  readonly called?: string | undefined
}

/** An error for a pattern that matches names of several sets in the service and no key. */
export function ambiguousPattern(
  pattern: string,
  flag: string,
  sets: readonly SelectableSet[],
): Diagnostic | undefined {
  const meant = sets.filter(({ called }) => called !== undefined && matchesAny([pattern], called))
  if (meant.length === 0) return undefined
  return {
    severity: 'error',
    code: 'ambiguous-set',
    message: `${flag} "${pattern}" is the name of ${meant.length} sets in the files: ${meant.map(({ name, id }) => `"${name}"${id === undefined ? '' : ` (${id})`}`).join(', ')}.`,
    hint: `Use the key or the id of one of them: ${flag} ${commandWord(meant[0]?.name ?? '')}`,
  }
}

/** Two declarations with one name and one owner. Only here projects are compared by id. */
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
            message: `The set "${set.called}" of this project is already declared at ${other.source.path}:${other.source.line}.`,
            hint: 'Merge the two, or rename one.',
            source: set.source,
          },
        ]
  })
}

/** Errors for patterns that select no set. `observed` serves to explain ids that the files do not declare. */
export function unmatchedPatterns(
  flag: '--only' | '--adopt' | '--update',
  patterns: readonly string[],
  sets: readonly SelectableSet[],
  observed: readonly NamedSet[] = [],
): Diagnostic[] {
  return patterns
    .filter(pattern => !sets.some(set => selects([pattern], set)))
    .map(
      pattern =>
        ambiguousPattern(pattern, flag, sets) ?? {
          severity: 'error',
          code: 'unmatched-selection',
          message: `${flag} "${pattern}" matches no set in the files.`,
          hint: hintFor(pattern, sets, observed),
        },
    )
}

function hintFor(pattern: string, sets: readonly SelectableSet[], observed: readonly NamedSet[]): string {
  const live = observed.find(({ id }) => id === pattern)
  if (live === undefined) return patternHint(pattern, sets)
  const named = sets.find(({ name, called = name }) => called === live.name)
  return named === undefined
    ? `The service has "${live.name}" under this id, and the files do not declare it.`
    : `The service has "${live.name}" under this id. If "${named.name}" of the files means that set, write "id: ${pattern}" in it.`
}
