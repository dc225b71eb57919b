import { resolve } from 'node:path'
import { secretsOf } from '../../apply/secrets.ts'
import type { Plan } from '../../plan/plan.ts'
import { writePlanFile } from '../../run/plan-file.ts'
import { preparePlan } from '../../run/prepare.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { render } from '../render.ts'
import { sayDiagnostics } from '../say.ts'
import { wishesFrom } from '../wishes.ts'
import { withService } from '../with-service.ts'

/** Reads and shows. What it gets cannot write. */
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
    io.stdout.write(render(io, options, { kind: 'plan', plan: prepared.plan }))
    if (options.out !== undefined) await writePlanFile(resolve(io.cwd, options.out), prepared.plan)
    return options.detailedExitcode ? detailed(prepared.plan) : EXIT.done
  })

function detailed(plan: Plan): number {
  if (plan.blocked) return EXIT.refused
  return plan.steps.length > 0 ? EXIT.changes : EXIT.done
}
