import { secretsOf } from '../apply/secrets.ts'
import { type Prepared, preparePlan } from '../run/prepare.ts'
import { openSecrets } from '../secrets/open.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { sayDiagnostics } from './say.ts'
import { wishesFrom } from './wishes.ts'
import type { Session } from './with-service.ts'

/** The plan of this moment for a command that only reads, or `undefined` after everything that is wrong was said. */
export async function planned(
  io: Io,
  options: Options,
  { desired, service }: Session,
): Promise<Prepared | undefined> {
  const opened = await openSecrets(options.secrets, { ...io, environment: secretsOf(io.env) })
  sayDiagnostics(io, options, opened.diagnostics)
  if (opened.value === undefined) return undefined
  const wishes = wishesFrom(io, options, desired.organization, opened.value.textOf)
  sayDiagnostics(io, options, wishes.diagnostics)
  if (wishes.value === undefined) return undefined
  const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes.value)
  const problems = opened.value.problems()
  if (prepared !== undefined && problems.length === 0) return prepared
  sayDiagnostics(io, options, [...(prepared === undefined ? diagnostics : []), ...problems])
  return undefined
}
