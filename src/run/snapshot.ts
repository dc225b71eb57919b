import { readDirectory } from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { type Checked, type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import type { DesiredState, Directory } from '../model/variable-set.ts'
import { notInSnapshot, observedIn, type Snapshot, snapshotOf } from '../plan/snapshot.ts'
import { observeOnce, type Planned, prepareFrom, type ReadOnly, type Wishes } from './prepare.ts'

/** Reads what a plan of these files, or of a change of them, will need. Nothing secret is in it. */
export async function takeSnapshot(
  desired: DesiredState,
  service: ReadOnly,
  takenAt: string,
  signal?: AbortSignal,
): Promise<Checked<Snapshot>> {
  const { organization } = desired
  const [observed, looked] = await Promise.all([
    observeOnce(service, organization, signal),
    readDirectory(service.reader, organization, signal),
  ])
  const named = await resolveNames(desired, async () => looked)
  if (named.value === undefined || hasErrors(named.diagnostics))
    return { value: undefined, diagnostics: named.diagnostics }
  // A service without look-ups is no hindrance where the directory file knows all that the files name.
  const directory: Directory = looked.value ?? desired.directory
  return {
    value: snapshotOf(named.value, observed, { address: service.address, takenAt, directory }),
    diagnostics: named.diagnostics,
  }
}

/** A plan without credentials and without network. */
export async function prepareFromSnapshot(
  desired: DesiredState,
  snapshot: Snapshot,
  only: readonly string[],
  wishes: Wishes,
): Promise<Planned> {
  const planned = await prepareFrom(
    desired,
    {
      address: snapshot.address,
      observe: async () => observedIn(snapshot),
      lookUp: async () => ({ value: snapshot.directory, diagnostics: [] }),
      reads: () => 0,
    },
    only,
    wishes,
  )
  const unknown: readonly Diagnostic[] =
    planned.prepared === undefined ? [] : notInSnapshot(planned.prepared.resolved, snapshot)
  return unknown.length > 0 ? { diagnostics: unknown } : planned
}
