import { misuse } from '../../run/commands/ending.ts'
import { applyJob, tipOnly } from '../ci-apply.ts'
import { planJob } from '../ci-plan.ts'
import { reportJob } from '../ci-report.ts'
import type { CommandRun } from '../command.ts'

/** One job of a pipeline. What it does follows from the event, which its forge knows. */
export const run: CommandRun = async (io, step) => {
  if (step === 'plan') return await planJob(io)
  if (step === 'apply') return await applyJob(io)
  if (step === 'report') return await reportJob(io)
  if (step === 'tip') return await tipOnly(io)
  return misuse(io, 'The step must be plan, apply, report or tip.', 'Run: setpoint ci plan')
}
