import { EXIT, type Run } from '../command.ts'
import { sayDiagnostics } from '../io.ts'
import { render } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'

/** Prints a saved plan, without a connection. */
export const run: Run = async (io, options, file = '') => {
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) {
    sayDiagnostics(io, options, [plan])
    return plan.code === 'refused' ? EXIT.refused : EXIT.error
  }
  io.stdout.write(render(io, options, { kind: 'plan', plan }))
  return EXIT.done
}
