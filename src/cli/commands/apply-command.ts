import { apply, type Confirm } from '../../run/apply.ts'
import { agreed } from '../agreed.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext } from '../io.ts'
import { renderReport } from '../publish.ts'

/** Asks for consent at a terminal, and applies. */
export const run: CommandRun = (io, file, _, others = []) => {
  const reviewed = (file === undefined ? [] : [file, ...others]).map(one => ({ file: one }))
  const { ask } = io.input()
  return apply(io, { reviewed, confirm: ask && confirmWith(io, ask) })
}

/** Shows the plan as text, beside a report of another format. */
const confirmWith =
  (io: CommandContext, ask: (question: string) => Promise<string>): Confirm =>
  async plan => {
    const stream = io.options.format === 'text' ? io.stdout : io.stderr
    stream.write(renderReport(io, 'text', plan))
    return await agreed(ask, 'Apply this plan?')
  }
