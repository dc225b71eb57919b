import type { ChangedSet } from '../plan/changed-sets.ts'
import { beyondDigest } from '../plan/consent.ts'
import { canBeAccepted } from '../plan/operation.ts'
import type { Origin, Plan } from '../plan/plan-data.ts'
import { commandLine, isCopied, type TypedCommand } from './command-line.ts'
import { command, listed, name, type Phrase, present, type Quote, say, secretPlace } from './phrase.ts'
import { line, type Total } from './totals.ts'

/** How a blocked plan is approved: with the command of the one who planned it. */
export function approval(plan: Plan, typed: TypedCommand | undefined): { readonly command?: Quote } {
  if (typed === undefined) return {}
  const { address, digest } = plan
  const apply = commandLine(typed).as('apply').without('--auto-approve', '--approve')
  // A saved plan tells its service, and `show` has no flag for it.
  const there = address === 'sandbox' ? apply.withSwitch('--sandbox') : apply
  if (beyondDigest(plan) === undefined) return { command: there.with('--approve', digest).quote }
  // A digest does not name members of projects: the plan file does, and has its selection.
  const save = there.as('plan').with('--out', 'plan.json')
  const file = there.without('--only').withFile('plan.json').with('--approve', digest)
  return { command: command(`${save.quote.text} && ${file.quote.text}`) }
}

/**
 * The commands that revert or accept the drift of a report. `unfinished`: names of sets that a merge or an apply left unfinished: nobody can
 * tell what of them was changed outside.
 */
export function waysOut(
  plan: Plan,
  sets: readonly ChangedSet[],
  typed: TypedCommand | undefined,
  unfinished: readonly string[] = [],
): Total[] {
  const { only } = plan
  const [first, ...others] = sets
  if (first === undefined) return []
  const outside = madeOutside(sets)
  const made = outside.filter(set => !unfinished.includes(set.name))
  const filesOf = ({ changes }: ChangedSet): readonly string[] =>
    changes.flatMap(({ steps }) => steps.flatMap(({ file }) => file ?? []))
  // A set is taken over as a whole, and with it what was merged and not applied would be undone.
  const mixed = outside.filter(set => originsIn(set).includes('not-applied'))
  const acceptable = outside
    .filter(set => !mixed.includes(set))
    .filter(({ changes }) =>
      changes.some(({ steps }) => steps.some(({ operation }) => canBeAccepted(operation))),
    )
  const open = acceptable.filter(set => unfinished.includes(set.name))
  const offered = acceptable.filter(set => !open.includes(set))
  // `export --update` writes only set files, never the file that a value comes from.
  const deletions = new Map(
    plan.steps.flatMap(step =>
      step.operation.type === 'delete-set' ? [[step.operation.subject.name, step] as const] : [],
    ),
  )
  // `export --update` writes sets that files declare. One that is deleted is in none of them, or below `removed`.
  const undeclared = offered.filter(set => deletions.has(set.name))
  const declared = offered.filter(set => !deletions.has(set.name))
  const takeable = declared.filter(set => filesOf(set).length === 0).map(set => copiedName(set, plan))
  const listedAsRemoved = undeclared.filter(set => deletions.get(set.name)?.source !== undefined)
  const byHand = [...new Set(offered.flatMap(filesOf))]
  const isAll = takeable.length === sets.length && others.length > 0
  const updates = isAll ? (only.length === 0 ? ['*'] : only) : takeable
  const origins = new Map(plan.facts.origins.map(({ set, items }) => [set, items]))
  const renamed = plan.steps.flatMap(({ operation }) =>
    operation.type === 'update-set' && origins.get(operation.subject.name)?.name === 'outside'
      ? [say`by hand: rename ${name(operation.after.name)} to ${name(operation.before.name)} in the file`]
      : [],
  )
  const written = plan.steps.flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'changed-outside' ? operation : [],
  )
  const apply = typed && commandLine(typed).as('apply')
  const alone = others.length === 0 ? selectorOf(first, plan) : undefined
  const revert = alone === undefined ? apply : apply?.without('--only').with('--only', alone)
  const update =
    typed &&
    commandLine(typed)
      .as('export')
      .with('--update', ...updates)
  const write =
    typed &&
    commandLine(typed)
      .as('export')
      .without('--only')
      .with('--only', ...undeclared.map(set => copiedName(set, plan)))
      .with('--out', 'sets')
  return [
    ...labelled(
      made.length === 0 ? 'Apply' : 'Revert',
      revert && [revert.quote],
      revert && plan.blocked && ['a guard blocks it: it says what to approve'],
    ),
    ...labelled(
      'Accept',
      updates.length > 0 && update && [update.quote],
      listedAsRemoved.length > 0 &&
        say`first, by hand: take ${listed(listedAsRemoved.map(set => set.name))} out of \`removed\``,
      undeclared.length > 0 && write && [write.quote],
      written.length > 0 &&
        say`by hand: put the value of ${listed(written.map(secretPlace))} into its source, and raise its version`,
      ...renamed,
      byHand.length > 0 && say`by hand: values come from ${listed(byHand)}`,
      mixed.length > 0 &&
        say`by hand: ${listed(mixed.map(set => set.name))} also ${mixed.length === 1 ? 'has' : 'have'} merged changes that are not applied`,
      open.length > 0 &&
        say`by hand: the files of ${listed(open.map(set => set.name))} changed since they were applied, or an apply stopped halfway`,
    ),
  ]
}

/** A line for each way; the first has the label. */
const labelled = (label: string, ...ways: readonly (Phrase | undefined | false)[]): Total[] =>
  present(...ways).flatMap((way, at) => line(at === 0 ? label : '', way))

/**
 * What selects a set with `--only`. One that is deleted beside another of its name has its id there. Nothing selects a pruned set,
 * because a selection suspends pruning.
 */
function selectorOf(set: ChangedSet, plan: Plan): string | undefined {
  const { steps } = plan
  const step = steps.find(({ operation: { subject } }) => subject.name === set.name)
  if (step?.operation.type !== 'delete-set') return copiedName(set, plan)
  if (step.source === undefined) return undefined
  return step.operation.before.name === set.name ? copiedName(set, plan) : step.operation.subject.id
}

/** The name of a set, or its id if the name cannot be copied. A set that is to be created has no id. */
function copiedName({ name: set }: ChangedSet, { steps }: Plan): string {
  const { id = set } =
    steps.find(({ operation: { subject } }) => subject.name === set)?.operation.subject ?? {}
  return isCopied(set) ? set : id
}

/** The known origins of the differences of a set, each once. */
const originsIn = ({ changes, origin }: ChangedSet): Origin[] => [
  ...new Set((changes.length === 0 ? [origin] : changes.map(one => one.origin)).flatMap(one => one ?? [])),
]

/** Sets without merged but unapplied changes: accepting those would undo a merge. */
function madeOutside(sets: readonly ChangedSet[]): readonly ChangedSet[] {
  const outside = sets.filter(set => originsIn(set).includes('outside'))
  if (outside.length > 0) return outside
  return sets.filter(set => {
    const origins = originsIn(set)
    return origins.length !== 1 || origins[0] !== 'not-applied'
  })
}
