import { ownVariables } from '../api/observe.ts'
import { mapBounded } from '../api/pages.ts'
import type { Reader } from '../api/reader.ts'
import type { WorkspaceId } from '../model/ids.ts'
import type { Affected } from '../plan/effective/affected-list.ts'
import { verifiedBy } from '../plan/effective/verified.ts'
import type { Prepared } from './prepare.ts'

const WORKSPACES_AT_ONCE = 8

/** The list after the variables of its workspaces were read. */
export interface VerifiedList {
  readonly affected: Affected
  /** Workspaces that do not show their variables to this token, and stay in the list. */
  readonly unread: readonly WorkspaceId[]
}

/**
 * Reads the variables of each workspace in the list, and drops changes that they hide. Takes one request or more per workspace.
 */
export async function verifyAffected(
  affected: Affected,
  { observed, matched }: Pick<Prepared, 'observed' | 'matched'>,
  reader: Reader,
): Promise<VerifiedList> {
  const candidates = affected.workspaces.flatMap(({ members }) => members.map(({ id }) => id))
  const read = await mapBounded(
    candidates,
    WORKSPACES_AT_ONCE,
    async id => [id, await ownVariables(reader, id)] as const,
  )
  const own = new Map(read.flatMap(([id, variables]) => (variables === undefined ? [] : [[id, variables]])))
  return {
    affected: verifiedBy(own, affected, observed, matched.match),
    unread: read.flatMap(([id, variables]) => (variables === undefined ? [id] : [])),
  }
}
