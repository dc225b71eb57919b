import type { SourceRange } from '../model/diagnostic.ts'
import type { VariableKey, VariableSetId, WorkspaceId } from '../model/ids.ts'
import type { Directory, ResolvedSet } from '../model/variable-set.ts'
import { assignmentsThen } from './draft.ts'
import { overridesIn } from './effective/overridden.ts'
import { declaredIn, type Match, type Pair } from './match.ts'
import type { Ownership } from './ownership.ts'
import type { SecretStates } from './secret-states.ts'

/**
 * What differs from the files and no operation can mend: a person has to act. `missing`: the file declares an external variable, and the
 * service does not have it. `readable`: an external variable was sensitive when the inventory recorded it, and its value can be read now.
 * `overridden`: workspaces receive another value, of a set that no file declares. `unassigned`: a workspace of a group has another name in
 * the service than in the list, or another workspace has its name, so that the set is not assigned to it.
 */
export type PlanFinding = (
  | { readonly kind: 'missing' | 'readable'; readonly key: VariableKey }
  | { readonly kind: 'overridden'; readonly key: VariableKey; readonly by: OverridingSet }
  | { readonly kind: 'unassigned'; readonly member: UnassignedMember }
) & {
  readonly set: string
  /** How many workspaces receive the set, or the other value; absent if the service does not tell. */
  readonly workspaces?: number
  /** The line of the variable, or of the workspace in its group. */
  readonly source?: SourceRange
}

export interface OverridingSet {
  readonly set: string
  readonly id: VariableSetId
  /** Who lists it in an inventory. Absent: nobody. */
  readonly owner?: string
}

/** A workspace as its group lists it. */
interface UnassignedMember {
  readonly group: string
  readonly name: string
  readonly id: WorkspaceId
}

/** It is drift, and nothing that an apply refuses for, since an apply would revert nothing. Sets of other owners are their affair. */
export const isDrift = (finding: PlanFinding): boolean =>
  finding.kind !== 'overridden' || finding.by.owner === undefined

/** By set, then key; then what is overridden, and `unassigned`: what the service told of the workspaces of groups. */
export const findingsOf = (
  match: Match,
  ownership: Ownership,
  secrets: SecretStates,
  directory: Directory,
  unassigned: readonly PlanFinding[] = [],
): PlanFinding[] => [
  ...match.pairs.flatMap(pair => {
    const found = [
      ...missingIn(pair).map(one => ({ kind: 'missing' as const, ...one })),
      ...readableIn(pair, ownership.entries).map(one => ({ kind: 'readable' as const, ...one })),
    ]
    const workspaces = found.length === 0 ? undefined : receiversOf(pair, directory)
    return found.map(({ kind, key, source }) => ({ kind, set: pair.desired.name, key, workspaces, source }))
  }),
  ...overridesIn(match, secrets, directory).map(({ by, ...one }) => ({
    kind: 'overridden' as const,
    by: { set: by.name, id: by.id, owner: ownership.of(by) },
    ...one,
  })),
  ...unassigned,
]

/** External variables that were sensitive and are not any more. */
function readableIn(pair: Pair, entries: Ownership['entries']): ResolvedSet['variables'] {
  const { observed } = pair
  const before = observed && entries.get(observed.id)?.external
  if (observed === undefined || before === undefined) return []
  const readable = new Set(observed.variables.flatMap(({ key, value }) => ('hidden' in value ? [] : key)))
  return declaredIn(pair).variables.filter(
    ({ key, value }) => 'external' in value && before[key] === 'sensitive' && readable.has(key),
  )
}

/** External variables that the service does not have. */
export function missingIn(pair: Pair): ResolvedSet['variables'] {
  const external = declaredIn(pair).variables.filter(({ value }) => 'external' in value)
  if (external.length === 0) return []
  const present = new Set(pair.observed?.variables.map(({ key }) => key))
  return external.filter(({ key }) => !present.has(key))
}

/** How many workspaces receive the set once the files are applied; `undefined` if not all of them are told. */
function receiversOf(
  { desired, observed }: Pair,
  { workspaces, membersOf = [], whole = [] }: Directory,
): number | undefined {
  const isWhole = whole.includes('workspaces')
  if (desired.global) return isWhole ? workspaces.length : undefined
  const targets = assignmentsThen(desired, observed)
  if (!isWhole && targets.projects.some(project => !membersOf.includes(project))) return undefined
  const through = workspaces.flatMap(({ id, project }) =>
    project !== undefined && targets.projects.includes(project) ? [id] : [],
  )
  return new Set([...targets.workspaces, ...through]).size
}
