import type { LookUps } from '../api/look-ups.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { WorkspaceId } from '../model/ids.ts'
import type { DesiredState, GroupMember, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { Step } from '../plan/plan-data.ts'
import { newTargetsOf } from '../plan/reach.ts'

/** Workspaces that the service does not show, by the set that names their group. */
export type GoneMembers = ReadonlyMap<string, ReadonlySet<WorkspaceId>>

interface ConfirmedMembers {
  readonly gone: GoneMembers
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Compares the workspaces of groups that the steps newly assign with the service, which was asked for their ids: each must have the name
 * that was reviewed. One that the service no longer shows is a warning and left out, unless another workspace has its name.
 */
export async function confirmMembers(
  steps: readonly Step[],
  { organization, sets }: DesiredState,
  { partial }: Pick<ObservedState, 'partial'>,
  lookUps: LookUps,
): Promise<ConfirmedMembers> {
  const assigned = new Map<string, Set<string>>()
  for (const { operation } of steps) {
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
  // A snapshot may be older than the list.
  const [first] = members
  if (first === undefined || partial === true) return { gone: new Map(), diagnostics: [] }
  if (lookUps.told().hidden?.includes('workspaces'))
    return { gone: new Map(), diagnostics: [notTold(first, organization)] }
  const nameOf = new Map(lookUps.told().workspaces.map(({ id, name }) => [id, name]))
  const absent = members.filter(({ id }) => !nameOf.has(id))
  await lookUps.ask({ names: { workspaces: [...new Set(absent.map(({ name }) => name))] } })
  const idOf = new Map(lookUps.told().workspaces.map(({ id, name }) => [name, id]))

  const findings = new Findings()
  const gone = new Map<string, Set<WorkspaceId>>()
  const said = new Set<string>()
  for (const member of members) {
    const { set, group, name, id } = member
    const now = nameOf.get(id)
    if (now === undefined) gone.set(set, (gone.get(set) ?? new Set()).add(id))
    // A group that several sets name is reported once.
    if (now !== name && said.size !== said.add(`${group} ${id}`).size)
      report(member, now, idOf.get(name), findings)
  }
  return { gone, diagnostics: findings.sorted() }
}

/** `now`: its name in the service. `other`: the workspace that has its name there. */
function report(
  { group, name, id, source }: GroupMember,
  now: string | undefined,
  other: WorkspaceId | undefined,
  findings: Findings,
): void {
  const listed = `"${name}" of the group "${group}" is ${id}`
  if (now !== undefined)
    findings.error('renamed-member', source, `${listed}, which the service calls "${now}".`, REVIEW)
  else if (other !== undefined)
    findings.error('renamed-member', source, `${listed}, but in the service ${other} has this name.`, REVIEW)
  else
    findings.warning(
      'unknown-id',
      source,
      `${listed}, which the service no longer shows. The set is not assigned to it.`,
      'Run `setpoint groups --update` to remove it from the list, or give the token access to it.',
    )
}

const REVIEW = 'Run `setpoint groups --update`, and review who is in the group before you plan again.'

const notTold = ({ source }: GroupMember, organization: string): Diagnostic =>
  mistake(
    'no-look-up',
    `The service does not list the workspaces of "${organization}" for this token, so the names in groups cannot be compared.`,
    'Use a token that may read the workspaces.',
    source,
  )

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
