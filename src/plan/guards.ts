import { commandWord, type Diagnostic, mistake } from '../model/diagnostic.ts'
import { idsOf, TARGET_KINDS, TARGETS } from '../model/ids.ts'
import { grouped, plural } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type { Guards, ObservedSet } from '../model/variable-set.ts'
import { isHalfMade } from './completion.ts'
import { creationOf } from './draft.ts'
import type { Received, Transition } from './effective/effect.ts'
import { removedItems, rewriteOf } from './items.ts'
import type { Match, Pair } from './match.ts'
import { type DeleteSet, losesSecret } from './operation.ts'
import { entryOf, isOutdated, type Ownership } from './ownership.ts'
import { type Block, type Step, WHOLE_PLAN } from './plan-data.ts'
import { changesEndsAlone } from './stored-text.ts'

/** Shares count from this many objects. Below it, only the number of deleted sets counts. */
const SHARE_FROM = 10
const MOST_SET_DELETIONS = 2

/**
 * Reasons not to apply this plan without a review. Shares refer to the observed sets that a file declares or removes,
 * with their variables and assignments.
 */
export function guardPlan(steps: readonly Step[], match: Match, guards: Guards): Block[] {
  const ours = countOf(match)
  return [
    ...deletions(steps).flatMap(({ operation, step }) => [
      ...stillReaches(operation, step),
      ...reachesOthers(operation, step),
      ...protectedName(operation, step, guards),
    ]),
    ...shares(steps, ours, guards),
    ...updates(steps, ours, guards),
    ...(match.pairs.length === 0 && match.outsideSelection === 0 && steps.length > 0 ? [EMPTY] : []),
  ]
}

const EMPTY: Block = {
  code: 'empty-desired-state',
  message: 'The files declare no set, but this plan deletes.',
  item: WHOLE_PLAN,
}

const itemOf = (set: string): Block['item'] => ({ kind: 'set', set })

const deletions = (steps: readonly Step[]): { operation: DeleteSet; step: Step }[] =>
  steps.flatMap(step => (step.operation.type === 'delete-set' ? [{ operation: step.operation, step }] : []))

function stillReaches({ subject, before }: DeleteSet, { source }: Step): Block[] {
  const reached = before.global
    ? 'every workspace, because it is global'
    : joined(
        TARGET_KINDS.flatMap(kind => {
          const { length } = before[kind] ?? []
          return length === 0 ? [] : [plural(length, TARGETS[kind].one)]
        }),
      )
  if (reached === undefined) return []
  const message = `"${subject.name}" is deleted while it reaches ${reached}.`
  return [{ code: 'reaches-workspaces', message, item: itemOf(subject.name), source }]
}

/** Relations that are lost for good with the set. */
function reachesOthers({ subject, before: { others = [] } }: DeleteSet, { source }: Step): Block[] {
  const stacks = others.find(({ what }) => what === 'stacks')?.count ?? 0
  const unknown = others.flatMap(({ what, count }) => (what === 'stacks' ? [] : `${what}: ${count}`))
  const reached = stacks > 0 ? [plural(stacks, 'Stack')] : []
  if (unknown.length > 0)
    reached.push(`something that this version of Setpoint does not know (${unknown.join(', ')})`)
  if (reached.length === 0) return []
  const message = `"${subject.name}" is deleted while it still reaches ${reached.join(' and ')}.`
  return [{ code: 'reaches-others', message, item: itemOf(subject.name), source }]
}

const joined = (parts: readonly string[]): string | undefined =>
  parts.length < 2 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** A protected name covers every set with it. */
function protectedName({ subject, before }: DeleteSet, { source }: Step, guards: Guards): Block[] {
  if (![subject.name, before.name].some(name => selects(guards.protect, { name, id: subject.id }))) return []
  const message = `"${subject.name}" is protected and would be deleted.`
  return [{ code: 'protected-name', message, item: itemOf(subject.name), source }]
}

/** Sets, variables and assignments: those that exist, or those that a plan takes away or changes. */
interface Tally {
  readonly sets: number
  readonly variables: number
  readonly assignments: number
}

/** The existing sets that shares refer to. */
function countOf({ pairs, removals }: Match): Tally {
  const ours = [...pairs, ...removals].flatMap(({ observed }) => observed ?? [])
  return {
    sets: ours.length,
    variables: ours.reduce((sum, { variables }) => sum + variables.length, 0),
    assignments: ours.reduce((sum, set) => sum + idsOf(set).length, 0),
  }
}

function shares(steps: readonly Step[], ours: Tally, guards: Guards): Block[] {
  const lost = { sets: 0, variables: 0, assignments: 0 }
  for (const { operation } of steps) {
    for (const item of removedItems(operation)) {
      if (item.kind === 'set') lost.sets++
      else if (item.kind === 'target') lost.assignments++
      else if (item.kind === 'variable' && !item.isHalf) lost.variables++
    }
  }
  const few = `${lost.sets} of ${ours.sets} sets are deleted; more than ${MOST_SET_DELETIONS} need a review.`
  return [
    ...(ours.sets < SHARE_FROM && lost.sets > MOST_SET_DELETIONS
      ? [{ code: 'too-many-deletions', message: few, item: WHOLE_PLAN } as const]
      : []),
    ...tooLarge('too-many-deletions', 'deleted', lost, ours, guards.deletions),
  ]
}

/**
 * The limit on changes of existing objects, if the files set one. A deleted set does not count here, because it has
 * its own guard; a replaced variable counts as changed.
 */
