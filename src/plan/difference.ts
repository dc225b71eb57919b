import { type SetOwner, settingsOf } from '../model/fields.ts'
import type { DesiredVariable, ObservedSet } from '../model/variable-set.ts'
import {
  assignmentsThen,
  createDraft,
  type Draft,
  deleteDraft,
  globalSlot,
  nameSlot,
  type Slot,
  successorSlot,
} from './draft.ts'
import { changeOf, fileNotEdited, preferred, variablesByKey } from './equality.ts'
import { isReplaced, type Match, type Pair } from './match.ts'
import type { DeleteSet } from './operation.ts'
import type { Block, Step } from './plan.ts'
import type { SecretStates } from './secrets.ts'
import { assignmentDrafts, SetChange } from './set-change.ts'

/**
 * All operations that turn the observed sets into the desired ones, unordered. With `narrow`, an update never carries
 * added variables.
 */
export function diffVariableSets(match: Match, secrets: SecretStates, narrow: boolean): Draft[] {
  return [...match.pairs.flatMap(pair => diffPair(pair, secrets, narrow)), ...removalDrafts(match)]
}

/** Deletions, with the id in the name where another set of the plan has the same name. */
function removalDrafts({ pairs, removals }: Match): Draft[] {
  const uses = new Map<string, number>()
  const named = removals.flatMap(({ observed, replacedBy }) =>
    replacedBy === undefined ? observed.name : [],
  )
  for (const name of [...pairs.map(({ desired }) => desired.name), ...named])
    uses.set(name, (uses.get(name) ?? 0) + 1)
  const leftOvers = new Set<string>()
  return removals.map(({ observed, source, replacedBy }) => {
    const { name, id } = observed
    if (replacedBy === undefined)
      return deleteDraft(observed, source, uses.get(name) === 1 ? name : `${name} (${id})`)
    // A leftover of an unfinished replacement is deleted as that replacement would have done.
    const draft = replacedDraft(replacedBy, observed, source)
    const isSecond = leftOvers.has(replacedBy)
    leftOvers.add(replacedBy)
    return isSecond ? { ...draft, id: `${draft.id} (${id})` } : draft
  })
}

function diffPair(pair: Pair, secrets: SecretStates, narrow: boolean): Draft[] {
  if (isReplaced(pair)) return replacementDrafts(pair)
  const { desired, observed } = pair
  if (observed === undefined) return [createDraft(desired)]
  const change = new SetChange(desired, observed)
  const { added, drafts } = diffVariables(change, secrets)
  const alone = narrow || (added.length === 1 && !change.settingsDiffer)
  const created = alone ? added.map(variable => change.create(variable, false)) : []
  return [...change.update(alone ? [] : added), ...created, ...drafts, ...assignmentDrafts(change)]
}

/** Drafts for existing variables, and the variables to add. */
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

/**
 * A set cannot change its owner (docs/service.md 10.3). A new set is created with the unmanaged assignments of the
 * old one, then the old one is deleted. It is renamed first: the new set may need its name, and the next run has to
 * recognize it.
 */
function replacementDrafts({ desired, observed, aside }: Pair & { readonly observed: ObservedSet }): Draft[] {
  const { name, source } = desired
  const created = createDraft({ ...desired, ...assignmentsThen(desired, observed) })
  const successor = successorSlot(observed.id)
  const moved = { ...observed, name: aside ?? observed.name }
  return [
    ...(aside === undefined ? [] : [asideDraft(name, observed, moved, source)]),
    {
      ...created,
      file: fileNotEdited(desired.variables, observed),
      operation: { ...created.operation, replaces: observed.id },
      releases: [...created.releases, successor],
      acquires: [...created.acquires, ...(aside === undefined ? [] : [nameSlot(observed.name)])],
    },
    {
      ...replacedDraft(name, moved, source),
      acquires: [successor],
      ...(aside && { releases: globals(observed) }),
    },
  ]
}

function asideDraft(name: string, observed: ObservedSet, moved: ObservedSet, source: Draft['source']): Draft {
  const subject = { kind: 'variable-set', name, id: observed.id } as const
  const [before, after] = [settingsOf(observed), settingsOf(moved)]
  return {
    id: `update-set ${name} (aside)`,
    operation: { type: 'update-set', subject, before, after, variables: [] },
    source,
    releases: [nameSlot(observed.name)],
    acquires: [nameSlot(moved.name)],
  }
}

/** Global keys that the old set holds until it is deleted. Its name was released by the rename. */
const globals = ({ global, variables }: ObservedSet): Slot[] =>
  global ? variables.map(({ key }) => globalSlot(key)) : []

/** Deletes the old set, reported under the name of its successor. */
function replacedDraft(name: string, observed: ObservedSet, source: Draft['source']): Draft {
  const draft = deleteDraft(observed, source, name)
  return { ...draft, operation: { ...draft.operation, replaced: true } }
}

/** Blocks a replacement, and names the values that only the old set holds. */
export function guardReplacement(
  { subject, before }: DeleteSet,
  step: Step,
  pair: Pair | undefined,
): Block[] {
  const [from, to] = [ownerText(before), ownerText(pair?.desired ?? {})]
  const who = from === to ? 'another one' : to
  const here = pair !== undefined && !isReplaced(pair)
  const message = here
    ? `"${before.name}" is left over from the replacement of "${subject.name}" and is deleted.`
    : `"${subject.name}" belongs to ${from}, but the file says ${who}. A new set with the same assignments takes its place, and this one is deleted.${from === ORGANIZATION ? '' : HOW_TO_KEEP}`
  const externals = here ? [] : (pair?.desired.variables ?? []).filter(({ value }) => 'external' in value)
  const held = new Set(before.variables.map(({ key }) => key))
  const lost = externals.filter(({ key }) => held.has(key))
  return [
    { code: 'replaces-set', message, source: step.source },
    ...lost.map(({ key, source }): Block => {
      const message = `The value of ${key} in "${subject.name}" is set in the service. The new set has no ${key} until it is set there again.`
      return { code: 'loses-secret', message, source }
    }),
  ]
}

const ORGANIZATION = 'the organization'
const ownerText = ({ parent }: SetOwner): string => (parent === undefined ? ORGANIZATION : 'a project')
const HOW_TO_KEEP = ' To keep the set, write its owner in the service under `project`.'
