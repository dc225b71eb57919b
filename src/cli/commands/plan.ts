import { resolve } from 'node:path'
import type { Plan } from '../../plan/plan.ts'
import { writePlanFile } from '../../run/plan-file.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { planned } from '../planned.ts'
import { render } from '../render.ts'
import { withService } from '../with-service.ts'

/** Reads and shows. What it gets cannot write. */
export const run: Run = (io, options) =>
  withService(io, options, async session => {
    const prepared = await planned(io, options, session)
    if (prepared === undefined) return EXIT.error
    io.stdout.write(render(io, options, { kind: 'plan', plan: prepared.plan }))
    if (options.out !== undefined) await writePlanFile(resolve(io.cwd, options.out), prepared.plan)
    return options.detailedExitcode ? detailed(prepared.plan) : EXIT.done
  })

function detailed(plan: Plan): number {
  if (plan.blocked) return EXIT.refused
  return plan.steps.length > 0 ? EXIT.changes : EXIT.done
}
