import { type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import { serviceNameOf } from '../model/fields.ts'
import { nameOf } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import {
  didYouMean,
  flagWith,
  matchesAny,
  type NamedSet,
  type Selection,
  selects,
  unmatchedPatterns,
  unmatchedSelection,
} from '../model/names.ts'
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
  recognized: ReadonlySet<ResolvedSet> = new Set(),
): Diagnostic[] => {
  const { only, whole } = match
  const isSelected = (set: NamedSet): boolean => only.length === 0 || selects(only, set)
  const there = new Set(observed.sets.flatMap(({ id, name }) => [`id ${id}`, `name ${name}`]))
  const gone = desired.removed.filter(
    ({ id, name }) =>
      !(there.has(`id ${id}`) || there.has(`name ${name}`)) && isSelected({ name: name ?? id ?? '', id }),
  )
  const declared = selectableSets(desired, match)
  const unrenamed = match.pairs.flatMap(({ desired: set, observed: there }) =>
    there === undefined && set.id === undefined && set.previousNames.length > 0 && !recognized.has(set)
      ? set
      : [],
  )
  const candidates =
    gone.length === 0 && unrenamed.length === 0 ? [] : unmanagedNames(desired, match, ownership)
  return [
    ...unrenamed.flatMap(set => misspelledBefore(set, candidates, observed)),
    ...desired.guards.protect.flatMap(pattern => protectsNothing(pattern, [...declared, ...observed.sets])),
    ...unmatchedSets('--only', only, declared, observed.sets),
    ...unmatchedSets('--adopt', adopt, declared, observed.sets),
    ...rewrite.flatMap(pattern => unmatchedSecret(pattern, whole.pairs.map(selectablePair), isSelected)),
    ...gone.map(removed => nothingToRemove(removed, candidates, observed, ownership)),
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
    set.variables
      .filter(({ key }) => asksFor(pattern, set, key))
      .map(({ value }) => ({ set, isSecret: 'secret' in value })),
  )
  const secrets = meant.filter(({ isSecret }) => isSecret)
  if (secrets.some(({ set }) => isSelected(set))) return []
  const error = (known: Iterable<string>, otherwise: string) =>
    unmatchedSelection({ flag: '--rewrite', pattern, of: SECRET, known, otherwise })
  if (secrets.length > 0) return [error([], 'Its set is outside --only. Add the set to --only.')]
  if (meant.length > 0)
    return [error([], 'Only the value of a variable with "secret:" can be written again.')]
  const several = ambiguousPattern(itemAt(pattern.split('/'), 0), '--rewrite', sets)
  return [several ?? error(sets.flatMap(namesOfSecrets), 'Write it as SET, SET/KEY or SET/env/KEY.')]
}

const SECRET = 'secret in the files'

/** Every way to name the secrets of a set, without patterns. */
function namesOfSecrets({
  name,
  id = name,
  variables,
}: SelectableSet & Pick<ResolvedSet, 'variables'>): string[] {
  const keys = variables.flatMap(({ key, value }) => ('secret' in value ? [key] : []))
  if (keys.length === 0) return []
  return [...new Set([name, id])].flatMap(label => [
    label,
    ...keys.flatMap(key => [`${label}/${nameOf(key)}`, `${label}/${key}`]),
  ])
}

/** Names of existing sets that the files do not mention and no other owner lists. */
function unmanagedNames(desired: ResolvedState, match: Match, ownership: Ownership): readonly string[] {
  const declared = new Set(desired.sets.flatMap(set => [serviceNameOf(set), ...set.previousNames]))
  return match.untouched
    .filter(set => !match.unselected.has(set.id) && !declared.has(set.name))
    .filter(set => !ownership.isOfAnotherOwner(set))
    .map(set => set.name)
}

/** A line under `removed` whose set is gone is harmless. Names another set that it may mean, because that one would stay. */
function nothingToRemove(
  removed: RemovedSet,
  candidates: readonly string[],
  observed: ObservedState,
  ownership: Ownership,
): Diagnostic {
  const { source, id = '', name = id } = removed
  const [recorded] = ownership.recordedAs(name)
  const now = observed.sets.find(set => set.id === recorded)?.name
  const near =
    now === undefined
      ? didYouMean(name, candidates)
      : `If it is the set that somebody renamed to "${now}", write its id: removed: [${recorded}]`
  return warning(
    'nothing-to-remove',
    `"${name}" is listed under "removed", but the service has no such set.`,
    ['If it is already gone, remove the line.', ...(near === undefined ? [] : [near])].join(' '),
    source,
  )
}

/** A set is created although it has a previous name, which may be misspelled: then the old set would lose it. */
function misspelledBefore(
  { name, previousNames, source }: ResolvedSet,
  candidates: readonly string[],
  observed: ObservedState,
): Diagnostic[] {
  const absent = previousNames.filter(previous => !observed.sets.some(set => set.name === previous))
  return absent.flatMap(previous => {
    const near = didYouMean(previous, candidates)
    if (near === undefined) return []
    const message = `"${name}" is created, because the service has no set with its previous name "${previous}".`
    return [warning('probable-rename', message, near, source)]
  })
}

/** A misspelled name protects nothing, and nothing else would say so. */
function protectsNothing(pattern: string, sets: readonly NamedSet[]): Diagnostic[] {
  if (sets.some(set => selects([pattern], set))) return []
  const near = didYouMean(
    pattern,
    sets.map(({ name }) => name),
  )
  return [
    warning(
      'unmatched-selection',
      `\`protect\` in setpoint.yaml has ${JSON.stringify(pattern)}, which matches no set.`,
      near ?? 'Correct it, or remove it: it protects nothing.',
    ),
  ]
}

/** A set that a flag can select: by its key in the files, and by its id where that is known. */
export interface SelectableSet extends NamedSet {
  /** Its name in the service, if the key is another. */
  readonly serviceName?: string | undefined
}

/** An error for a pattern that matches names of several sets in the service and no key. */
function ambiguousPattern(
  pattern: string,
  flag: Selection['flag'],
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
    `Use the key or the id of one of them: ${flagWith(flag, first.name)}`,
  )
}

/** Errors for patterns that select no set of the files. `observed`: sets of the service, which are named rightly and exported instead. */
export const unmatchedSets = (
  flag: Selection['flag'],
  patterns: readonly string[],
  sets: readonly SelectableSet[],
  observed: readonly NamedSet[] = [],
): Diagnostic[] =>
  patterns.flatMap(pattern => {
    const [found] = unmatchedPatterns({ flag, of: 'set in the files' }, [pattern], sets)
    if (found === undefined) return []
    const several = ambiguousPattern(pattern, flag, sets)
    if (several !== undefined) return [several]
    if (!observed.some(({ name, id }) => name === pattern || id === pattern)) return [found]
    const hint = `The service has it. To write it into a file: setpoint export ${flagWith('--only', pattern)} --out sets`
    return [{ ...found, hint }]
  })
