import { EXIT, type Run } from '../command.ts'
import { render } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'

/** Prints a saved plan, without a connection. */
export const run: Run = async (io, file = '') => {
  io.stdout.write(render(io, { kind: 'plan', plan: await readSavedPlan(io, file), isSaved: true }))
  return EXIT.done
}
