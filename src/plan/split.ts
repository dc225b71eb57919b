import type { SetSettings } from '../model/fields.ts'
import type { Draft, PartName, Slots } from './draft.ts'
import type { Graph } from './graph.ts'
import type { UpdateSet } from './operation.ts'

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
