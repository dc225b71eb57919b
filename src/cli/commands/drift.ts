import { withoutPermissions } from '../../plan/facts.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { againFor, mayStart, planned, reachIn } from '../planning.ts'
import { publish } from '../publish.ts'
import { withService } from '../session.ts'

/** A plan read as an alarm: drift and failure never share an exit code. */
export const run: Run = async (io, options) => {
  if (!(await mayStart(io, options))) return EXIT.error
  return await withService(io, options, async session => {
    const prepared = await planned(io, options, session)
    if (prepared === undefined) return EXIT.error
    const plan = withoutPermissions(prepared.plan)
    const code = plan.steps.length > 0 ? EXIT.changes : EXIT.done
    return await publish(
      io,
      options,
      { kind: 'drift', plan, again: againFor(options), reach: reachIn(prepared) },
      code,
    )
  })
}
