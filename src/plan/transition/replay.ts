import type { Graph } from '../graph.ts'
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
 * set of finished steps that the edges permit, take the last visible one: everything before it in the line is finished, and beyond it only hidden
 * steps, which never change the winner. Every other set is in a state that it has on the line until the next visible step,
 * and therefore weaker (docs/decisions/0024-transitions.md).
 */
export function replay(contested: readonly Contested[], { positionOf }: StepLine, graph: Graph): LineGap[] {
  return contested.flatMap(one => replayAt(one, positionOf, graph))
}

function replayAt(contested: Contested, positionOf: StepLine['positionOf'], graph: Graph): LineGap[] {
  const contest = new Contest(contested)
  const gaps: LineGap[] = []
  let visible: number | undefined
  /** Hidden steps since the visible one, and the last of them by contender. */
  let hidden: number[] = []
  let lastOf = new Map<number, number>()
  let open: Pick<LineGap, 'seen' | 'begin'> | undefined
  for (const node of [...contest.nodes].sort((a, b) => positionOf(a) - positionOf(b))) {
    const { isVisible, contender } = contest.finish(node)
    if (visible !== undefined) graph.add(visible, node)
    if (isVisible) {
      for (const earlier of hidden) graph.add(earlier, node)
      visible = node
      hidden = []
      lastOf = new Map()
    } else {
      const own = lastOf.get(contender)
      if (own !== undefined) graph.add(own, node)
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
  return gaps
}

/** The same value of the same set. */
const isAlike = (a: Given | undefined, b: Given | undefined): boolean =>
  a?.set === b?.set && a?.moment === b?.moment
