import type { SourceRange } from '../model/diagnostic.ts'
import { fieldsOf, ownerOf, type SetSettings, settingsOf } from '../model/fields.ts'
import {
  type Assignments,
  assignmentsOf,
  listsOf,
  type TargetLists,
  type VariableKey,
  type VariableSetId,
} from '../model/ids.ts'
import type { ObservedSet, ResolvedSet, Variable } from '../model/variable-set.ts'
import { Graph } from './graph.ts'
import type { CreateSet, DeleteSet, Operation, OperationId, UpdateSet } from './operation.ts'

/** What an operation gives up, and what it needs. */
export interface Slots {
  readonly releases: readonly Slot[]
  readonly acquires: readonly Slot[]
}

/** What an update sends: the name of the set, its other settings, variables to add. */
export type PartName = 'name' | 'place' | 'variables'

/** An operation with its slots. Exists only while planning. */
export interface Draft extends Slots {
  readonly id: OperationId
  readonly operation: Operation
  readonly source?: SourceRange
  readonly file?: string
  /** The slots of each part of an update, which may be sent as two narrower requests. */
  readonly parts?: { readonly [P in PartName]?: Slots }
}

/** Something that only one object may hold at a time. Whoever acquires a slot waits for whoever releases it. */
export type Slot = string

/** At no moment may two global sets hold one key (docs/service.md 1.2). */
export const globalSlot = (key: VariableKey): Slot => `global/${key}`
/** A replaced variable is deleted before it is created. */
export const keySlot = (set: VariableSetId, key: VariableKey): Slot => `key/${set}/${key}`
/** A set stops being global before all its other changes, and becomes global after them. */
export const scopeSlot = (set: VariableSetId): Slot => `scope/${set}`
/** A replaced set is deleted after its successor was created. */
export const successorSlot = (set: VariableSetId): Slot => `successor/${set}`
/**
 * Names are compared without case, because the interface does not say how a service compares them and waiting is
 * harmless.
 */
export const nameSlot = (name: string): Slot => `name/${name.normalize('NFC').trim().toLowerCase()}`

/** How the scope of an observed set changes in a plan. */
export type ScopeChange = 'leaves-global' | 'becomes-global' | 'stays-global' | 'not-global'

export function scopeChange(before: { global: boolean }, after: { global: boolean }): ScopeChange {
  if (before.global) return after.global ? 'stays-global' : 'leaves-global'
  return after.global ? 'becomes-global' : 'not-global'
}

/** A variable without its place in a file: a plan compares what is done, not where it is written. */
export const definitionOf = <V>(variable: Variable<V>): Variable<V> => ({
  key: variable.key,
  value: variable.value,
  ...fieldsOf(variable),
})

/** One POST creates the whole set (docs/service.md 4.1). An `external` variable is never created. */
export function createDraft(set: ResolvedSet): Draft & { readonly operation: CreateSet } {
  const after = {
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.filter(variable => !('external' in variable.value)).map(definitionOf),
    ...filled(set),
  }
  return {
    id: `create-set ${set.name}`,
    operation: { type: 'create-set', subject: { kind: 'variable-set', name: set.name }, after },
    source: set.source,
    releases: [],
    acquires: [
      nameSlot(after.name),
      ...(set.global ? after.variables.map(variable => globalSlot(variable.key)) : []),
    ],
  }
}

/** A set without `source` is pruned. `name`: what reports call it. */
export function deleteDraft(
  set: ObservedSet,
  source: SourceRange | undefined,
  name: string,
): Draft & { readonly operation: DeleteSet } {
  const before = {
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.map(definitionOf),
    ...filled(set),
    others: set.others,
  }
  return {
    id: `delete-set ${name}`,
    operation: { type: 'delete-set', subject: { kind: 'variable-set', name, id: set.id }, before },
    source,
    releases: [
      nameSlot(set.name),
      ...(set.global ? before.variables.map(variable => globalSlot(variable.key)) : []),
    ],
    acquires: [],
  }
}

