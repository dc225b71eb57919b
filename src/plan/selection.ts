import { commandWord, type Diagnostic, mistake } from '../model/diagnostic.ts'
import { matchesAny, type NamedSet, patternHint, selects } from '../model/names.ts'
import type { ResolvedSet } from '../model/variable-set.ts'

/** A set that a flag can select: by its key in the files, and by its id where that is known. */
export interface SelectableSet extends NamedSet {
  /** Its name in the service, if the key is another. */
  readonly called?: string | undefined
}

/** An error for a pattern that matches names of several sets in the service and no key. */
export function ambiguousPattern(
  pattern: string,
  flag: string,
  sets: readonly SelectableSet[],
): Diagnostic | undefined {
  const meant = sets.filter(({ called }) => called !== undefined && matchesAny([pattern], called))
  const [first] = meant
  if (first === undefined) return undefined
  const names = meant.map(({ name, id }) => `"${name}"${id === undefined ? '' : ` (${id})`}`)
  return mistake(
    'ambiguous-set',
    `${flag} "${pattern}" is the name of ${meant.length} sets in the files: ${names.join(', ')}.`,
    `Use the key or the id of one of them: ${flag} ${commandWord(first.name)}`,
  )
}

/** Two declarations with one name and one owner. Only here projects are compared by id. */
export function duplicateSets(sets: readonly ResolvedSet[]): Diagnostic[] {
  const seen = new Map<string, ResolvedSet>()
  return sets.flatMap(set => {
    if (set.called === undefined) return []
    const place = `${set.parent ?? ''} ${set.called}`
    const other = seen.get(place)
    if (other !== undefined)
      return mistake(
        'duplicate-set',
        `The set "${set.called}" of this project is already declared at ${other.source.path}:${other.source.line}.`,
        'Merge the two, or rename one.',
        set.source,
      )
    seen.set(place, set)
    return []
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
        ambiguousPattern(pattern, flag, sets) ??
        mistake(
          'unmatched-selection',
          `${flag} "${pattern}" matches no set in the files.`,
          hintFor(pattern, sets, observed),
        ),
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
