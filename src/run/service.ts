import { unlessStatus } from '../api/errors.ts'
import { observe } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import type { Writer } from '../api/writer.ts'
import type { ObservedState } from '../model/variable-set.ts'

/** A connection that cannot write, by type: all that planning gets. */
export interface ReadOnly {
  /** Origin of the service, or `sandbox`. Part of a plan's digest. */
  readonly address: string
  /** What it reads ends at the first signal. */
  readonly reader: Reader
  /** Requests sent, retries included. */
  readonly requests: () => { readonly reads: number; readonly writes: number }
}

/** A connection that can write. */
export interface Service extends ReadOnly {
  /** Created for the first write, so that a plan never has one. The signal cancels its requests. */
  readonly writer: (signal?: AbortSignal) => Writer
  /** Whether so many requests were repeated that nothing new should be started. */
  readonly retriesExhausted: () => boolean
}

/** The address of the embedded sandbox, which creates the organization itself. */
const SANDBOX = 'sandbox'

/** The service shows no organization of that name. */
export class MissingOrganizationError extends Error {
  override readonly name = 'MissingOrganizationError'

  constructor(organization: string) {
    super(
      `The service shows no organization ${JSON.stringify(organization)}, and no workspaces or variable sets in it.`,
    )
  }
}

/**
 * Every set of the organization, as `observe`. Some services list no sets of an organization that does not exist, and fail at the first
 * create (docs/service.md#servers-that-others-wrote). So if there are no sets, the organization is asked for: one request. Rejects with a
 * `MissingOrganizationError`. A service that does not tell, but lists workspaces, has it.
 */
export async function observeOrganization(
  { reader, address }: { readonly reader: Reader; readonly address: string },
  organization: string,
): Promise<ObservedState> {
  const observed = await observe(reader, organization)
  const { sets, inventories = [] } = observed
  const isKnown = sets.length > 0 || inventories.length > 0 || address === SANDBOX
  if (isKnown || (await isShown(reader, organization))) return observed
  throw new MissingOrganizationError(organization)
}

async function isShown(reader: Reader, organization: string): Promise<boolean> {
  const shown = await unlessStatus(reader.showOrganization(organization), 403, 404)
  if (shown !== undefined) return true
  const first = { number: 1, size: 1 }
  const listed = await unlessStatus(reader.listTargetsPage('workspaces', organization, first), 403, 404)
  return listed !== undefined && listed.entries.length > 0
}
