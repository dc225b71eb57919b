import { compareText } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import { grouped, holderOf } from '../model/lists.ts'
import { didYouMean } from '../model/names.ts'
import type { DesiredSet, DesiredVariable } from '../model/variable-set.ts'
import { type Budget, CHARACTERS_EACH } from './loader-limits.ts'
import type { WrittenBase, WrittenSet } from './set-file.ts'

/** Bases by name. A duplicate is reported, and the first base counts. */
export function indexBases(
  bases: readonly WrittenBase[],
  findings: Findings,
): ReadonlyMap<string, WrittenBase> {
  const index = new Map<string, WrittenBase>()
  for (const base of bases) {
    const first = holderOf(index, base.name, base)
    if (first !== undefined)
      findings.error(
        'duplicate-set',
        `The base "${base.name}" is already defined at ${first.source.path}:${first.source.line}.`,
        'A base is visible in all set files, so its name must be unique. Rename one of the two.',
        base.source,
      )
  }
  return index
}

interface CombineContext {
  readonly bases: ReadonlyMap<string, WrittenBase>
  /** All files were readable, so a missing base is a mistake. */
  readonly complete: boolean
  readonly budget: Budget
  readonly findings: Findings
}

/**
 * The sets with the variables of their bases; a variable of a set replaces that of its base entirely. Past the limit, sets stay as
 * they are written, because short files can ask for more than any machine can hold.
 */
export function withBases(sets: readonly WrittenSet[], context: CombineContext): DesiredSet[] {
  const { bases, budget } = context
  const sizeOf = new Map([...bases].map(([name, base]) => [name, sizeIn(base)]))
  return sets.map(set => {
    const base = set.from && bases.get(set.from.name)
    const isWithin = budget.take(sizeOf.get(base?.name ?? '') ?? 0, set.source)
    return withBase(set, isWithin ? base : undefined, context)
  })
}

const sizeIn = ({ variables }: WrittenBase): number =>
  variables.reduce(
    (sum, one) => sum + CHARACTERS_EACH + ('value' in one && 'text' in one.value ? one.value.text.length : 0),
    0,
  )

function withBase(
  { from, open, ...set }: WrittenSet,
  base: WrittenBase | undefined,
  { bases, budget, complete, findings }: CombineContext,
): DesiredSet {
  if (from === undefined || base === undefined) {
    if (from !== undefined && complete && !budget.isSpent)
      findings.error(
        'unknown-base',
        `There is no base "${from.name}".`,
        () => didYouMean(from.name, bases.keys()) ?? 'Define it under `bases:` in any set file.',
        from.source,
      )
    return { ...set, variables: set.variables.toSorted(byKey) }
  }
  const own = new Set(set.variables.map(variable => variable.key))
  const inherited: DesiredVariable[] = []
  for (const variable of base.variables) {
    if (own.has(variable.key)) continue
    if ('value' in variable) inherited.push({ ...variable, source: from.source, base: variable.source })
    else if (open === undefined)
      findings.error(
        'required-value',
        `"${set.name}" has no ${variable.key}, which the base "${base.name}" requires at ${variable.source.path}:${variable.source.line}.`,
        `Add ${nameOf(variable.key)} under the set's \`${categoryOf(variable.key)}\`.`,
        set.source,
      )
  }
  return { ...set, variables: [...set.variables, ...inherited].sort(byKey) }
}

const byKey = (a: DesiredVariable, b: DesiredVariable): number => compareText(a.key, b.key)

const ownerIn = ({ project }: DesiredSet): string =>
  project === undefined ? '' : 'id' in project ? `id ${project.id}` : `name ${project.name}`

export const sameOwnerIn = (sets: readonly DesiredSet[], set: DesiredSet): DesiredSet | undefined =>
  sets.find(other => ownerIn(other) === ownerIn(set))

/** Sets with the same name are told apart by their keys (docs/files.md#sets-of-projects). */
export function checkLabels(named: readonly (readonly DesiredSet[])[], findings: Findings): void {
  if (named.every(sets => sets.length === 1)) return
  const holders = new Map<string, DesiredSet>()
  for (const sets of named.toSorted((a, b) => a.length - b.length))
    for (const set of sets) {
      const label = sets.length === 1 ? set.name : (set.key ?? set.name)
      const other = holderOf(holders, label, set)
      if (other !== undefined)
        findings.error(
          'duplicate-set',
          `The key "${label}" already identifies another set at ${other.source.path}:${other.source.line}.`,
          `Sets with the same name are told apart by their keys. Choose another key, and write \`name: ${set.name}\` in the set.`,
          set.source,
        )
    }
}

/** Sets with the same name are named by their keys from here on. `serviceName` is their name in the service. */
export function withLabels(sets: DesiredSet[]): DesiredSet[] {
  const named = grouped(sets, ({ name }) => name)
  return sets.map(({ key, ...set }) =>
    named.get(set.name)?.length === 1 ? set : { ...set, name: key ?? set.name, serviceName: set.name },
  )
}
