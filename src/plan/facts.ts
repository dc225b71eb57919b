import { compareText } from '../model/diagnostic.ts'
import { isVariableKey, type ObservedState } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { Match } from './match.ts'
import { variablesSent } from './operation.ts'
import type { Gap, PlanFacts } from './plan.ts'

/** Facts for the reader. Nothing decides by them. */
export function factsOf(match: Match, observed: ObservedState, drafts: readonly Draft[]): PlanFacts {
  const changed = new Set(drafts.map(draft => draft.operation.set))
  const sent = drafts.flatMap(draft => variablesSent(draft.operation))
  const secrets = match.pairs.flatMap(pair =>
    pair.desired.variables.filter(variable => 'secret' in variable.value),
  )
  const secretsToWrite = sent.filter(variable => 'secret' in variable.value).length
  return {
    equalSets: match.pairs.filter(pair => !changed.has(pair.desired.name)).length,
    foreignSets: match.untouched.length,
    observedSets: observed.sets.length,
    unmanagedAssignments: match.pairs.flatMap(unmanaged),
    secretsNotCompared: secrets.length - secretsToWrite,
    secretsToWrite,
    externals: match.pairs.reduce(
      (n, pair) => n + pair.desired.variables.filter(variable => 'external' in variable.value).length,
      0,
    ),
    outsideSelection: match.outsideSelection,
    gaps: gapsOf(drafts),
  }
}

function unmanaged({ desired, observed }: Match['pairs'][number]): { set: string; count: number }[] {
  if (observed === undefined) return []
  const count =
    (desired.workspaces === undefined ? observed.workspaces.length : 0) +
    (desired.projects === undefined ? observed.projects.length : 0)
  return count === 0 ? [] : [{ set: desired.name, count }]
}

/** A variable that leaves one global set before another may hold it is in neither for a moment. */
function gapsOf(drafts: readonly Draft[]): Gap[] {
  const releasedBy = new Map<string, string>()
  for (const draft of drafts)
    for (const slot of draft.releases)
      if (slot.startsWith('global/')) releasedBy.set(slot, draft.operation.set)
  const gaps = new Map<string, Gap>()
  for (const draft of drafts)
    for (const slot of draft.acquires) {
      const from = releasedBy.get(slot)
      if (from === undefined || from === draft.operation.set) continue
      const key = slot.slice('global/'.length)
      if (isVariableKey(key)) gaps.set(slot, { key, from, to: draft.operation.set })
    }
  return [...gaps.values()].toSorted((a, b) => compareText(a.key, b.key))
}
