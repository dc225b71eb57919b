import {
  type Draft,
  type DraftPart,
  type Halves,
  namesOf,
  type PartName,
  partOf,
  settle,
  slotGraph,
  splitsOf,
} from './draft.ts'
import type { Transition } from './effective/effect.ts'
import type { Landscape } from './effective/facts.ts'
import { possibleGroups } from './effective/workspaces.ts'
import type { Graph } from './graph.ts'
import type { Step } from './plan.ts'
import { cellsOf } from './transition/cells.ts'
import { groupsOf, maskOf, projection, slotsIn } from './transition/keep.ts'
import { bestPath, type Mask, type Shape, shapesOf, type Unit } from './transition/shapes.ts'
import { revoking } from './transition/steps.ts'
import { keepTransition } from './transition/transition.ts'

/** Ordered steps, or the drafts of a cycle that cannot be broken. */
type Ordered =
  | { readonly steps: readonly Step[]; readonly transition: () => Transition }
  | { readonly cycle: readonly Draft[] }

/**
 * The whole rule: whoever acquires a slot waits for whoever releases it. A request that does both can close a cycle;
 * then two narrower requests replace it. A cycle that remains cannot be ordered. With a landscape, steps also wait for each
 * other so that workspaces see old and new values only, and a request is split where that helps.
 */
export function orderSteps(drafts: readonly Draft[], landscape?: Landscape): Ordered {
  let parts: readonly DraftPart[] = drafts
  for (;;) {
    const graph = slotGraph(parts)
    const sorted = graph.sort()
    if ('order' in sorted) return landscape ? kept(parts, landscape) : toSteps(settled(parts))
    const cycle = sorted.cycle.flatMap(node => parts[node] ?? [])
    const splittable = cycle.find(part => nameAlone(part) !== undefined)
    if (splittable === undefined) return { cycle }
    const halves = nameAlone(splittable) ?? []
    parts = parts.flatMap(part => (part === splittable ? halves.map(names => partOf(part, names)) : [part]))
  }
}

/** Only the name releases and acquires a slot of the same family, so no other split opens a cycle. */
const nameAlone = (part: DraftPart): Halves | undefined =>
  splitsOf(part).find(([first]) => first.includes('name') && first.length === 1)

/** Steps that are complete, and what they wait for. */
interface Settled {
  readonly drafts: readonly Draft[]
  readonly graph: Graph
}

/** `then`: pairs of parts of which the second comes after the first. */
function settled(parts: readonly DraftPart[], then: readonly (readonly [number, number])[] = []): Settled {
  const graph = slotGraph(parts)
  for (const [first, second] of then) graph.add(first, second)
  const sorted = graph.sort()
  return { drafts: 'order' in sorted ? settle(parts, graph, sorted.order) : parts, graph }
}

function kept(parts: readonly DraftPart[], landscape: Landscape): Ordered {
  const splits = new Map(helpfulSplits(landscape, parts))
  const then: [number, number][] = []
  const split: DraftPart[] = []
  for (const [node, part] of parts.entries()) {
    const halves = splits.get(node)
    if (halves === undefined) split.push(part)
    else {
      then.push([split.length, split.length + 1])
      split.push(...halves.map(names => partOf(part, names)))
    }
  }
  const { drafts, graph: slots } = settled(split, then)
  const operations = drafts.map(({ operation }) => operation)
  const { graph, transition } = keepTransition(landscape, operations, slots, node => drafts[node]?.id ?? '')
  return toSteps({ drafts, graph }, transition)
}

const NO_TRANSITION: Transition = { workspaces: 0, seeing: 0, gaps: [], left: 0 }

function toSteps({ drafts, graph }: Settled, transition = () => NO_TRANSITION): Ordered {
  const sorted = graph.sort()
  const order = 'order' in sorted ? sorted.order : [...drafts.keys()]
  const steps = order.flatMap(node => {
    const draft = drafts[node]
    if (draft === undefined) return []
    const after = graph.before(node).flatMap(earlier => drafts[earlier]?.id ?? [])
    const { id, operation, source, file } = draft
    return [{ id, operation, after: after.toSorted(), source, file }]
  })
  return { steps, transition }
}

/** An update to split, with its halves in the order that helps. */
type HelpfulSplit = readonly [node: number, halves: Halves]

/** Maximum number of steps of a group, with updates in all their parts. */
const MOST_PARTS = 12
/** Maximum number of combinations of splits to compare. */
const MOST_COMBINED = 64

interface Part {
  /** The number of the draft. */
  readonly node: number
  readonly name?: PartName
}

/**
 * The fewest splits that reduce the cells with another value. They are part of what is reviewed, so they depend on the sets
 * alone: not on what this run knows of workspaces.
 */