function updates(steps: readonly Step[], ours: Tally, { updates: most }: Guards): Block[] {
  if (most === undefined) return []
  const sets = new Set<string>()
  let variables = 0
  for (const { operation } of steps) {
    const { id } = operation.subject
    if (id === undefined || operation.type === 'delete-set') continue
    sets.add(id)
    if (operation.type === 'update-variable') variables++
    else if (operation.type === 'delete-variable' && operation.replaced) variables++
  }
  return tooLarge('too-many-updates', 'changed', { sets: sets.size, variables, assignments: 0 }, ours, most)
}

/** A block for each count of which more than `most` percent are taken away or changed. */
const tooLarge = (code: Block['code'], verb: string, counts: Tally, ours: Tally, most: number): Block[] =>
  (['sets', 'variables', 'assignments'] as const).flatMap(what => {
    const [count, all] = [counts[what], ours[what]]
    if (all < SHARE_FROM || count * 100 <= most * all) return []
    const message = `${count} of ${all} ${what} are ${verb}; more than ${most} % need a review.`
    return { code, message, item: WHOLE_PLAN }
  })

/**
 * Guards of a run with an inventory. An unlisted set that differs from the files may belong to somebody else. And
 * repairing drift must not silently delete a secret that only the service has.
 */
export function guardAdoption(
  steps: readonly Step[],
  match: Match,
  ownership: Ownership,
  adopt: readonly string[],
): Block[] {
  if (ownership.owner === undefined) return []
  // A deletion is of another set.
  const own = steps.filter(({ operation }) => operation.type !== 'delete-set')
  const bySet = grouped(own, ({ operation }) => operation.subject.name)
  return match.pairs.flatMap(pair => {
    const mine = bySet.get(pair.desired.name) ?? []
    if (mine.length === 0 || pair.observed === undefined) return []
    if (ownership.isUnclaimed(pair.observed)) {
      // Nobody can see whether a secret differs, and a service may drop white space at the ends of values.
      const isEqual = mine.every(
        ({ operation }) => rewriteOf(operation) === 'taken-charge' || changesEndsAlone(operation),
      )
      const isOurs = isEqual || isHalfMade(creationOf(pair.desired), pair.observed)
      return isOurs || selects(adopt, { name: pair.desired.name, id: pair.observed.id })
        ? []
        : [adoptsDifferent(pair, pair.observed)]
    }
    return losesByRepair(pair, ownership, mine)
  })
}

/** What identifies the guard of a set that is in no inventory. */
export const adoptionOf = (set: string): Pick<Block, 'code' | 'item'> => ({
  code: 'adopts-different',
  item: itemOf(set),
})

const adoptsDifferent = ({ desired }: Pair, observed: ObservedSet): Block => ({
  ...adoptionOf(desired.name),
  message:
    `"${desired.name}" is in no inventory and differs from the file: ${contents(observed.variables.length, idsOf(observed).length)} in the service, ` +
    `${contents(desired.variables.length, idsOf(desired).length)} in the file. --adopt ${commandWord(desired.name)} takes ownership and applies the file.`,
  source: desired.source,
})

const contents = (variables: number, assignments: number): string =>
  `${plural(variables, 'variable')} and ${plural(assignments, 'assignment')}`

/** The file has not changed since it was applied, so the difference came from outside. */
function losesByRepair(pair: Pair, ownership: Ownership, steps: readonly Step[]): Block[] {
  const entry = entryOf(pair, ownership)
  if (entry === undefined || isOutdated(entry, pair)) return []
  return steps.flatMap(({ operation }): Block[] => {
    if (operation.type !== 'delete-variable' || operation.replaced || !losesSecret(operation.before))
      return []
    const { name: set } = operation.subject
    const { key } = operation.before
    const message = `"${set}" contains the secret ${key}, which was set outside Setpoint. Repairing the drift deletes it for good.`
    return [
      { code: 'loses-secret', message, item: { kind: 'variable', set, key }, source: pair.desired.source },
    ]
  })
}

/** Whether a gap opens for a workspace that the service does not tell is unknown, which is an error where gaps are forbidden. */
export const checkGapsKnown = (
  steps: readonly Step[],
  { level, withoutProject, groups }: Received,
  guards: Guards,
): Diagnostic[] =>
  guards.gaps === undefined ||
  steps.length < 2 ||
  groups.length === 0 ||
  (level === 'workspaces' && withoutProject === 0)
    ? []
    : [
        mistake(
          'unknown-audience',
          'guards.gaps forbids gaps, and the service does not tell this token all workspaces that may see one.',
          'Use a token that may read the workspaces and projects of the organization.',
        ),
      ]

/** Blocks a plan with gaps if the files forbid them. Its place is the line of the step that ends the first gap. */
export function guardGaps(steps: readonly Step[], { gaps, left }: Transition, guards: Guards): Block[] {
  const [first] = gaps
  if (guards.gaps === undefined || first === undefined) return []
  const found = gaps.length + left
  const what =
    found === 1
      ? `A workspace may see a value of ${first.key} that is neither the old nor the new one`
      : `Workspaces may see ${found} values that are neither the old nor the new ones`
  const source = steps.find(({ id }) => id === first.between[1])?.source
  const message = `${what}, and guards.gaps forbids it.`
  return [{ code: 'opens-gap', message, item: WHOLE_PLAN, ...(source === undefined ? {} : { source }) }]
}
