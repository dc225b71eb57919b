import { serviceNameOf } from '../model/fields.ts'
import type { ObservedSet, ObservedVariable, ResolvedSet } from '../model/variable-set.ts'
import { createDraft, type Draft, deleteDraft, nameSlot } from './draft.ts'
import { variablePairs, variablesByKey } from './equality.ts'
import { hasOtherOwner, type Match, type Pair, removalNames } from './match.ts'
import type { SecretStates } from './secret-states.ts'
import { assignmentDrafts, SetChange } from './set-change.ts'

/** All operations that turn the observed sets into the desired ones, unordered. */
export function diffVariableSets(
  match: Pick<Match, 'pairs' | 'removals'>,
  secrets: Pick<SecretStates, 'of'>,
): Draft[] {
  const nameOf = removalNames(match)
  const declared = new Set(match.pairs.map(({ desired }) => nameSlot(serviceNameOf(desired))))
  const takenOver = ({ previousNames }: ResolvedSet) =>
    previousNames.filter(name => !declared.has(nameSlot(name)))
  return [
    ...match.pairs.flatMap(pair =>
      pair.observed === undefined
        ? createDraft(pair.desired, takenOver(pair.desired))
        : diffPair(pair, pair.observed, secrets),
    ),
    ...match.removals.map(({ observed, source }) => deleteDraft(observed, source, nameOf(observed))),
  ]
}

function diffPair(pair: Pair, observed: ObservedSet, secrets: Pick<SecretStates, 'of'>): Draft[] {
  // Only the base of a change can have such a pair. For anything else it is an error.
  if (hasOtherOwner(pair)) return []
  const change = new SetChange(pair.desired, observed)
  return [...change.update(), ...diffVariables(change, pair, secrets), ...assignmentDrafts(change)]
}

function diffVariables(change: SetChange, pair: Pair, secrets: Pick<SecretStates, 'of'>): Draft[] {
  const isLeft = ({ id }: ObservedVariable) => pair.left?.duplicates.has(id) === true
  const remaining = variablesByKey(change.observed)
  const drafts: Draft[] = []
  const duplicatesOf = (some: readonly ObservedVariable[]) => some.map(one => change.remove(one, false, true))
  for (const { desired, observed, duplicates, change: needed } of variablePairs(pair)) {
    remaining.delete(desired.key)
    drafts.push(...duplicatesOf(duplicates.filter(one => !isLeft(one))))
    if (observed === undefined) {
      if (!('external' in desired.value)) drafts.push(change.create(desired, false))
      continue
    }
    switch (needed) {
      case 'none': {
        const state = 'secret' in desired.value ? secrets.of(change.desired.name, desired.key) : undefined
        if (state?.state === 'write') drafts.push(change.modify(observed, desired, state.reason))
        break
      }
      case 'update':
        drafts.push(change.modify(observed, desired))
        break
      case 'replace':
        drafts.push(change.remove(observed, true, false), change.create(desired, true))
        break
    }
  }
  for (const [first, ...duplicates] of remaining.values()) {
    if (first !== undefined) drafts.push(change.remove(first, false, false))
    drafts.push(...duplicatesOf(duplicates))
  }
  return drafts
}
