import { withoutPermissions } from '../../plan/facts.ts'
import { EXIT, type Run } from '../command.ts'
import { prepareOutputs } from '../output-files.ts'
import { commandFlags, openRunSecrets, planNow, reachIn } from '../planning.ts'
import { publish } from '../publish.ts'
import { withService } from '../session.ts'

/** Plans, and exits with 2 if there are changes. A failure never has that exit code. */
export const run: Run = async (io, options) => {
  if (!(await prepareOutputs(io, options))) return EXIT.error
  const secrets = await openRunSecrets(io, options)
  if (typeof secrets === 'number') return secrets
  return await withService(io, options, async session => {
    // Rules judge changes, and drift is none that anybody asks for.
    const desired = { ...session.desired, rules: undefined }
    const current = await planNow(io, options, { ...session, desired }, secrets)
    if (current === undefined) return EXIT.error
    const plan = withoutPermissions(current.prepared.plan)
    const report = {
      kind: 'drift',
      plan,
      flags: commandFlags(options),
      reach: reachIn(current.prepared),
    } as const
    return await publish(io, options, report, plan.steps.length > 0 ? EXIT.changes : EXIT.done)
  })
}
