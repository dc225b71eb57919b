import { withoutPermissions } from '../../plan/facts.ts'
import { EXIT, type Run } from '../command.ts'
import { missingInventory } from '../decide.ts'
import { commandFlags, openRunSecrets, planNow, reachIn } from '../planning.ts'
import { publish } from '../publish.ts'
import { reporting } from '../reporting.ts'
import { withService } from '../session.ts'

/** Plans, and exits with 2 if there are changes. A failure never has that exit code. */
export const run: Run = reporting('drift', async io => {
  const secrets = await openRunSecrets(io)
  return await withService(io, async session => {
    // Rules judge changes, and drift is none that anybody asks for.
    const desired = { ...session.desired, rules: undefined }
    const { prepared } = await planNow(io, { ...session, desired }, secrets, { forgives: true })
    const missing = missingInventory(prepared)
    const told = withoutPermissions(prepared.plan)
    const plan = missing === undefined ? told : { ...told, diagnostics: [...told.diagnostics, missing] }
    const report = { kind: 'drift', plan, flags: commandFlags(io), reach: reachIn(prepared) } as const
    return await publish(io, report, plan.steps.length > 0 ? EXIT.changes : EXIT.done)
  })
})
