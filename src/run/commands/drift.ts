import { withoutPermissions } from '../../plan/facts.ts'
import { exitCodeOfDrift } from '../exit-codes.ts'
import { missingInventory } from './decide.ts'
import type { Ending } from './ending.ts'
import { openRunSecrets, planNow, reachIn, typedIn } from './planning.ts'
import { reported } from './reporting.ts'
import { published } from './reports.ts'
import type { RunContext } from './run-context.ts'
import { withService } from './session.ts'

/** Plans. The exit code is 2 if there are changes, and never if something failed. */
export const drift = (context: RunContext): Promise<Ending> => reported('drift', context, checked)

async function checked(context: RunContext): Promise<Ending> {
  const secrets = await openRunSecrets(context)
  return await withService(context, async session => {
    // Drift is not a requested change, so rules do not apply.
    const desired = { ...session.desired, rules: undefined }
    const { prepared } = await planNow(context, { ...session, desired }, secrets, { forgives: true })
    const missing = missingInventory(prepared)
    const told = withoutPermissions(prepared.plan)
    const plan = missing === undefined ? told : { ...told, diagnostics: [...told.diagnostics, missing] }
    const report = { kind: 'drift', plan, typed: typedIn(context), reach: reachIn(prepared) } as const
    return await published(context, report, exitCodeOfDrift(plan))
  })
}
