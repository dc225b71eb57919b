import type { Diagnostic } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { WorkspaceId } from '../model/ids.ts'
import {
  type DesiredState,
  type Directory,
  failureIn,
  type GroupMember,
  type ObservedState,
  type ResolvedState,
  type Wanted,
} from '../model/variable-set.ts'
import type { Operation } from './operation.ts'
import type { PlanFinding } from './plan-findings.ts'
import { newTargetsOf } from './reach.ts'
import { LATER, notListed } from './resolve-names.ts'

/** Workspaces that a set is not assigned to, by the set that names their group. */
export type GoneMembers = ReadonlyMap<string, ReadonlySet<WorkspaceId>>

/** What the service tells of the workspaces of groups, and what it has yet to tell. */
export interface ToldMembers {
  readonly gone: GoneMembers
  /** Those of them that the service shows otherwise than the list does. */
  readonly unassigned: readonly PlanFinding[]
  readonly diagnostics: readonly Diagnostic[]
  readonly needs: Wanted
}

/**
 * Compares the workspaces of groups that the operations newly assign with the service: each must have the name that was reviewed. One
 * that the service no longer shows, or that has another name there, is a warning, and the set is not assigned to it; everything else of
 * the plan stays. Nobody enters a group by a name, so that a person has to review the list. The ids were asked for before the names. Pure.
 */
export function membersOf(
  operations: readonly Operation[],
  { organization, sets }: Pick<ResolvedState, 'organization'> & Pick<DesiredState, 'sets'>,
  { partial }: Pick<ObservedState, 'partial'>,
  told: Directory,
): ToldMembers {
  const assigned = new Map<string, Set<string>>()
  for (const operation of operations) {
    const ids = newTargetsOf(operation).workspaces ?? []
    if (ids.length > 0) assigned.set(operation.subject.name, new Set(ids))
  }
  const members = sets.flatMap(({ name: set, workspaces = [] }) =>
    workspaces.flatMap(ref =>
      'id' in ref && ref.member !== undefined && assigned.get(set)?.has(ref.id) === true
        ? { set, ...ref.member }
        : [],
    ),
  )
  const findings = new Findings()
  const [first] = members
  // A snapshot may be older than the list.
  if (first === undefined || partial === true) return { ...NO_MEMBERS, diagnostics: [] }
  if (told.hidden?.includes('workspaces')) {
    const hint = 'The names in groups cannot be compared. Use a token that may read the workspaces.'
    const at = { source: first.source, hint }
    notListed('workspaces', organization, failureIn(told, 'workspaces'), at, findings)
    return { ...NO_MEMBERS, diagnostics: findings.sorted() }
  }
  const nameOf = new Map(told.workspaces.map(({ id, name }) => [id, name]))
  const idOf = new Map(told.workspaces.map(({ id, name }) => [name, id]))
  const gone = new Map<string, Set<WorkspaceId>>()
  const unassigned: PlanFinding[] = []
  const said = new Set<string>()
  for (const member of members) {
    const { set, group, name, id } = member
    const now = nameOf.get(id)
    const failure = failureIn(told, 'workspaces', id)
    if (now === name) continue
    const other = idOf.get(name)
    if (failure === undefined || now !== undefined) gone.set(set, (gone.get(set) ?? new Set()).add(id))
    if (now !== undefined || (failure === undefined && other !== undefined))
      unassigned.push({ kind: 'unassigned', set, member: { group, name, id }, source: member.source })
    // A group that several sets name is reported once.
    if (said.size !== said.add(`${group} ${id}`).size) report(member, { now, other, failure }, findings)
  }
  const absent = members.filter(({ id }) => !nameOf.has(id))
  const needs = { names: { workspaces: [...new Set(absent.map(({ name }) => name))] } }
  return { gone, unassigned, diagnostics: findings.sorted(), needs }
}

const NO_MEMBERS = { gone: new Map<string, never>(), unassigned: [], needs: {} } as const

interface FoundMember {
  /** Its name in the service. */
  readonly now: string | undefined
  /** The workspace that has its name there. */
  readonly other: WorkspaceId | undefined
  /** Why it could not be asked for. */
  readonly failure: string | undefined
}

function report(
  { group, name, id, source }: GroupMember,
  { now, other, failure }: FoundMember,
  findings: Findings,
): void {
  const listed = `"${name}" of the group "${group}" is ${id}`
  if (now === undefined && failure !== undefined)
    findings.error('no-look-up', `${listed}, which could not be looked up. ${failure}`, LATER, source)
  else if (now !== undefined)
    findings.warning('renamed-member', `${listed}, which the service calls "${now}". ${LEFT}`, REVIEW, source)
  else if (other !== undefined)
    findings.warning(
      'renamed-member',
      `${listed}, but in the service ${other} has this name. ${LEFT}`,
      REVIEW,
      source,
    )
  else
    findings.warning(
      'unknown-id',
      `${listed}, which the service no longer shows. ${LEFT}`,
      'Run `setpoint groups --update` to remove it from the list, or give the token access to it.',
      source,
    )
}

const LEFT = 'The set is not assigned to it.'
const REVIEW = 'Run `setpoint groups --update`, and review who is in the group.'

/** The state without these workspaces. */
export function withoutWorkspaces<State extends Pick<ResolvedState, 'sets'>>(
  state: State,
  gone: GoneMembers,
): State {
  if (gone.size === 0) return state
  const sets = state.sets.map(set => {
    const left = gone.get(set.name)
    return left === undefined || set.workspaces === undefined
      ? set
      : { ...set, workspaces: set.workspaces.filter(id => !left.has(id)) }
  })
  return { ...state, sets }
}
