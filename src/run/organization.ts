import { unlessStatus } from '../api/errors.ts'
import type { Reader } from '../api/reader.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import type { ObservedState } from '../model/variable-set.ts'
import type { Plan } from '../plan/plan-data.ts'

/** The address of the embedded sandbox, which creates the organization itself. */
const SANDBOX = 'sandbox'

/**
 * An error if there is no organization with the name of the files. Some services list no sets of one that does not exist, and fail at the first
 * create (docs/service.md#servers-that-others-wrote). So it is asked for before the first sets of an organization are created: one request. A service that does not
 * tell, but lists workspaces, has it.
 */
export async function missingOrganization(
  reader: Reader,
  { organization, address, steps }: Plan,
  { sets, inventories = [] }: ObservedState,
): Promise<Diagnostic | undefined> {
  const isFirst = sets.length === 0 && inventories.length === 0
  const creates = steps.some(({ operation }) => operation.type === 'create-set')
  if (!isFirst || !creates || address === SANDBOX) return undefined
  const shown = await unlessStatus(reader.showOrganization(organization), 403, 404)
  if (shown !== undefined) return undefined
  const listed = await unlessStatus(
    reader.listTargetsPage('workspaces', organization, { number: 1, size: 1 }),
    403,
    404,
  )
  if (listed !== undefined && listed.entries.length > 0) return undefined
  return mistake(
    'missing-organization',
    `The service shows no organization ${JSON.stringify(organization)}, and no workspaces or variable sets in it. Nothing was written.`,
    'Check the name in setpoint.yaml, and the address. If it exists, check the permissions of the token.',
  )
}
