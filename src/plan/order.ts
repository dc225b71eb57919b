import { type Draft, EVERYWHERE, type Slot, type VariablesAt } from './draft.ts'
import { Graph } from './graph.ts'
import type { UpdateSet } from './operation.ts'
import type { Step } from './plan.ts'

/** Ordered steps, or the drafts of a cycle that cannot be broken. */
type Ordered = { readonly steps: readonly Step[] } | { readonly cycle: readonly Draft[] }

/**
 * The whole rule: whoever acquires a slot waits for whoever releases it. A request that does both can close a cycle;
 * then two narrower requests replace it. A cycle that remains cannot be ordered.
 */
export function orderSteps(drafts: readonly Draft[]): Ordered {
  let parts: readonly DraftPart[] = drafts
  for (;;) {
    const graph = slotGraph(parts)
    const sorted = graph.sort()
    if ('order' in sorted) return { steps: toSteps(parts, graph, sorted.order) }
    const cycle = sorted.cycle.flatMap(node => parts[node] ?? [])
    const splittable = cycle.find(part => part.split !== undefined)
    if (splittable === undefined) return { cycle }
    parts = parts.flatMap(part => (part === splittable ? splitDraft(part) : [part]))
  }
}

function toSteps(parts: readonly DraftPart[], graph: Graph, order: readonly number[]): Step[] {
  const settled = settle(parts, graph, order)
  addSoftEdges(settled, graph)
  const sorted = graph.sort()
  const final = 'order' in sorted ? sorted.order : order
  return final.flatMap(node => {
    const draft = settled[node]
    if (draft === undefined) return []
    const after = graph.before(node).flatMap(earlier => settled[earlier]?.id ?? [])
    const { id, operation, source, file } = draft
    return [{ id, operation, after: after.toSorted(), source, file }]
  })
}

function slotGraph(drafts: readonly Draft[]): Graph {
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

/** A draft, or one half of a split draft. */
interface DraftPart extends Draft {
  readonly sends?: 'name' | 'rest'
}

/** The two halves of an update: its name, and everything else. A half that would change nothing is left out. */
function splitDraft(draft: DraftPart): DraftPart[] {
  const { split, operation, provides: _, withdraws: __, ...common } = draft
  if (split === undefined || operation.type !== 'update-set') return [draft]
  const name: DraftPart = { ...common, operation, ...split.name, sends: 'name', id: `${draft.id} (name)` }
  return changesMoreThanName(operation)
    ? [name, { ...common, operation, ...split.rest, sends: 'rest' }]
    : [{ ...name, id: draft.id }]
}

const changesMoreThanName = ({ before, after, variables }: UpdateSet): boolean =>
  variables.length > 0 ||
  before.description !== after.description ||
  before.global !== after.global ||
  before.priority !== after.priority

/**
 * Fills in what each half sends. An update always sends all four settings, so the second half has to include what the
 * first one changed. The order of the halves becomes an edge of the graph.
 */
function settle(parts: readonly DraftPart[], graph: Graph, order: readonly number[]): Draft[] {
  const settled = [...parts]
  const firstHalf = new Map<string, number>()
  for (const node of order) {
    const part = parts[node]
    if (part?.sends === undefined || part.operation.type !== 'update-set') continue
    const first = firstHalf.get(part.operation.subject.id)
    firstHalf.set(part.operation.subject.id, node)
    if (first !== undefined) graph.add(first, node)
    settled[node] = { ...part, operation: halfOf(part.operation, part.sends, first !== undefined) }
  }
  return settled
}

function halfOf(whole: UpdateSet, sends: 'name' | 'rest', second: boolean): UpdateSet {
  const { before, after } = whole
  if (sends === 'name') {
    const start = second ? { ...after, name: before.name } : before
    return { ...whole, before: start, after: { ...start, name: after.name }, variables: [] }
  }
  const name = second ? after.name : before.name
  return { ...whole, before: { ...before, name }, after: { ...after, name } }
}

/**
 * Limits of soft edges and of the work to find them, about half a second. They are optional, and a plan of any size
 * has to finish in time.
 */
const MAX_SOFT_EDGES = 200_000
const MAX_COMPARISONS = 20_000_000

/**
 * Make before break: a workspace gets a variable from one set before it loses the same variable from another. Such an
 * edge is optional and is left out if it would close a cycle.
 */
function addSoftEdges(drafts: readonly Draft[], graph: Graph): void {
  if (drafts.every(({ withdraws }) => withdraws === undefined)) return
  const givers = new ProviderIndex(
    drafts.flatMap(({ provides }, node) =>
      provides === undefined || provides.targets.length === 0 ? [] : [{ node, reach: provides }],
    ),
  )
  let added = 0
  const isTooMuch = () => added >= MAX_SOFT_EDGES || givers.looked + graph.looked > MAX_COMPARISONS
  for (const [node, draft] of drafts.entries()) {
    if (draft.withdraws === undefined) continue
    if (isTooMuch()) return
    for (const provider of givers.of(draft.withdraws)) {
      if (isTooMuch()) return
      if (drafts[provider]?.operation.subject.name === draft.operation.subject.name) continue
      if (graph.waitsFor(provider, node)) continue
      graph.add(provider, node)
      added++
    }
  }
}

interface Provider {
  readonly node: number
  readonly reach: VariablesAt
}

/** Indexes providers by key and by target, and searches the shorter list. */
class ProviderIndex {
  looked = 0
  readonly #all: readonly Provider[]
  readonly #byKey: ReadonlyMap<string, readonly Provider[]>
  readonly #byTarget: ReadonlyMap<string, readonly Provider[]>

  constructor(providers: readonly Provider[]) {
    this.#all = providers
    this.#byKey = indexed(providers, ({ keys }) => keys)
    this.#byTarget = indexed(providers, ({ targets }) => targets)
  }

  /** Providers of one of the keys at one of the targets. */
  *of({ keys, targets }: VariablesAt): Iterable<number> {
    const isEverywhere = targets.includes(EVERYWHERE)
    const giving = keys.map(key => this.#byKey.get(key) ?? [])
    const near = isEverywhere
      ? [this.#all]
      : [...targets, EVERYWHERE].map(target => this.#byTarget.get(target) ?? [])
    const isByKey = sizeOf(giving) <= sizeOf(near)
    const wanted = new Set<string>(isByKey ? [...targets, EVERYWHERE] : keys)
    const met = new Set<number>()
    for (const { node, reach } of (isByKey ? giving : near).flat()) {
      this.looked++
      if (met.has(node)) continue
      met.add(node)
      const rest = isByKey ? reach.targets : reach.keys
      if ((isByKey && isEverywhere) || this.#meets(rest, wanted)) yield node
    }
  }

  #meets(names: readonly string[], wanted: ReadonlySet<string>): boolean {
    const at = names.findIndex(name => wanted.has(name))
    this.looked += at < 0 ? names.length : at
    return at >= 0
  }
}

const sizeOf = (lists: readonly (readonly Provider[])[]): number =>
  lists.reduce((sum, list) => sum + list.length, 0)

function indexed(
  providers: readonly Provider[],
  namesOf: (reach: VariablesAt) => readonly string[],
): Map<string, Provider[]> {
  const index = new Map<string, Provider[]>()
  for (const provider of providers)
    for (const name of namesOf(provider.reach)) {
      const others = index.get(name)
      if (others === undefined) index.set(name, [provider])
      else others.push(provider)
    }
  return index
}