function helpfulSplits(
  landscape: Pick<Landscape, 'sets' | 'moving'>,
  drafts: readonly DraftPart[],
): HelpfulSplit[] {
  const candidates = new Set([...drafts.keys()].filter(node => splitsOf(drafts[node] ?? NOTHING).length > 0))
  if (candidates.size === 0) return []
  const parts = drafts.flatMap((draft, node): Part[] =>
    candidates.has(node) ? namesOf(draft.parts ?? {}).map(name => ({ node, name })) : [{ node }],
  )
  const split = parts.flatMap(({ node, name }) => {
    const draft = drafts[node]
    return draft === undefined ? [] : name === undefined ? draft : partOf(draft, [name])
  })
  const operations = split.map(({ operation }) => operation)
  const slots = slotGraph(split)
  const { sets } = landscape
  const shapes = shapesOf(cellsOf({ sets, groups: possibleGroups(sets) }, operations))
  const together = [...candidates].map(node => parts.flatMap((part, at) => (part.node === node ? at : [])))
  const wanted = shapes.filter(({ steps }) => steps.some(step => candidates.has(parts[step]?.node ?? -1)))
  const revokes = revoking(landscape, operations)
  return groupsOf(slots, shapes, wanted, together).flatMap(({ nodes, shapes }) => {
    if (nodes.length > MOST_PARTS) return []
    const group = {
      parts: nodes.flatMap(at => parts[at] ?? []),
      waits: slotsIn(nodes, slots),
      revokes: maskOf(nodes, at => revokes.has(at)),
      shapes: shapes.map(shape => ({ shape, own: projection(nodes, shape) })),
    }
    return bestOf(group, node => (candidates.has(node) ? splitsOf(drafts[node] ?? NOTHING) : []))
  })
}

const NOTHING: Pick<DraftPart, 'parts' | 'sends'> = {}

interface PartGroup {
  readonly parts: readonly Part[]
  readonly waits: readonly Mask[]
  readonly revokes: Mask
  readonly shapes: readonly { readonly shape: Shape; readonly own: (mask: Mask) => Mask }[]
}

function bestOf(group: PartGroup, splitsOf: (node: number) => readonly Halves[]): HelpfulSplit[] {
  const nodes = [...new Set(group.parts.map(({ node }) => node))]
  const whole = evaluate(group, nodes, [])
  if (whole.gaps === 0) return []
  let combinations: HelpfulSplit[][] = [[]]
  for (const node of nodes)
    combinations = combinations
      .flatMap(chosen => [
        chosen,
        ...splitsOf(node).map((halves): HelpfulSplit[] => [...chosen, [node, halves]]),
      ])
      .toSorted((a, b) => a.length - b.length)
      .slice(0, MOST_COMBINED)
  let best = whole
  for (const chosen of combinations) {
    const other = evaluate(group, nodes, chosen)
    if (other.gaps < best.gaps) best = other
  }
  return best.splits
}

/** How many cells show another value in the best order of these requests, and that order of the halves. */
function evaluate(
  { parts, waits, revokes, shapes }: PartGroup,
  nodes: readonly number[],
  chosen: readonly HelpfulSplit[],
): { readonly gaps: number; readonly splits: HelpfulSplit[] } {
  const bitsOf = (node: number, names?: readonly PartName[]): Mask =>
    parts.reduce(
      (mask, part, bit) =>
        part.node === node && (names === undefined || (part.name !== undefined && names.includes(part.name)))
          ? mask | (1 << bit)
          : mask,
      0,
    )
  const units: Unit[] = nodes
    .flatMap(node => {
      const split = chosen.find(([one]) => one === node)
      return split === undefined ? bitsOf(node) : split[1].map(names => bitsOf(node, names))
    })
    .map(mask => ({
      mask,
      waits: waits.reduce((sum, earlier, bit) => (mask & (1 << bit) ? sum | earlier : sum), 0) & ~mask,
    }))
  const free = freeIn(units, revokes)
  const path = bestPath(units, free, costOf, number => -number)
  function costOf(mask: Mask): number {
    return shapes.reduce(
      (sum, { shape, own }) => sum + (shape.isBad[own(mask)] === 1 ? shape.cells.length : 0),
      0,
    )
  }
  if (path.cost === Infinity) return { gaps: Infinity, splits: [] }
  const met = downTo(units, free)
  let done = free
  for (const number of path.order) {
    done |= units[number]?.mask ?? 0
    met.add(done)
  }
  const gaps = shapes.reduce(
    (sum, { shape, own }) =>
      sum + ([...met].some(mask => shape.isBad[own(mask)] === 1) ? shape.cells.length : 0),
    0,
  )
  const placeOf = (mask: Mask): number =>
    (mask & free) === mask ? -1 : path.order.findIndex(number => units[number]?.mask === mask)
  const splits = chosen.map(([node, [one, other]]): HelpfulSplit => {
    const [a, b] = [bitsOf(node, one), bitsOf(node, other)]
    const waitsFor = units.some(({ mask, waits }) => mask === a && (waits & b) !== 0)
    const isSwapped = waitsFor || placeOf(b) < placeOf(a)
    return [node, isSwapped ? [other, one] : [one, other]]
  })
  return { gaps, splits }
}

/** The units that remove a secret, with everything that they wait for. */
function freeIn(units: readonly Unit[], revokes: Mask): Mask {
  let free: Mask = 0
  for (let size: Mask = -1; size !== free; ) {
    size = free
    for (const { mask, waits } of units) if ((mask & (revokes | free)) !== 0) free |= mask | waits
  }
  return units.reduce((sum, { mask }) => ((mask & free) === 0 ? sum : sum | mask), 0)
}

/** Every set of finished units among the free ones. */
function downTo(units: readonly Unit[], free: Mask): Set<Mask> {
  const met = new Set<Mask>([0])
  for (const done of met)
    for (const { mask, waits } of units)
      if ((mask & free) === mask && (done & waits) === waits) met.add(done | mask)
  return met
}
