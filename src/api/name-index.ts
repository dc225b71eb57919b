import type { DiagnosticCode, SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { TARGETS, type TargetKind } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type { DirectoryEntry } from '../model/variable-set.ts'

interface WrittenName {
  readonly name: string
  readonly source: SourceRange
}

/** The names of one kind, and the ids they stand for. */
export interface NameIndex<Id extends string> {
  readonly kind: TargetKind
  /** The id of a name; otherwise `undefined`, and a finding says why. */
  readonly resolve: (written: WrittenName, findings: Findings) => Id | undefined
}

/** `live` is `undefined` where the service was not asked, or does not say. */
export function createNameIndex<Id extends string>(
  kind: TargetKind,
  filed: readonly DirectoryEntry<Id>[],
  live: readonly DirectoryEntry<Id>[] | undefined,
): NameIndex<Id> {
  const { one } = TARGETS[kind]
  const inFile = byName(filed)
  const inService = byName(live ?? [])
  const placeOf = new Map(filed.map(({ name, source }) => [name, source]))

  function resolve({ name, source }: WrittenName, findings: Findings): Id | undefined {
    const report = (
      code: DiagnosticCode,
      message: string,
      hint: string | (() => string),
      at = source,
    ): undefined => {
      findings.error(code, at, message, hint)
    }
    const ids = inFile.get(name) ?? inService.get(name) ?? []
    const [id, ...others] = ids
    if (id === undefined)
      return report('unknown-name', `there is no ${one} "${name}"`, () => {
        const meant = suggest(name, [...inFile.keys(), ...inService.keys()])
        return meant === undefined ? 'write its id, or correct the name' : `did you mean "${meant}"?`
      })
    if (others.length > 0)
      return report(
        'ambiguous-name',
        `"${name}" is the name of ${ids.length} ${one}s: ${ids.join(', ')}`,
        'write the id of the one that is meant',
      )
    const now = live === undefined || !inFile.has(name) ? ids : (inService.get(name) ?? [])
    if (now.includes(id)) return id
    const says = now.length === 0 ? `has no ${one} of this name` : `says ${now.join(', ')}`
    return report(
      'stale-name',
      `the directory file says that ${one} "${name}" is ${id}, and the service ${says}`,
      'Write the directory file again: setpoint directory',
      placeOf.get(name),
    )
  }

  return { kind, resolve }
}

function byName<Id extends string>(
  entries: readonly DirectoryEntry<Id>[],
): ReadonlyMap<string, readonly Id[]> {
  const ids = new Map<string, Id[]>()
  for (const { name, id } of entries) {
    const known = ids.get(name) ?? []
    if (!known.includes(id)) ids.set(name, [...known, id])
  }
  return ids
}