/** Leaves out an empty list of Stacks, so that the digest is the same on services without Stacks. */
const filled = (lists: TargetLists): Assignments =>
  assignmentsOf(listsOf(kind => (lists[kind]?.length === 0 ? undefined : lists[kind])))

/** The assignments after the apply. Those that the files do not manage stay. */
export const assignmentsThen = (desired: TargetLists, observed: TargetLists | undefined): Assignments =>
  filled(listsOf(kind => desired[kind] ?? observed?.[kind]))

/** Whoever acquires a slot waits for whoever releases it. */
export function slotGraph(drafts: readonly Slots[]): Graph {
  const graph = new Graph(drafts.length)
  const releasedBy = new Map<Slot, number[]>()
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.releases) {
      const others = releasedBy.get(slot)
      if (others === undefined) releasedBy.set(slot, [node])
      else others.push(node)
    }
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.acquires)
      for (const releaser of releasedBy.get(slot) ?? []) graph.add(releaser, node)
  return graph
}

/** A draft, or some parts of a split update. The operation of a part is settled once it is known which comes first. */
export interface DraftPart extends Draft {
  readonly sends?: readonly PartName[]
}

/** An update as two requests. */
export type Halves = readonly [readonly PartName[], readonly PartName[]]

/** In which ways an update can be split: its name alone, or its variables alone. */
export function splitsOf({ parts, sends }: Pick<DraftPart, 'parts' | 'sends'>): Halves[] {
  if (parts === undefined || sends !== undefined) return []
  const names = namesOf(parts)
  const without = (name: PartName) => names.filter(other => other !== name)
  if (names.length < 2) return []
  const apart: Halves[] = []
  if (parts.name !== undefined) apart.push([['name'], without('name')])
  if (parts.variables !== undefined && (parts.name === undefined || names.length > 2))
    apart.push([without('variables'), ['variables']])
  return apart
}

export const namesOf = (parts: NonNullable<Draft['parts']>): PartName[] =>
  (['name', 'place', 'variables'] as const).filter(name => parts[name] !== undefined)

/** Some parts of an update. One without the name and the variables, or with more than them, keeps the id. */
export function partOf(draft: DraftPart, sends: readonly PartName[]): DraftPart {
  const [only] = sends
  const label = sends.length === 1 && (only === 'name' || only === 'variables') ? only : undefined
  return {
    ...draft,
    ...slotsOf(sends.flatMap(name => draft.parts?.[name] ?? [])),
    id: label === undefined ? draft.id : `${draft.id} (${label})`,
    sends,
    operation:
      draft.operation.type === 'update-set'
        ? sent(draft.operation, sends, draft.operation.before)
        : draft.operation,
  }
}

/** The slots of several parts as those of one request. */
export const slotsOf = (all: readonly Slots[]): Slots => ({
  releases: all.flatMap(({ releases }) => releases),
  acquires: all.flatMap(({ acquires }) => acquires),
})

/**
 * Fills in what each half sends. An update always sends all four settings, so the second half has to include what the
 * first one changed. The order of the halves becomes an edge of the graph.
 */
export function settle(parts: readonly DraftPart[], graph: Graph, order: readonly number[]): Draft[] {
  const settled = [...parts]
  const firstHalf = new Map<string, { readonly node: number; readonly after: SetSettings }>()
  for (const node of order) {
    const part = parts[node]
    if (part?.sends === undefined || part.operation.type !== 'update-set') continue
    const { subject } = part.operation
    const first = firstHalf.get(subject.id)
    if (first !== undefined) graph.add(first.node, node)
    const operation = sent(part.operation, part.sends, first?.after ?? part.operation.before)
    firstHalf.set(subject.id, { node, after: operation.after })
    settled[node] = { ...part, operation }
  }
  return settled
}

/** What these parts of an update send, if the set has the settings `before`. */
function sent(whole: UpdateSet, sends: readonly PartName[], before: SetSettings): UpdateSet {
  const { name, ...place } = whole.after
  return {
    ...whole,
    before,
    after: {
      ...before,
      ...(sends.includes('name') ? { name } : {}),
      ...(sends.includes('place') ? place : {}),
    },
    variables: sends.includes('variables') ? whole.variables : [],
  }
}
