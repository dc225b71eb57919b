import { commandWord } from '../model/diagnostic.ts'
import { idsOf } from '../model/ids.ts'
import { matchesAny } from '../model/names.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import { entryOf, isOutdated } from './inventory.ts'
import type { Match, Pair } from './match.ts'
import { losesSecret } from './operation.ts'
import type { Ownership } from './ownership.ts'
import type { Block, Step } from './plan.ts'

/**
 * Guards of a run with an inventory. A set that nobody lists and that differs from the files may be somebody's: it is not
 * changed without a word. And a secret that only the service had is not deleted to repair drift without one.
 */
export function guardAdoption(
  steps: readonly Step[],
  match: Match,
  ownership: Ownership,
  adopt: readonly string[],
): Block[] {
  if (ownership.owner === undefined) return []
  const bySet = new Map<string, Step[]>()
  for (const step of steps) {
    // That is another set: a removed one, or what a replacement leaves.
    if (step.operation.type === 'delete-set') continue
    bySet.set(step.operation.subject.name, [...(bySet.get(step.operation.subject.name) ?? []), step])
  }
  return match.pairs.flatMap(pair => {
    const mine = bySet.get(pair.desired.name) ?? []
    if (mine.length === 0 || pair.observed === undefined) return []
    if (ownership.isUnclaimed(pair.observed))
      return matchesAny(adopt, pair.desired.name) ? [] : [adoptsDifferent(pair, pair.observed)]
    return losesByRepair(pair, ownership, mine)
  })
}

const adoptsDifferent = ({ desired }: Pair, observed: ObservedSet): Block => ({
  code: 'adopts-different',
  message:
    `"${desired.name}" is in no inventory and differs: it has ${contents(observed.variables.length, idsOf(observed).length)}; ` +
    `your file has ${contents(desired.variables.length, idsOf(desired).length)}. --adopt ${commandWord(desired.name)} takes it over as the file says.`,
  source: desired.source,
})

const contents = (variables: number, assignments: number): string =>
  `${counted(variables, 'variable')} and ${counted(assignments, 'assignment')}`

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** The file did not change since it was applied, so what is in the way came from outside. */
function losesByRepair(pair: Pair, ownership: Ownership, steps: readonly Step[]): Block[] {
  const entry = entryOf(pair, ownership)
  if (entry === undefined || isOutdated(entry, pair)) return []
  return steps.flatMap(({ operation }) =>
    operation.type === 'delete-variable' && !operation.replaced && losesSecret(operation.before)
      ? [
          {
            code: 'loses-secret',
            message: `"${operation.subject.name}" holds the secret ${operation.before.key}, which was set outside; repairing the drift deletes it for good.`,
            source: pair.desired.source,
          } satisfies Block,
        ]
      : [],
  )
}
