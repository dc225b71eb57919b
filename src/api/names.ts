import { type Checked, compareText, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { ownerOf } from '../model/fields.ts'
import { Findings } from '../model/findings.ts'
import { byKind, listsOf, TARGETS, type TargetIds, type TargetKind } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type {
  DesiredSet,
  DesiredState,
  DirectoryEntry,
  DirectoryLists,
  ResolvedSet,
  ResolvedState,
  TargetRef,
  TargetRefs,
} from '../model/variable-set.ts'
import type { NameLookup } from './directory.ts'

/**
 * Resolves names to ids: with the directory file first, then with `lookUp` for names that the file does not have. Unknown, ambiguous, stale
 * and duplicate targets are diagnostics at their place, and so is the first Stack on a service without Stacks. `all`: everything that
 * the service lists, whether or not a name needs it.
 */
export async function resolveNames(
  desired: DesiredState,
  lookUp: NameLookup,
  all = false,
): Promise<Checked<ResolvedState>> {
  const unknown = unknownNames(desired)
  const needsPlaces = (unknown.workspaces ?? unknown.projects) !== undefined
  const [live, stacks] = await Promise.all([
    needsPlaces || all ? lookUp.places() : undefined,
    unknown.stacks === undefined && !all ? undefined : lookUp.stacks(),
  ])
  const findings = new Findings()
  const hasNoStacks = unknown.stacks !== undefined && stacks === undefined
  if (hasNoStacks) noStacks(unknown.stacks, findings)
  const listed = { ...live?.value, ...(stacks === undefined ? {} : { stacks }) }
  const kinds = [...(live?.value === undefined ? [] : PLACES), ...(stacks === undefined ? [] : STACKS)]
  const indexes = indexesOf(desired.directory, listed)
  const sets = desired.sets.map(set => resolveSet(set, indexes, hasNoStacks ? ['stacks'] : [], findings))
  const diagnostics = [...((needsPlaces && live?.diagnostics) || []), ...findings.sorted()]
  const directory = { ...desired.directory, ...listed, ...(kinds.length === 0 ? {} : { live: kinds }) }
  return { value: hasErrors(diagnostics) ? undefined : { ...desired, directory, sets }, diagnostics }
}

const PLACES: readonly TargetKind[] = ['workspaces', 'projects']
const STACKS: readonly TargetKind[] = ['stacks']

/** Reported once, at the first Stack in the files. */
export function noStacks({ source }: TargetRef<string>, findings: Findings): void {
  findings.error(
    'no-stacks',
    source,
    'The service has no Stacks, or shows none to this token.',
    'Terraform Enterprise has none. Remove `stacks` from the files, or give the token access to the Stacks.',
  )
}

type NameIndexes = { readonly [K in TargetKind]: NameIndex<TargetIds[K]> }

/** The names of each kind, from the directory file and from the service. */
export const indexesOf = (filed: DirectoryLists, listed: DirectoryLists | undefined): NameIndexes =>
  byKind<NameIndexes>(kind => createNameIndex(kind, filed[kind] ?? [], listed?.[kind]))

/** The first name of each kind that the directory file does not have. */
function unknownNames({ sets, directory }: DesiredState): { readonly [K in TargetKind]?: TargetRef<string> } {
  return byKind(kind => {
    const known = new Set((directory[kind] ?? []).map(({ name }) => name))
    const owners = kind === 'projects' ? sets.flatMap(({ project }) => project ?? []) : []
    const written = [...owners, ...sets.flatMap((set): readonly TargetRef<string>[] => set[kind] ?? [])]
    return written.find(target => 'name' in target && !known.has(target.name))
  })
}

function resolveSet(
  set: DesiredSet,
  indexes: NameIndexes,
  without: readonly TargetKind[],
  findings: Findings,
): ResolvedSet {
  const { project, workspaces: _, projects: __, stacks: ___, ...rest } = set
  return {
    ...rest,
    ...ownerOf({ parent: project && idOf(project, indexes.projects, findings) }),
    ...listsOf(kind => (without.includes(kind) ? undefined : resolveTargets(kind, set, indexes, findings))),
  }
}

const idOf = <Id extends string>(
  target: TargetRef<Id>,
  index: NameIndex<Id>,
  findings: Findings,
): Id | undefined => ('id' in target ? target.id : index(target, findings))

function resolveTargets<K extends TargetKind>(
  kind: K,
  { [kind]: targets }: TargetRefs,
  { [kind]: index }: NameIndexes,
  findings: Findings,
): readonly TargetIds[K][] | undefined {
  if (targets === undefined) return undefined
  const resolved = new Map<TargetIds[K], TargetRef<TargetIds[K]>>()
  for (const target of targets) {
    const id = idOf(target, index, findings)
    if (id === undefined) continue
    const first = resolved.get(id)
    if (first === undefined) resolved.set(id, target)
    else
      findings.error(
        'duplicate-target',
        target.source,
        `${spoken(target)} is the same ${TARGETS[kind].one} as ${spoken(first)} on line ${first.source.line}.`,
        'Remove one of the two.',
      )
  }
  return [...resolved.keys()].sort(compareText)
}

const spoken = (target: TargetRef<string>): string => `"${'id' in target ? target.id : target.name}"`

interface WrittenName {
  readonly name: string
  readonly source: SourceRange
}

/** The id of a name of one kind, or `undefined` and a finding that says why. */
type NameIndex<Id extends string> = (written: WrittenName, findings: Findings) => Id | undefined

/** `live` is `undefined` if the service was not asked or has no list. */
function createNameIndex<Id extends string>(
  kind: TargetKind,
  filed: readonly DirectoryEntry<Id>[],
  live: readonly DirectoryEntry<Id>[] | undefined,
): NameIndex<Id> {
  const { one } = TARGETS[kind]
  const inFile = byName(filed)
  const inService = byName(live ?? [])
  return ({ name, source }, findings) => {
    const report = (...said: Parameters<Findings['error']>): undefined => {
      findings.error(...said)
    }
    const ids = inFile.get(name) ?? inService.get(name) ?? []
    const [id, ...others] = ids
    if (id === undefined)
      return report('unknown-name', source, `There is no ${one} "${name}".`, () => {
        const meant = suggest(name, [...inFile.keys(), ...inService.keys()])
        return meant === undefined ? 'Correct the name, or write the id.' : `Did you mean "${meant}"?`
      })
    if (others.length > 0)
      return report(
        'ambiguous-name',
        source,
        `"${name}" is the name of ${ids.length} ${one}s: ${ids.join(', ')}.`,
        'Write the id of the one that you mean.',
      )
    const now = live === undefined || !inFile.has(name) ? ids : (inService.get(name) ?? [])
    if (now.includes(id)) return id
    const says = now.length === 0 ? `has no ${one} of this name` : `lists ${now.join(', ')}`
    return report(
      'stale-name',
      filed.findLast(entry => entry.name === name)?.source ?? source,
      `The directory file lists ${one} "${name}" as ${id}, but the service ${says}.`,
      'Write the directory file again: setpoint directory',
    )
  }
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
