import type { VariableKey } from '../../model/ids.ts'
import type { Directory } from '../../model/variable-set.ts'
import type { Draft } from '../draft.ts'
import type { Match } from '../match.ts'
import type { Secrecy } from '../secrecy.ts'
import type { SecretStates } from '../secret-states.ts'
import type { HidesValue } from './audience.ts'
import { type Cell, cellsOf } from './cells.ts'
import { type KnownMembers, knownMembers } from './members.ts'
import {
  changingSets,
  isOtherValue,
  type SetState,
  type SetStates,
  statesIn,
  unchangedSets,
} from './set-state.ts'

/** Who receives which sets, before and after the plan. */
export interface Reception {
  /** The sets that the plan changes. */
  readonly changing: readonly SetStates[]
  /** The keys that another set, or another value, may win. */
  readonly keys: ReadonlySet<VariableKey>
  /** `changing`, and the other sets that have one of the keys. */
  readonly sets: readonly SetStates[]
  readonly members: KnownMembers
  /** Each of the keys at each member that receives a set of `changing`. */
  readonly cells: readonly Cell[]
  readonly hides: HidesValue
}

/** Pure; the order of the sets does not matter. Only keys that may change are looked at. */
export function receptionOf(
  match: Match,
  drafts: readonly Draft[],
  secrets: SecretStates,
  directory: Directory,
  secrecy: Secrecy,
): Reception {
  const names = new Set(drafts.map(({ operation }) => operation.subject.name))
  const isChanged = (name: string) => names.has(name)
  const changing = changingSets(match, isChanged, secrets)
  const keys = changedKeys(changing)
  const unchanged = keys.size === 0 ? [] : unchangedSets(match, isChanged, keys)
  const sets = keys.size === 0 ? [] : [...changing, ...unchanged]
  const members = knownMembers(directory, changing, unchanged)
  return {
    changing,
    keys,
    sets,
    members,
    cells: cellsOf(sets, members, keys),
    hides: hiddenValues(changing, secrecy),
  }
}

/** Hides what the operations of the plan hide. */
function hiddenValues(changing: readonly SetStates[], { hidesBefore, hidesAfter }: Secrecy): HidesValue {
  const next = new Map(changing.map(({ before, after }) => [before?.id, after?.held]))
  return ({ id }, key, { text, written }) => {
    const declared = written ?? next.get(id)?.get(key)?.written
    return written !== undefined && 'text' in written.value
      ? hidesAfter(key)
      : hidesBefore({ key, value: { text } }, declared)
  }
}

/** Some set is assigned to Stacks. */
export const hasStacks = ({ pairs, removals, untouched }: Match): boolean =>
  [
    ...pairs.map(({ desired }) => desired),
    ...[...pairs, ...removals].flatMap(({ observed }) => observed ?? []),
    ...untouched,
  ].some(
    set =>
      (set.stacks ?? []).length > 0 || ('others' in set && set.others?.some(({ what }) => what === 'stacks')),
  )

/** Whether a changed key reaches somebody through a project, so that it matters which workspaces are in it. */
export const reachesProjects = ({ sets, keys }: Pick<Reception, 'sets' | 'keys'>): boolean =>
  statesIn(sets).some(
    ({ projects, held }) => projects.length > 0 && [...held.keys()].some(key => keys.has(key)),
  )

/** The keys that another set, or another value, may win. */
function changedKeys(sets: readonly SetStates[]): Set<VariableKey> {
  const keys = new Set<VariableKey>()
  for (const { before, after } of sets) {
    const isMoved = before === undefined || after === undefined || !isReceivedAlike(before, after)
    for (const key of [...(before?.held.keys() ?? []), ...(after?.held.keys() ?? [])])
      if (isMoved || isOtherValue(key, before.held.get(key), after.held.get(key))) keys.add(key)
  }
  return keys
}

const isReceivedAlike = (before: SetState, after: SetState): boolean =>
  before.name === after.name &&
  before.global === after.global &&
  before.priority === after.priority &&
  sameIds(before.workspaces, after.workspaces) &&
  sameIds(before.projects, after.projects)

/** Both sorted. */
const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at])
