import { type SetOwner, settingsOf } from '../model/fields.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import { isReplaced, type Match, type Pair, type Removal } from './match.ts'
import type { DeleteSet } from './operation.ts'
import type { Block, Step } from './plan.ts'
import { globalSlot, nameSlot, type Slot, successorSlot } from './slots.ts'
import { assignmentsThen, createDraft, deleteDraft } from './whole-set.ts'

/**
 * Another owner takes another set (docs/service.md 10.3): the new one comes, with the assignments that the files leave alone, and
 * then the old one goes. Before that it gets a name of its own: theirs may be one, and the next run has to know it.
 */
export function replacementDrafts({
  desired,
  observed,
  aside,
}: Pair & { readonly observed: ObservedSet }): Draft[] {
  const { name, source } = desired
  const created = createDraft({ ...desired, ...assignmentsThen(desired, observed) })
  const successor = successorSlot(observed.id)
  const moved = { ...observed, name: aside ?? observed.name }
  return [
    ...(aside === undefined ? [] : [asideDraft(name, observed, moved, source)]),
    {
      ...created,
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
  return {
    id: `update-set ${name} (aside)`,
    operation: {
      type: 'update-set',
      subject,
      before: settingsOf(observed),
      after: settingsOf(moved),
      variables: [],
    },
    ...(source === undefined ? {} : { source }),
    releases: [nameSlot(observed.name)],
    acquires: [nameSlot(moved.name)],
  }
}

/** What the old set holds until it goes, its name aside: that was free before. */
const globals = ({ global, variables }: ObservedSet): Slot[] =>
  global ? variables.map(({ key }) => globalSlot(key)) : []

/** Deletes the old set, under the name of the one that takes its place. */
function replacedDraft(name: string, observed: ObservedSet, source: Draft['source']): Draft {
  // Nothing is withdrawn: the new set gives it, and has come before.
  const { operation, id: _, withdraws: __, ...rest } = deleteDraft(observed, source)
  return {
    ...rest,
    id: `delete-set ${name}`,
    operation: { ...operation, subject: { ...operation.subject, name }, replaced: true },
  }
}

/** What is left of a replacement that ended half way goes as it would have gone. */
export function removalDraft(removal: Removal, all: readonly Removal[]): Draft {
  const { observed, source, replacedBy } = removal
  if (replacedBy === undefined) return deleteDraft(observed, source)
  const draft = replacedDraft(replacedBy, observed, source)
  const isFirst = all.find(other => other.replacedBy === replacedBy) === removal
  return isFirst ? draft : { ...draft, id: `${draft.id} (${observed.id})` }
}

/** What only the old set has goes with it: values that are set elsewhere, and variables that files do not have. */
export function guardReplacement({ subject, before }: DeleteSet, step: Step, { pairs }: Match): Block[] {
  const pair = pairs.find(({ desired }) => desired.name === subject.name)
  const [from, to] = [ownerText(before), ownerText(pair?.desired ?? {})]
  const who = from === to ? 'another one' : to
  const here = pair !== undefined && !isReplaced(pair)
  const message = here
    ? `"${before.name}" is what a replacement left of "${subject.name}": it is deleted.`
    : `"${subject.name}" belongs to ${from}; the file says ${who}: a new set takes its place with its assignments, and this one is deleted.${from === ORGANIZATION ? '' : HOW_TO_KEEP}`
  const externals = here ? [] : (pair?.desired.variables ?? []).filter(({ value }) => 'external' in value)
  const held = new Map(before.variables.map(({ key, value }) => [key, value]))
  const lost = externals.flatMap(({ key, source }): Block[] =>
    held.has(key)
      ? [
          {
            code: 'loses-secret',
            message: `"${subject.name}" holds ${key}, whose value is set elsewhere: the new set has no ${key} until it is set there again.`,
            source,
          },
        ]
      : [],
  )
  return [{ code: 'replaces-set', message, ...(step.source && { source: step.source }) }, ...lost]
}

const ORGANIZATION = 'the organization'
const ownerText = ({ parent }: SetOwner): string => (parent === undefined ? ORGANIZATION : 'a project')
const HOW_TO_KEEP = ' To keep it, write `project` as the service has it.'
