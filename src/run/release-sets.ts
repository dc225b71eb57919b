import { observeSets } from '../api/observe.ts'
import type { InventoryFailure } from '../apply/outcome.ts'
import { type Checked, mistake, none } from '../model/diagnostic.ts'
import { TARGET_KINDS } from '../model/ids.ts'
import type { Inventory } from '../model/inventory.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import { problemWith } from './record-managed.ts'
import { observeOrganization, type ReadOnly, type Service } from './service.ts'
import type { Writing } from './writing.ts'

/** What `release` deletes: the inventories of an owner, usually one. */
export interface Release {
  readonly inventories: readonly ObservedSet[]
  /** Names of the listed sets that exist, sorted. They stay. */
  readonly sets: readonly string[]
}

/**
 * The inventories of an owner. One that is more than an inventory is an error, because workspaces may use it, and so is one that
 * the token may not change. Rejects if the service cannot be read.
 */
export async function findRelease(
  service: ReadOnly,
  organization: string,
  owner: string,
): Promise<Checked<Release>> {
  const { sets, inventories = [] } = await observeOrganization(service, organization)
  const own = inventories.filter(one => one.owner === owner)
  const { sets: found } = await observeSets(
    service.reader,
    own.map(({ id }) => id),
  )
  const wrong = found.find(set => !isPlain(set, own))
  if (wrong !== undefined)
    return none(
      mistake(
        'refused',
        `"${wrong.name}" (${wrong.id}) is more than an inventory: it is global, has assignments, or has variables that Setpoint did not write.`,
        'Nothing was deleted. Remove what was added by hand, and run setpoint release again.',
      ),
    )
  if (own.some(({ unwritable }) => unwritable === true))
    return none(
      mistake(
        'no-permission',
        `The token cannot delete the inventory of "${owner}".`,
        'Nothing was deleted. Use a token that may write.',
      ),
    )
  const listed = new Set(own.flatMap(({ entries }) => entries.map(({ setId }) => setId)))
  return {
    value: { inventories: found, sets: sets.filter(({ id }) => listed.has(id)).map(({ name }) => name) },
    diagnostics: [],
  }
}

const isPlain = (set: ObservedSet, own: readonly Inventory[]): boolean => {
  const entries = own.find(({ id }) => id === set.id)?.entries ?? []
  return (
    !set.global &&
    TARGET_KINDS.every(kind => (set[kind] ?? []).length === 0) &&
    (set.others ?? []).length === 0 &&
    set.foreignVariables.length === 0 &&
    set.variables.length === entries.length
  )
}

/** Deletes the inventories and reads them back. `undefined`: they are gone. */
export async function releaseSets(
  service: Service,
  organization: string,
  { inventories }: Release,
  run: Pick<Writing, 'stop' | 'abandon' | 'sleep'>,
): Promise<InventoryFailure | undefined> {
  const writer = service.writer(run.abandon)
  for (const before of inventories) {
    const { id, name } = before
    const subject = { kind: 'variable-set', name, id } as const
    const problem = await problemWith({ type: 'delete-set', subject, before }, organization, {
      ...run,
      service,
      writer,
    })
    if (problem !== undefined) return problem
  }
  const ids = inventories.map(({ id }) => id)
  const { absent } = await observeSets(service.reader, ids)
  return absent.length === ids.length
    ? undefined
    : { message: 'the service reported success, but a read still shows the inventory' }
}
