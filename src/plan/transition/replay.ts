import { grouped, valueAt } from '../../model/lists.ts'
import type { Slot } from '../draft.ts'
import type { Audience } from '../effective/effect.ts'
import type { Graph } from '../graph.ts'
import type { KeyDeed, ReceivedReason } from '../step-wait.ts'
import { Contest, type Contested } from './contest.ts'
import type { Given } from './given.ts'
import type { StepLine } from './line.ts'

/** Another value that the line shows at a cell. */
export interface LineGap {
  readonly contested: Contested
  /** `undefined`: nothing. */
  readonly seen: Given | undefined
  /** It begins with this step. */
  readonly begin: number
  /** It ends with this step. */
  readonly end: number
}

/**
 * Follows the line at each contested cell and adds the edges with which exactly the states of the line can be seen there, whichever
 * steps run at once or fail. Returns the gaps: where the line itself shows another value.
 *
 * A step is visible if its own set wins right before it or right after it. Each step waits for the last visible one before it; a
 * visible one also for the hidden ones since then; a hidden one also for the last one of its own set among these. So of any
 * set of finished steps that the edges permit, take the last visible one: everything before it in the line is finished, and beyond
 * it only hidden steps, which never change the winner. Every other set is in a state that it has on the line until the next
 * visible step, and therefore weaker (docs/decisions/0024-transitions.md).
 */
export function replay(
  contested: readonly Contested[],
  { positionOf }: StepLine,
  graph: Graph<Slot | ReceivedReason>,
  audienceAt: (contested: Contested) => Audience,
): LineGap[] {
  return contested.flatMap(one => {
    const { edges, deeds, gaps } = follow(one, positionOf)
    const { key } = one.cell
    for (const [earlier, later, instead] of withReasons(one, edges, deeds.keys())) {
      const known = graph.why(earlier, later)
      // The first reason is kept, but for one that says which value would be seen.
      if (
        known !== undefined &&
        (typeof known === 'string' || known.instead !== undefined || instead === undefined)
      )
        continue
      const [first, next] = [valueAt(deeds, earlier), valueAt(deeds, later)]
      graph.add(earlier, later, { kind: 'received', key, first, next, audience: audienceAt(one), instead })
    }
    return gaps
  })
}

type Edge = readonly [earlier: number, later: number]

/** The edges at one cell, what each step does there in the order of the line, and the gaps. */
function follow(contested: Contested, positionOf: StepLine['positionOf']) {
  const contest = new Contest(contested)
  const edges: Edge[] = []
  const deeds = new Map<number, KeyDeed>()
  const gaps: LineGap[] = []
  let visible: number | undefined
  /** Hidden steps since the visible one, and the last of them by contender. */
  let hidden: number[] = []
  let lastOf = new Map<number, number>()
  let open: Pick<LineGap, 'seen' | 'begin'> | undefined
  for (const node of [...contest.nodes].sort((a, b) => positionOf(a) - positionOf(b))) {
    const { isVisible, contender, deed } = contest.finish(node)
    deeds.set(node, deed)
    if (visible !== undefined) edges.push([visible, node])
    if (isVisible) {
      for (const earlier of hidden) edges.push([earlier, node])
      visible = node
      hidden = []
      lastOf = new Map()
    } else {
      const own = lastOf.get(contender)
      if (own !== undefined) edges.push([own, node])
      hidden.push(node)
      lastOf.set(contender, node)
    }
    const { winner } = contest
    if (open !== undefined && !isAlike(open.seen, winner)) {
      gaps.push({ contested, ...open, end: node })
      open = undefined
    }
    if (open === undefined && contested.isOther(winner)) open = { seen: winner, begin: node }
  }
  return { edges, deeds, gaps }
}

/** Each edge with what would be seen if its second step came right before the first one, where that is another value. */
function* withReasons(
  contested: Contested,
  edges: readonly Edge[],
  line: Iterable<number>,
): Generator<readonly [...Edge, instead: ReceivedReason['instead']]> {
  if (edges.length === 0) return
  const contest = new Contest(contested)
  const latersOf = grouped(edges, ([earlier]) => earlier)
  for (const node of line) {
    for (const [earlier, later] of latersOf.get(node) ?? []) {
      const seen = contest.winnerAfter(later)
      yield [earlier, later, contested.isOther(seen) ? { set: seen && nameOf(seen) } : undefined]
    }
    contest.finish(node)
  }
}

const nameOf = ({ set }: Given): string | undefined => (set.after ?? set.before)?.name

/** The same value of the same set. */
const isAlike = (a: Given | undefined, b: Given | undefined): boolean =>
  a?.set === b?.set && a?.moment === b?.moment
