import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { sayDiagnostics } from '../io.ts'
import { render } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'

/** A saved plan as it was written; the service is not asked. */
export const run: Run = async (io, options, file) => {
  if (file === undefined) {
    sayDiagnostics(io, options, [NO_FILE])
    return EXIT.error
  }
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) {
    sayDiagnostics(io, options, [plan])
    return plan.code === 'refused' ? EXIT.refused : EXIT.error
  }
  io.stdout.write(render(io, options, { kind: 'plan', plan }))
  return EXIT.done
}

const NO_FILE: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'Which plan?',
  hint: 'setpoint show PLANFILE',
}
