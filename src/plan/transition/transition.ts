import { compareText } from '../../model/diagnostic.ts'
import { flat, valueAt } from '../../model/lists.ts'
import type { Slot } from '../draft.ts'
import { audienceOf, namesIn, shownGiver } from '../effective/audience.ts'
import type { Cell } from '../effective/cells.ts'
import type { Audience, Giver, Member, Transition, TransitionGap } from '../effective/effect.ts'
import { isWorkspace, type KnownMembers } from '../effective/members.ts'
import type { Reception } from '../effective/reception.ts'
import type { Graph } from '../graph.ts'
import type { Operation, OperationId } from '../operation.ts'
import type { ReceivedReason } from '../step-wait.ts'
import { type Contested, Contests } from './contest.ts'
import { type Given, heldBy, stepsOfSets } from './given.ts'
import { lineOf, type StepLine } from './line.ts'
import { type LineGap, replay } from './replay.ts'

/** Gaps that a plan lists at most. */
const MOST_GAPS = 2_000

/** Workspaces of a gap that are named at most if there are too many of all. */
const MOST_NAMED = 50

/** Up to so many ids, all workspaces of all gaps are named; else the first ones of each. */
const MOST_IDS = 100_000

interface KeptTransition {
  /** The steps with what each waits for. Every edge follows `order`. */
  readonly graph: Graph<Slot | ReceivedReason>
  readonly order: readonly number[]
  readonly transition: Transition
}

/**
 * Orders steps so that every workspace sees the old or the new value of each key, after any set of finished steps
 * (docs/decisions/0024-transitions.md). `slots` has the rules of the service, which come first and have no cycle.
 */
export function keepTransition(
  reception: Reception,
  operations: readonly Operation[],
  slots: Graph<Slot>,
  idOf: (node: number) => OperationId,
): KeptTransition {
  const { cells, changing } = reception
  const contests = new Contests(stepsOfSets(changing, operations))
  const contested = cells.flatMap(cell => contests.at(cell) ?? [])
  const line = lineOf(operations, changing, slots, contested)
  const graph = slots.copy<ReceivedReason>()
  const gaps = replay(contested, line, graph, audiencesOf(reception.members))
  return { graph, order: line.order, transition: transitionOf(gaps, { reception, slots, line, idOf }) }
}

/** Who sees a cell, with a few names. */
function audiencesOf(known: KnownMembers): (contested: Contested) => Audience {
  const names = namesIn(known)
  // Cells share lists of members.
  const audiences = new Map<readonly Member[], Audience>()
  return ({ cell: { members } }) => {
    const audience = audiences.get(members) ?? audienceOf(members, names, FEW)
    audiences.set(members, audience)
    return audience
  }
}

/** Workspaces that a reason names at most. */
const FEW = 4

interface Naming {
  readonly reception: Reception
  readonly slots: Graph<Slot>
  readonly line: StepLine
  readonly idOf: (node: number) => OperationId
}

/** What workspaces may see, with the sets and steps as a plan names them. */
function transitionOf(found: readonly LineGap[], naming: Naming): Transition {
  const { members: all } = naming.reception
  const gaps = distinctGaps(found, naming)
  const ids = gaps.reduce((sum, { members }) => sum + members.length, 0)
  const most = ids > MOST_IDS ? MOST_NAMED : ids
  // Cells share lists of members.
  const names = namesIn(all)
  const audiences = new Map<readonly Member[], Audience>()
  const seeing = new Set<Member>()
  for (const { members } of gaps) {
    if (audiences.has(members)) continue
    audiences.set(members, audienceOf(members, names, most))
    for (const member of members) if (isWorkspace(member)) seeing.add(member)
  }
  const sorted = gaps
    .map(({ gap, members }) => ({ ...gap, ...valueAt(audiences, members) }))
    .toSorted(byInterest)
  return {
    workspaces: all.projectOf.size,
    seeing: seeing.size,
    gaps: sorted.slice(0, MOST_GAPS),
    left: Math.max(0, sorted.length - MOST_GAPS),
  }
}

/** A gap with everybody who may see it. */
interface SeenGap {
  readonly gap: Omit<TransitionGap, keyof Audience>
  readonly members: Cell['members']
}

/** One for each key, value and pair of steps. */
function distinctGaps(found: readonly LineGap[], naming: Naming): SeenGap[] {
  const gaps = new Map<string, { readonly gap: SeenGap['gap']; readonly cells: Cell['members'][] }>()
  for (const one of found) {
    const gap = gapOf(one, naming)
    const identity = JSON.stringify(gap)
    const known = gaps.get(identity)
    if (known === undefined) gaps.set(identity, { gap, cells: [one.contested.cell.members] })
    else known.cells.push(one.contested.cell.members)
  }
  return [...gaps.values()].map(({ gap, cells: [first, ...others] }) => ({
    gap,
    members: first === undefined || others.length > 0 ? flat([first ?? [], ...others]) : first,
  }))
}

function gapOf(
  { contested, seen, begin, end }: LineGap,
  { reception, slots, line, idOf }: Naming,
): SeenGap['gap'] {
  const { cell, before, after } = contested
  const giver = (given: Given | undefined): Giver | undefined => {
    const held = given && heldBy(given, cell.key)
    const set = given?.set.after ?? given?.set.before
    if (given === undefined || set === undefined || held === undefined) return undefined
    return { ...shownGiver(set, cell.key, held, reception.hides), priority: given.priority || undefined }
  }
  return {
    key: cell.key,
    before: giver(before),
    after: giver(after),
    seen: giver(seen),
    between: [idOf(begin), idOf(end)],
    why: slots.waits(end, begin) ? 'slot' : line.isRevoking(begin) ? 'revocation' : 'requests',
  }
}

const byInterest = (a: TransitionGap, b: TransitionGap): number =>
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(a.key, b.key) ||
  compareText(a.between.join(), b.between.join()) ||
  compareText(a.workspaces[0] ?? a.projects[0] ?? '', b.workspaces[0] ?? b.projects[0] ?? '') ||
  compareText(a.seen?.set ?? '', b.seen?.set ?? '')
