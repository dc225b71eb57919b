import type { Plan } from '../../plan/plan.ts'
import type { Prepared } from '../../run/prepare.ts'
import { writePlanFile } from '../../run/write-files.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options.ts'
import { mayStart, planned, planReport } from '../planned.ts'
import { plannedOffline } from '../planned-offline.ts'
import { publish } from '../publish.ts'
import { planLeaving } from '../render.ts'
import { withService } from '../with-service.ts'

/** Reads and shows. What it gets cannot write. */
export const run: Run = async (io, options) => {
  if (!(await mayStart(io, options))) return EXIT.error
  if (options.snapshot !== undefined)
    return await show(io, options, await plannedOffline(io, options, options.snapshot))
  return await withService(io, options, async session =>
    show(io, options, await planned(io, options, session)),
  )
}

async function show(io: Io, options: Options, prepared: Prepared | undefined): Promise<number> {
  if (prepared === undefined) return EXIT.error
  const { plan } = prepared
  const code = options.detailedExitcode ? detailed(plan) : EXIT.done
  const published = await publish(io, options, planReport(options, prepared), code)
  if (options.out !== undefined) await writePlanFile(io.cwd, options.out, planLeaving(io, plan))
  return published
}

function detailed(plan: Plan): number {
  if (plan.blocked) return EXIT.refused
  return plan.steps.length > 0 ? EXIT.changes : EXIT.done
}
