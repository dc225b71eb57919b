import { createNameLookup } from '../api/directory.ts'
import { observe } from '../api/observe.ts'
import { targetNames } from '../export/desired-set.ts'
import { secretRefs } from '../export/secret-names.ts'
import { type Exported, exportedSets } from '../export/sets.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { TARGET_KINDS, type TargetKind } from '../model/ids.ts'
import { selects } from '../model/names.ts'
import type { Directory, ObservedSet, ObservedState } from '../model/variable-set.ts'
import type { ReadOnly } from './prepare.ts'

export interface ExportRequest {
  readonly organization: string
  /** Patterns of set names; empty: everything. */
  readonly only: readonly string[]
  readonly owner?: string
  readonly owns: readonly string[]
  /** What the directory file says. */
  readonly directory: Directory
  /** Sensitive variables become references to secrets; otherwise their values stay in the service. */
  readonly references?: boolean
}

/** An export with what it was made of. */
export interface ExportRun extends Exported {
  readonly observed: ObservedState
  /** Names from the service, if it was asked and shows them. */
  readonly live?: Directory
}

/**
 * What files can hold of an organization. The service is asked for names only if the directory file lacks one. Rejects if
 * the service cannot be read.
 */
export async function exportFrom({ reader }: ReadOnly, wishes: ExportRequest): Promise<ExportRun> {
  const { organization, only, directory } = wishes
  const observed = await observe(reader, organization)
  const lookUp = createNameLookup(reader, organization, directory.projects)
  const unnamed = unnamedKinds(observed, only, directory)
  const [asked, stacks] = await Promise.all([
    unnamed.includes('workspaces') || unnamed.includes('projects') ? lookUp.places() : undefined,
    unnamed.includes('stacks') ? lookUp.stacks() : undefined,
  ])
  const live =
    asked?.value === undefined && stacks === undefined
      ? undefined
      : { ...directory, ...asked?.value, ...(stacks && { stacks }) }
  // Of all sets, so that a name means the same secret if other sets are exported later.
  const refs = secretRefs(observed.sets, ({ value }) => wishes.references === true && 'hidden' in value)
  const exported = exportedSets(observed, {
    ...wishes,
    names: targetNames(directory, live),
    secretOf: ({ id }) => refs.get(id),
  })
  return {
    ...exported,
    diagnostics: [...exported.diagnostics, ...(asked?.diagnostics ?? []).map(idsInstead)],
    observed,
    live,
  }
}

/** The kinds of which the directory file lacks an id: one that a set is assigned to, or that owns it. */
function unnamedKinds({ sets }: ObservedState, only: readonly string[], directory: Directory): TargetKind[] {
  const selected = sets.filter(set => only.length === 0 || selects(only, set))
  return TARGET_KINDS.filter(kind => {
    const known = new Set<string>((directory[kind] ?? []).map(({ id }) => id))
    const idsOf = (set: ObservedSet): readonly string[] => [
      ...(set[kind] ?? []),
      ...(kind === 'projects' && set.parent !== undefined ? [set.parent] : []),
    ]
    return selected.some(set => idsOf(set).some(id => !known.has(id)))
  })
}

/** Ids are harder to read than names, and as correct. */
const idsInstead = (diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  severity: 'warning',
  hint: 'The files have ids instead of names.',
})
