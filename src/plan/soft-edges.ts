import { type Draft, EVERYWHERE, type Reach } from './draft.ts'
import type { Graph } from './graph.ts'

/** Edges at the most, and work, about half a second of it: they are a courtesy, and a plan of any size has to come in time. */
const MOST_EDGES = 200_000
const MOST_LOOKED = 20_000_000

/**
 * Make before break: whoever gives a workspace or project a variable goes before whoever takes the same variable
 * away from it through another set. Such an edge yields to every slot: it is left out where it would close a cycle.
 */
export function addSoftEdges(drafts: readonly Draft[], graph: Graph): void {
  if (drafts.every(({ withdraws }) => withdraws === undefined)) return
  const givers = new Givers(
    drafts.flatMap(({ provides }, node) =>
      provides === undefined || provides.targets.length === 0 ? [] : [{ node, reach: provides }],
    ),
  )
  let added = 0
  const isTooMuch = () => added >= MOST_EDGES || givers.looked + graph.looked > MOST_LOOKED
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
  readonly reach: Reach
}

/** Who gives what, by key and by target: a question is answered by the list that is shorter. */
class Givers {
  looked = 0
  readonly #all: readonly Provider[]
  readonly #byKey: ReadonlyMap<string, readonly Provider[]>
  readonly #byTarget: ReadonlyMap<string, readonly Provider[]>

  constructor(providers: readonly Provider[]) {
    this.#all = providers
    this.#byKey = indexed(providers, ({ keys }) => keys)
    this.#byTarget = indexed(providers, ({ targets }) => targets)
  }

  /** Those who give one of the keys at one of the targets. */
  *of({ keys, targets }: Reach): Iterable<number> {
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
  namesOf: (reach: Reach) => readonly string[],
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
