import { compareText } from '../model/diagnostic.ts'
import { itemAt } from '../model/lists.ts'
import { type Draft, type Slot, slotGraph, slotReason } from './draft.ts'
import type { Transition } from './effective/effect.ts'
import type { Reception } from './effective/reception.ts'
import type { Graph } from './graph.ts'
import type { Step } from './plan-data.ts'
import type { ReceivedReason, StepWait } from './step-wait.ts'
import { keepTransition } from './transition/transition.ts'

/** Ordered steps, or the drafts of a cycle. */
type Ordered =
  | { readonly steps: readonly Step[]; readonly transition: Transition }
  | { readonly cycle: readonly Draft[] }

/**
 * The whole rule: whoever acquires a slot waits for whoever releases it. A cycle of such steps cannot be ordered. With a reception, steps
 * also wait for each other so that workspaces see old and new values only.
 */
export function orderSteps(drafts: readonly Draft[], reception?: Reception): Ordered {
  const slots = slotGraph(drafts)
  const sorted = slots.sort()
  if (!('order' in sorted)) return { cycle: sorted.cycle.map(node => itemAt(drafts, node)) }
  if (reception === undefined)
    return { steps: toSteps(drafts, slots, sorted.order), transition: NO_TRANSITION }
  const operations = drafts.map(({ operation }) => operation)
  const kept = keepTransition(reception, operations, slots, node => itemAt(drafts, node).id)
  return { steps: toSteps(drafts, kept.graph, kept.order), transition: kept.transition }
}

const NO_TRANSITION: Transition = { workspaces: 0, seeing: 0, gaps: [], left: 0 }

const toSteps = (
  drafts: readonly Draft[],
  graph: Graph<Slot | ReceivedReason>,
  order: readonly number[],
): Step[] =>
  order.map(node => {
    const { id, operation, source, assignedAt, file } = itemAt(drafts, node)
    const after = graph.before(node).flatMap((at): StepWait[] => {
      const [earlier, why] = [itemAt(drafts, at), graph.why(at, node)]
      if (why === undefined) return []
      const reason = typeof why === 'string' ? slotReason(why, earlier.operation, operation) : why
      return [{ step: earlier.id, why: reason }]
    })
    const waits = after.toSorted((a, b) => compareText(a.step, b.step))
    return { id, operation, after: waits, source, ...(assignedAt && { assignedAt }), file }
  })
