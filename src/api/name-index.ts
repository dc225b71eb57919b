import type { DiagnosticCode, SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { suggest } from '../model/suggest.ts'

interface Named<Id extends string> {
  readonly name: string
  readonly id: Id
  /** Its line in the directory file. */
  readonly source?: SourceRange
}

interface WrittenName {
  readonly name: string
  readonly source: SourceRange
}

/** The names of one kind, and the ids they stand for. */
export interface NameIndex<Id extends string> {
  readonly kind: 'workspace' | 'project'
  /** The id of a name; otherwise `undefined`, and a finding says why. */
  readonly resolve: (written: WrittenName, findings: Findings) => Id | undefined
}

/** `live` is `undefined` where the service was not asked, or does not say. */
export function createNameIndex<Id extends string>(
  kind: 'workspace' | 'project',
  filed: readonly Named<Id>[],
  live: readonly Named<Id>[] | undefined,
): NameIndex<Id> {
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
      return report('unknown-name', `there is no ${kind} "${name}"`, () => {
        const meant = suggest(name, [...inFile.keys(), ...inService.keys()])
        return meant === undefined ? 'write its id, or correct the name' : `did you mean "${meant}"?`
      })
    if (others.length > 0)
      return report(
        'ambiguous-name',
        `"${name}" is the name of ${ids.length} ${kind}s: ${ids.join(', ')}`,
        'write the id of the one that is meant',
      )
    const now = live === undefined || !inFile.has(name) ? ids : (inService.get(name) ?? [])
    if (now.includes(id)) return id
    const says = now.length === 0 ? `has no ${kind} of this name` : `says ${now.join(', ')}`
    return report(
      'stale-name',
      `the directory file says that ${kind} "${name}" is ${id}, and the service ${says}`,
      'Write the directory file again: setpoint directory',
      placeOf.get(name),
    )
  }

  return { kind, resolve }
}

function byName<Id extends string>(entries: readonly Named<Id>[]): ReadonlyMap<string, readonly Id[]> {
  const ids = new Map<string, Id[]>()
  for (const { name, id } of entries) {
    const known = ids.get(name) ?? []
    if (!known.includes(id)) ids.set(name, [...known, id])
  }
  return ids
}
