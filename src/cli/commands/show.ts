import type { Run } from '../definitions.ts'
import { EXIT } from '../exit.ts'
import { render } from '../render.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { sayDiagnostics, sayFailure } from '../say.ts'

/** A saved plan as it was written; the service is not asked. */
export const run: Run = async (io, options, file) => {
  if (file === undefined) {
    sayFailure(io, options, 'Which plan? setpoint show PLANFILE')
    return EXIT.error
  }
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) {
    sayDiagnostics(io, options, [plan])
    return EXIT.refused
  }
  io.stdout.write(render(io, options, { kind: 'plan', plan }))
  return EXIT.done
}
