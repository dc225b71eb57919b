import { tellReport } from '../../run/commands/reports.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { readSavedPlan } from '../../run/saved-plan.ts'
import type { CommandRun } from '../command.ts'

/** Prints a saved plan, without a connection. */
export const run: CommandRun = async (io, file = '') => {
  tellReport(io, { kind: 'plan', plan: await readSavedPlan(io, { file }), isSaved: true, typed: io.typed })
  return EXIT.done
}
