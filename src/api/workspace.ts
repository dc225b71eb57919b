import type { ProjectId, VariableKey, WorkspaceId } from '../model/ids.ts'
import type { ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import { completeSet } from './complete-set.ts'
import type { SetAnswer } from './decode-set.ts'
import { isStatus } from './errors.ts'
import { withoutInventories } from './inventory.ts'
import { mapBounded, type ReadPage, readPages, untilWhole } from './pages.ts'
import type { Reader } from './reader.ts'
import { readVariables } from './variable-lists.ts'

const SETS_AT_ONCE = 8

/**
 * Every set that the service itself says comes to a workspace (interface, endpoint 7); `undefined` for a 404: it has no
 * such list, no such workspace, or does not show it to this token.
 */
export const setsOfWorkspace = (
  reader: Reader,
  organization: string,
  id: WorkspaceId,
  signal?: AbortSignal,
): Promise<readonly ObservedSet[] | undefined> =>
  allSets(reader, page => reader.listSetsOfWorkspacePage(organization, id, page, signal), signal)

/** The same for a project (endpoint 6). */
export const setsOfProject = (
  reader: Reader,
  organization: string,
  id: ProjectId,
  signal?: AbortSignal,
): Promise<readonly ObservedSet[] | undefined> =>
  allSets(reader, page => reader.listSetsOfProjectPage(organization, id, page, signal), signal)

async function allSets(
  reader: Reader,
  read: ReadPage<SetAnswer>,
  signal: AbortSignal | undefined,
): Promise<readonly ObservedSet[] | undefined> {
  try {
    return await untilWhole(async () => {
      const { entries } = await readPages(read, ({ set }) => set.id)
      const sets = await mapBounded(entries, SETS_AT_ONCE, answer => completeSet(reader, answer, signal))
      return withoutInventories(sets).sets
    })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

/** The variables a workspace has by itself; `undefined` where the service does not show them. */
export async function ownVariables(
  reader: Reader,
  id: WorkspaceId,
  signal?: AbortSignal,
): Promise<ReadonlyMap<VariableKey, ObservedVariable> | undefined> {
  try {
    const { variables } = await untilWhole(() =>
      readVariables(page => reader.listOwnVariables(id, page, signal)),
    )
    return new Map(variables.toReversed().map(variable => [variable.key, variable]))
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
