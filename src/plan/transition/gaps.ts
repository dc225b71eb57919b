import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import { valueAt } from '../../model/lists.ts'
import { audienceOf, shownGiver, workspacesIn } from '../effective/audience.ts'
import type { Audience, GapReason, Giver, Transition, TransitionGap } from '../effective/effect.ts'
import type { Landscape } from '../effective/seen.ts'
import type { WorkspaceGroup } from '../effective/workspace-groups.ts'
import type { OperationId } from '../operation.ts'
import { otherThan, type State, valueIn } from './contribution.ts'
import type { StepOrder } from './line.ts'
import type { LineGap } from './relay.ts'

/** Gaps that a plan lists at most. */
const MOST_GAPS = 2_000

/** Up to so many ids, all workspaces of all gaps are named; else the first ones of each. */
const MOST_IDS = 100_000

interface Naming {
  readonly landscape: Landscape
  readonly line: StepOrder
  readonly idOf: (node: number) => OperationId
}

/** A gap with everybody who may see it. */
interface SeenGap {
  readonly gap: Omit<TransitionGap, keyof Audience>
  groups: readonly WorkspaceGroup[] | Set<WorkspaceGroup>
}

/** What workspaces may see, with the sets and steps as a plan names them. */
export function transitionOf(found: readonly LineGap[], naming: Naming): Transition {
  const { population } = naming.landscape
  const gaps = seenGaps(found, naming)
  const seeing = new Set<WorkspaceGroup>()
  // Most cells of global sets share one array of groups, which is read once.
  const counts = new Map(gaps.map(({ groups }) => [groups, 0]))
  for (const groups of counts.keys()) {
    counts.set(groups, workspacesIn(groups))
    for (const group of groups) seeing.add(group)
  }
  const ids = gaps.reduce((sum, { groups }) => sum + valueAt(counts, groups), 0)
  const most = ids > MOST_IDS ? undefined : ids
  const audiences = new Map([...counts.keys()].map(groups => [groups, audienceOf(groups, population, most)]))
  const all = gaps.map(({ gap, groups }) => ({ ...gap, ...valueAt(audiences, groups) })).toSorted(byInterest)
  return {
    workspaces: population.projectOf.size,
    seeing: workspacesIn(seeing),
    gaps: all.slice(0, MOST_GAPS),
    left: Math.max(0, all.length - MOST_GAPS),
  }
}

/** One for each key, value and pair of steps. */
function seenGaps(found: readonly LineGap[], naming: Naming): SeenGap[] {
  const gaps = new Map<string, SeenGap>()
  for (const { place, seen, between } of found)
    for (const { key, groups } of place.competitors.cells.values()) {
      if (!otherThan(key, place.before, place.after)(seen)) continue
      const values = { before: place.before, after: place.after, seen }
      for (const pair of between) addGap(gaps, gapOf(key, values, pair, naming), groups)
    }
  return [...gaps.values()]
}

function addGap(gaps: Map<string, SeenGap>, gap: SeenGap['gap'], groups: readonly WorkspaceGroup[]): void {
  const identity = JSON.stringify(gap)
  const known = gaps.get(identity)
  if (known === undefined) gaps.set(identity, { gap, groups })
  else if (known.groups !== groups) {
    const both = known.groups instanceof Set ? known.groups : new Set(known.groups)
    for (const group of groups) both.add(group)
    known.groups = both
  }
}

function gapOf(
  key: VariableKey,
  values: Readonly<Record<'before' | 'after' | 'seen', State | undefined>>,
  pair: readonly [number, number],
  { landscape, line, idOf }: Naming,
): SeenGap['gap'] {
  const giver = (state: State | undefined): Giver | undefined => {
    const held = state && valueIn(state, key)
    return held && shownGiver(state.set.after ?? state.set.initial, key, held, landscape.hides)
  }
  const { before, after, seen } = values
  return {
    key,
    before: giver(before),
    after: giver(after),
    seen: giver(seen),
    between: [idOf(pair[0]), idOf(pair[1])],
    why: reasonOf(pair, line),
    ...([before, after, seen].some(state => state?.priority) ? { certain: true } : {}),
  }
}

function reasonOf([begin, end]: readonly [number, number], { slots, isFree }: StepOrder): GapReason {
  if (slots.waits(end, begin)) return 'slot'
  return isFree(begin) ? 'revocation' : 'requests'
}

const byInterest = (a: TransitionGap, b: TransitionGap): number =>
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(a.key, b.key) ||
  compareText(a.between.join(), b.between.join()) ||
  compareText(a.workspaces[0] ?? a.projects[0] ?? '', b.workspaces[0] ?? b.projects[0] ?? '') ||
  compareText(a.seen?.set ?? '', b.seen?.set ?? '')
