import { commandWord, type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import { serviceNameOf } from '../model/fields.ts'
import { nameOf } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import { didYouMean, matchesAny, type NamedSet, patternHint, selects, suggest } from '../model/names.ts'
import type { ObservedState, RemovedSet, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { idIn, type Match, type Pair } from './match.ts'
import type { Ownership } from './ownership.ts'
import { asksFor } from './secret-states.ts'

interface FlagPatterns {
  readonly adopt: readonly string[]
  readonly rewrite: readonly string[]
}

/**
 * Names and ids that match nothing: of sets to select, take over or delete, and of secrets to write again. Not
 * checked after an apply, because deleted sets are gone by then.
 */
export const checkUnmatched = (
  desired: ResolvedState,
  observed: ObservedState,
  match: Match,
  ownership: Ownership,
  { adopt, rewrite }: FlagPatterns,
): Diagnostic[] => {
  const { only, whole } = match
  const isSelected = (set: NamedSet): boolean => only.length === 0 || selects(only, set)
  const there = new Set(observed.sets.flatMap(({ id, name }) => [`id ${id}`, `name ${name}`]))
  const gone = desired.removed.filter(
    ({ id, name }) =>
      !(there.has(`id ${id}`) || there.has(`name ${name}`)) && isSelected({ name: name ?? id ?? '', id }),
  )
  const declared = selectableSets(desired, match)
  const candidates = gone.length === 0 ? [] : unmanagedNames(desired, match, ownership)
  return [
    ...unmatchedPatterns('--only', only, declared, observed.sets),
    // `*` cannot be misspelled.
    ...unmatchedPatterns(
      '--adopt',
      adopt.filter(pattern => pattern !== '*'),
      declared,
      observed.sets,
    ),
    ...rewrite.flatMap(pattern => unmatchedSecret(pattern, whole.pairs.map(selectablePair), isSelected)),
    ...gone.map(removed => nothingToRemove(removed, candidates)),
  ]
}

/** Every set that the files declare or remove, also outside the selection. */
export const selectableSets = (
  { removed }: Pick<ResolvedState, 'removed'>,
  { whole, removals }: Match,
): SelectableSet[] => [
  ...whole.pairs.map(selectablePair),
  ...removed.map(({ name, id }) => ({ name: name ?? id ?? '', id })),
  ...[...whole.removals, ...removals].map(({ observed: { name, id } }) => ({ name, id })),
]

const selectablePair = (pair: Pair) => ({ ...pair.desired, id: idIn(pair) })

function unmatchedSecret(
  pattern: string,
  sets: readonly (SelectableSet & Pick<ResolvedSet, 'variables'>)[],
  isSelected: (set: NamedSet) => boolean,
): Diagnostic[] {
  const meant = sets.flatMap(set =>
    set.variables.filter(({ key }) => asksFor(pattern, set, key)).map(variable => ({ set, variable })),
  )
  const secrets = meant.filter(({ variable }) => 'secret' in variable.value)
  if (secrets.some(({ set }) => isSelected(set))) return []
  const [one] = meant
  const several =
    one === undefined ? ambiguousPattern(itemAt(pattern.split('/'), 0), '--rewrite', sets) : undefined
  if (several !== undefined) return [several]
  const error = (message: string, hint: string): Diagnostic[] => [
    mistake('unmatched-selection', `--rewrite "${pattern}" ${message}`, hint),
  ]
  if (secrets.length > 0) return error('is outside --only.', 'Add the set to --only.')
  if (one !== undefined) {
    const why = 'external' in one.variable.value ? 'set elsewhere' : 'in the file'
    return error(
      `names no secret: the value of "${one.variable.key}" in "${one.set.name}" is ${why}.`,
      'Only the value of a variable with "secret:" can be written again.',
    )
  }
  const near = didYouMean(
    pattern,
    sets.flatMap(set => {
      const keys = set.variables.flatMap(({ key, value }) => ('secret' in value ? [key] : []))
      const labels = [set.name, ...(set.id === undefined ? [] : [set.id])]
      const secrets = (label: string) => [
        label,
        ...keys.flatMap(key => [`${label}/${nameOf(key)}`, `${label}/${key}`]),
      ]
      return keys.length === 0 ? [] : labels.flatMap(secrets)
    }),
  )
  return error('matches no secret in the files.', near ?? 'Write it as SET, SET/KEY or SET/env/KEY.')
}

/** Names of existing sets that the files do not mention and no other owner lists. */
function unmanagedNames(desired: ResolvedState, match: Match, ownership: Ownership): readonly string[] {
  const declared = new Set(desired.sets.flatMap(set => [serviceNameOf(set), ...set.previousNames]))
  return match.untouched
    .filter(set => !match.unselected.has(set.id) && !declared.has(set.name))
    .filter(set => !ownership.isForeign(set))
    .map(set => set.name)
}

/** A line under `removed` whose set is gone is harmless. Names another set that it may mean, because that one would stay. */
function nothingToRemove(removed: RemovedSet, candidates: readonly string[]): Diagnostic {
  const { source, id = '', name = id } = removed
  const near = suggest(name, candidates)
  const guess = near === undefined ? '' : ` Or did you mean "${near}"?`
  return warning(
    'nothing-to-remove',
    `"${name}" is listed under "removed", but the service has no such set.`,
    `If it is already gone, remove the line.${guess}`,
    source,
  )
}

/** A set that a flag can select: by its key in the files, and by its id where that is known. */
export interface SelectableSet extends NamedSet {
  /** Its name in the service, if the key is another. */
  readonly serviceName?: string | undefined
}

/** An error for a pattern that matches names of several sets in the service and no key. */
function ambiguousPattern(
  pattern: string,
  flag: string,
  sets: readonly SelectableSet[],
): Diagnostic | undefined {
  const meant = sets.filter(
    ({ serviceName }) => serviceName !== undefined && matchesAny([pattern], serviceName),
  )
  const [first] = meant
  if (first === undefined) return undefined
  const names = meant.map(({ name, id }) => `"${name}"${id === undefined ? '' : ` (${id})`}`)
  return mistake(
    'ambiguous-set',
    `${flag} "${pattern}" is the name of ${meant.length} sets in the files: ${names.join(', ')}.`,
    `Use the key or the id of one of them: ${flag} ${commandWord(first.name)}`,
  )
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
  const named = sets.find(({ name, serviceName = name }) => serviceName === live.name)
  return named === undefined
    ? `The service has "${live.name}" under this id, and the files do not declare it.`
    : `The service has "${live.name}" under this id. If "${named.name}" of the files means that set, write "id: ${pattern}" in it.`
}
