import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { planned } from '../planned.ts'
import { render } from '../render.ts'
import { withService } from '../with-service.ts'

/** A plan read as an alarm: drift and failure never share an exit code. */
export const run: Run = (io, options) =>
  withService(io, options, async session => {
    const prepared = await planned(io, options, session)
    if (prepared === undefined) return EXIT.error
    io.stdout.write(render(io, options, { kind: 'drift', plan: prepared.plan }))
    return prepared.plan.steps.length > 0 ? EXIT.changes : EXIT.done
  })
