import { compareText } from '../model/diagnostic.ts'
import { nameOf } from '../model/ids.ts'
import { suggest } from '../model/suggest.ts'
import type { DesiredSet, DesiredVariable } from '../model/variable-set.ts'
import type { Findings } from './findings.ts'
import type { Base, WrittenSet } from './set-file.ts'

/** Bases by name. A name that is there twice is reported; the first one counts. */
export function indexBases(bases: readonly Base[], findings: Findings): ReadonlyMap<string, Base> {
  const index = new Map<string, Base>()
  for (const base of bases) {
    const first = index.get(base.name)
    if (first === undefined) index.set(base.name, base)
    else
      findings.error(
        'duplicate-set',
        base.source,
        `the base "${base.name}" is already at ${first.source.path}:${first.source.line}`,
        'A base is visible in all set files, so its name must be unique. Rename one of the two.',
      )
  }
  return index
}

/**
 * The set with the variables of its base: an entry of the set replaces the base's entry whole. `complete`: all
 * files were readable, so a base that is not there is a mistake.
 */
export function withBase(
  written: WrittenSet,
  bases: ReadonlyMap<string, Base>,
  complete: boolean,
  findings: Findings,
): DesiredSet {
  const { from, ...set } = written
  const base = from && bases.get(from.name)
  if (from === undefined || base === undefined) {
    if (from !== undefined && complete) reportUnknown(from, bases, findings)
    return { ...set, variables: set.variables.toSorted(byKey) }
  }
  const own = new Set(set.variables.map(variable => variable.key))
  const inherited: DesiredVariable[] = []
  for (const variable of base.variables) {
    if (own.has(variable.key)) continue
    if ('value' in variable) inherited.push({ ...variable, source: from.source, base: variable.source })
    else
      findings.error(
        'required-value',
        set.source,
        `"${set.name}" must give ${variable.key}: the base "${base.name}" requires it at ${variable.source.path}:${variable.source.line}`,
        `Write ${nameOf(variable.key)} under the set's \`${variable.key.startsWith('env/') ? 'env' : 'terraform'}\`.`,
      )
  }
  return { ...set, variables: [...set.variables, ...inherited].sort(byKey) }
}

const byKey = (a: DesiredVariable, b: DesiredVariable): number => compareText(a.key, b.key)

function reportUnknown(
  from: NonNullable<WrittenSet['from']>,
  bases: ReadonlyMap<string, Base>,
  findings: Findings,
): void {
  const near = suggest(from.name, bases.keys())
  findings.error(
    'unknown-base',
    from.source,
    `there is no base "${from.name}"`,
    near === undefined ? 'Write it under `bases:` in any set file.' : `Did you mean "${near}"?`,
  )
}
