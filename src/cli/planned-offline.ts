import type { Diagnostic } from '../model/diagnostic.ts'
import type { Prepared } from '../run/prepare.ts'
import { prepareFromSnapshot } from '../run/snapshot.ts'
import type { Io } from './io.ts'
import { loadFiles } from './load.ts'
import type { Options } from './options.ts'
import { sayDiagnostics } from './say.ts'
import { readSnapshot } from './snapshot-file.ts'
import { wishesFrom } from './wishes.ts'

/** A plan from a snapshot: nothing is connected to, and no token is looked for. */
export async function plannedOffline(io: Io, options: Options, file: string): Promise<Prepared | undefined> {
  if (options.sandbox || options.address !== undefined) {
    sayDiagnostics(io, options, [TWO_PLACES])
    return undefined
  }
  const desired = await loadFiles(io, options)
  if (desired === undefined) return undefined
  const snapshot = await readSnapshot(io, file, desired.organization)
  const wishes = await wishesFrom(io, options, desired.organization, () => undefined)
  if (snapshot.value === undefined || wishes.value === undefined) {
    sayDiagnostics(io, options, [
      ...(snapshot.value === undefined ? snapshot.diagnostics : []),
      ...wishes.diagnostics,
    ])
    return undefined
  }
  sayDiagnostics(io, options, wishes.diagnostics)
  const { prepared, diagnostics } = await prepareFromSnapshot(
    desired,
    snapshot.value,
    options.only,
    wishes.value,
  )
  if (prepared === undefined) {
    sayDiagnostics(io, options, diagnostics)
    return undefined
  }
  const { plan } = prepared
  return { ...prepared, plan: { ...plan, diagnostics: [...plan.diagnostics, ...snapshot.diagnostics] } }
}

const TWO_PLACES: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: '--snapshot takes the place of the service.',
  hint: 'Leave out --sandbox and --address.',
}
