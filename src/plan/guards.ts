import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { idsOf } from '../model/ids.ts'
import { grouped, plural } from '../model/lists.ts'
import { flagWith, selects } from '../model/names.ts'
import type { Directory, Guards, ObservedSet } from '../model/variable-set.ts'
import { isHalfMade } from './completion.ts'
import { creationOf } from './draft.ts'
import type { Received, Transition } from './effective/effect.ts'
import type { Reception } from './effective/reception.ts'
import { rewriteOf } from './items.ts'
import { guardLosses } from './losses.ts'
import type { Match, Pair } from './match.ts'
import { type DeleteSet, losesSecret } from './operation.ts'
import { entryOf, isOutdated, type Ownership } from './ownership.ts'
import { type Block, type Step, WHOLE_PLAN } from './plan-data.ts'
import { changesEndsAlone } from './stored-text.ts'

/** Shares count from this many sets or variables. Below it, only the number of deleted sets counts. */
const SHARE_FROM = 10
const MOST_SET_DELETIONS = 2

/** Reasons not to apply this plan without a review. Shares refer to the observed sets that a file declares or removes. */
export function guardPlan(
  steps: readonly Step[],
  match: Match,
  guards: Guards,
  reception: Reception,
  directory: Directory,
): Block[] {
  return [
    ...deletions(steps).flatMap(({ operation, step }) => [
      ...reachesOthers(operation, step),
      ...protectedName(operation, step, guards),
    ]),
    ...deletedSets(steps, match, guards),
    ...guardLosses(reception, match, guards, directory),
    ...updates(steps, match, guards),
    ...(match.pairs.length === 0 && match.outsideSelection === 0 && steps.length > 0 ? [EMPTY] : []),
  ]
}

const EMPTY: Block = {
  code: 'empty-desired-state',
  message: 'The files declare no set, but this plan deletes something.',
  item: WHOLE_PLAN,
}

const itemOf = (set: string): Block['item'] => ({ kind: 'set', set })

const deletions = (steps: readonly Step[]): { operation: DeleteSet; step: Step }[] =>
  steps.flatMap(step => (step.operation.type === 'delete-set' ? [{ operation: step.operation, step }] : []))

/** Relations that are lost for good with the set, and that nobody can measure. */
function reachesOthers({ subject, before }: DeleteSet, { source }: Step): Block[] {
  const { others = [] } = before
  const stacks = others.find(({ what }) => what === 'stacks')?.count ?? before.stacks?.length ?? 0
  const unknown = others.flatMap(({ what, count }) => (what === 'stacks' ? [] : `${what}: ${count}`))
  const reached = stacks > 0 ? [plural(stacks, 'Stack')] : []
  if (unknown.length > 0)
    reached.push(`something that this version of Setpoint does not know (${unknown.join(', ')})`)
  if (reached.length === 0) return []
  const message = `"${subject.name}" is deleted while it still reaches ${reached.join(' and ')}.`
  return [{ code: 'reaches-others', message, item: itemOf(subject.name), source }]
}

/** A protected name covers every set with it. */
function protectedName({ subject, before }: DeleteSet, { source }: Step, guards: Guards): Block[] {
  if (![subject.name, before.name].some(name => selects(guards.protect, { name, id: subject.id }))) return []
  const message = `"${subject.name}" is protected and would be deleted.`
  return [{ code: 'protected-name', message, item: itemOf(subject.name), source }]
}

/** Sets that a plan deletes. Variables and assignments count as what workspaces lose (losses.ts). */
function deletedSets(
  steps: readonly Step[],
  { pairs, removals }: Match,
  { deletions: most }: Guards,
): Block[] {
  const lost = deletions(steps).length
  const all = [...pairs, ...removals].filter(({ observed }) => observed !== undefined).length
  if (all < SHARE_FROM ? lost <= MOST_SET_DELETIONS : lost * 100 <= most * all) return []
  const limit = all < SHARE_FROM ? `${MOST_SET_DELETIONS}` : `${most} %`
  const message = `${lost} of ${all} sets are deleted; more than ${limit} need a review.`
  return [{ code: 'too-many-deletions', message, item: WHOLE_PLAN }]
}

/**
 * The limit on changes of existing objects, if the files set one. A deleted set does not count here, because it has
 * its own guard; a replaced variable counts as changed.
 */
function updates(steps: readonly Step[], { pairs, removals }: Match, { updates: most }: Guards): Block[] {
  if (most === undefined) return []
  const ours = [...pairs, ...removals].flatMap(({ observed }) => observed ?? [])
  const changed = new Set<string>()
  let variables = 0
  for (const { operation } of steps) {
    const { id } = operation.subject
    if (id === undefined || operation.type === 'delete-set') continue
    changed.add(id)
    if (operation.type === 'update-variable') variables++
    else if (operation.type === 'delete-variable' && operation.replaced) variables++
  }
  const held = ours.reduce((sum, set) => sum + set.variables.length, 0)
  const tooMany = (count: number, all: number, what: string): Block[] =>
    all < SHARE_FROM || count * 100 <= most * all
      ? []
      : [
          {
            code: 'too-many-updates',
            message: `${count} of ${all} ${what} are changed; more than ${most} % need a review.`,
            item: WHOLE_PLAN,
          },
        ]
  return [...tooMany(changed.size, ours.length, 'sets'), ...tooMany(variables, held, 'variables')]
}

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
  const bySet = grouped(steps, ({ operation }) => operation.subject.name)
  return match.pairs.flatMap(pair => {
    const mine = bySet.get(pair.desired.name) ?? []
    if (mine.length === 0 || pair.observed === undefined) return []
    if (ownership.isUnlisted(pair.observed)) {
      // A secret that is written again differs in nothing that anybody sees, and a service may drop whitespace at the ends of values.
      const isEqual = mine.every(
        ({ operation }) => rewriteOf(operation) !== undefined || changesEndsAlone(operation),
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
    `${contents(desired.variables.length, idsOf(desired).length)} in the file. ${flagWith('--adopt', desired.name)} takes ownership and applies the file.`,
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
          'guards.gaps forbids gaps, and the service does not show this token all workspaces that may see one.',
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
