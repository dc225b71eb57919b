import { compareText } from '../../model/diagnostic.ts'
import { isVariableKey } from '../../model/ids.ts'
import type { Draft } from '../draft.ts'
import type { Transition, TransitionGap } from '../effective/effect.ts'

/** A variable that moves between global sets is in neither for a moment. */
export function transitionOf(drafts: readonly Draft[], workspaces: number): Transition {
  const releasedBy = new Map<string, Draft>()
  for (const draft of drafts)
    for (const slot of draft.releases) if (slot.startsWith('global/')) releasedBy.set(slot, draft)
  const gaps = drafts.flatMap(draft =>
    draft.acquires.flatMap((slot): TransitionGap[] => {
      const from = releasedBy.get(slot)
      const key = slot.slice('global/'.length)
      if (from === undefined || from === draft || !isVariableKey(key)) return []
      const [was, is] = [from.operation.subject.name, draft.operation.subject.name]
      if (was === is) return []
      const everybody = { count: workspaces, workspaces: [], projects: [], others: true }
      const between = [from.id, draft.id] as const
      return [{ ...everybody, key, before: { set: was }, after: { set: is }, between, why: 'slot' }]
    }),
  )
  const seeing = gaps.length > 0 ? workspaces : 0
  return { workspaces, seeing, gaps: gaps.toSorted((a, b) => compareText(a.key, b.key)), left: 0 }
}
