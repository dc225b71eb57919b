import { secretsOf } from '../../apply/secrets.ts'
import { preparePlan } from '../../run/prepare.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { render } from '../render.ts'
import { sayDiagnostics } from '../say.ts'
import { wishesFrom } from '../wishes.ts'
import { withService } from '../with-service.ts'

/** A plan read as an alarm: drift and failure never share an exit code. */
export const run: Run = (io, options) =>
  withService(io, options, async ({ desired, service }) => {
    const wishes = wishesFrom(io, options, desired.organization, secretsOf(io.env))
    sayDiagnostics(io, options, wishes.diagnostics)
    if (wishes.value === undefined) return EXIT.error
    const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes.value)
    if (prepared === undefined) {
      sayDiagnostics(io, options, diagnostics)
      return EXIT.error
    }
    io.stdout.write(render(io, options, { kind: 'drift', plan: prepared.plan }))
    return prepared.plan.steps.length > 0 ? EXIT.changes : EXIT.done
  })
