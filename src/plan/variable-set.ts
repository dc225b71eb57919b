import type { DesiredVariable } from '../model/variable-set.ts'
import { assignmentDrafts } from './assignments.ts'
import { preferred, variablesByKey } from './doubles.ts'
import type { Draft } from './draft.ts'
import { changeOf } from './equality.ts'
import { isReplaced, type Match, type Pair } from './match.ts'
import type { Operation } from './operation.ts'
import { removalDraft, replacementDrafts } from './replacement.ts'
import type { SecretStates } from './secrets.ts'
import { SetChange } from './set-change.ts'
import { createDraft } from './whole-set.ts'

/**
 * Every operation that makes the observed sets what the files say, unordered. `narrow`: added variables never travel
 * in an update.
 */
export function diffVariableSets(match: Match, secrets: SecretStates, narrow: boolean): Draft[] {
  return [...match.pairs.flatMap(pair => diffPair(pair, secrets, narrow)), ...apart(match)]
}

/** Deletions, told by id where a declared set, or another one that goes, has the name as well. */
function apart({ pairs, removals }: Match): Draft[] {
  const names = new Set(pairs.map(({ desired }) => desired.name))
  return removals.map(removal => {
    const draft = removalDraft(removal, removals)
    const { name } = draft.operation.subject
    if (removal.replacedBy !== undefined || (!names.has(name) && names.add(name))) return draft
    const label = `${name} (${removal.observed.id})`
    const { operation } = draft
    return {
      ...draft,
      id: `delete-set ${label}`,
      operation: { ...operation, subject: { ...operation.subject, name: label } } as Operation,
    }
  })
}

function diffPair(pair: Pair, secrets: SecretStates, narrow: boolean): Draft[] {
  if (isReplaced(pair)) return replacementDrafts(pair)
  const { desired, observed } = pair
  if (observed === undefined) return [createDraft(desired)]
  const change = new SetChange(desired, observed)
  const { added, drafts } = diffVariables(change, secrets)
  const alone = narrow || (added.length === 1 && !change.settingsDiffer)
  const updates = alone
    ? [...change.update([]), ...added.map(variable => change.create(variable, false))]
    : change.update(added)
  return [...updates, ...drafts, ...assignmentDrafts(change)]
}

/** Drafts for variables that exist, and the ones to add. */
function diffVariables(
  change: SetChange,
  secrets: SecretStates,
): { added: DesiredVariable[]; drafts: Draft[] } {
  const remaining = variablesByKey(change.observed)
  const added: DesiredVariable[] = []
  const drafts: Draft[] = []
  for (const desired of change.desired.variables) {
    const found = preferred(remaining.get(desired.key) ?? [], desired)
    const observed = found[0]
    remaining.delete(desired.key)
    if (found.length > 1) drafts.push(...found.slice(1).map(double => change.remove(double, false, true)))
    if (observed === undefined) {
      if (!('external' in desired.value)) added.push(desired)
      continue
    }
    switch (changeOf(observed, desired)) {
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
  for (const [first, ...doubles] of remaining.values()) {
    if (first !== undefined) drafts.push(change.remove(first, false, false))
    drafts.push(...doubles.map(double => change.remove(double, false, true)))
  }
  return { added, drafts }
}
