import { createLookUps } from '../../api/look-ups.ts'
import type { Checked } from '../../model/diagnostic.ts'
import type { ExplainedState } from '../../plan/effective/explanation.ts'
import {
  type Explained,
  explanationJson,
  explanationMarkdown,
  explanationText,
} from '../../report/explanation.ts'
import { blame } from '../../run/blame.ts'
import { type BlameValues, explainStack, explainWorkspace } from '../../run/explain.ts'
import { stackNamed, stackWritten } from '../../run/find-target.ts'
import { EXIT, fail, misuse, type Run, required } from '../command.ts'
import { type Call, layoutOf } from '../io.ts'
import { loadOptions } from '../load.ts'
import { hideEnvironment } from '../planning.ts'
import { withService } from '../session.ts'

/** Explains what one workspace receives and from which set, or what one Stack may read. Never writes. */
export const run: Run = async (io, written = '') => {
  const moment = momentOf(io.options.from)
  if (io.options.blame && moment === 'live')
    misuse(
      io,
      '`--blame` shows the history of the files, which `--from live` excludes.',
      'Remove one of the two.',
    )
  return await withService(io, async ({ desired, service }) => {
    hideEnvironment(io, desired)
    const lookUps = createLookUps(service.reader, desired.organization)
    const reads = () => service.requests().reads
    const ofStack = async (stack: Parameters<typeof explainStack>[2]): Promise<string> => {
      if (io.options.blame)
        misuse(
          io,
          '`--blame` is for workspaces only: Setpoint does not know which values a Stack reads.',
          'Remove `--blame`, or name a workspace.',
        )
      return textOf(io, await explainStack(desired, service, stack, moment, lookUps), reads)
    }
    const blame = io.options.blame ? blameIn(io) : undefined
    const ask = async (): Promise<string> => {
      const stack = stackWritten(written)
      if (stack !== undefined) return await ofStack(stack)
      const workspace = await explainWorkspace(desired, service, written, moment, lookUps, blame)
      if (!workspace.diagnostics.some(({ code, source }) => code === 'unknown-name' && source === undefined))
        return textOf(io, workspace, reads)
      const named = await stackNamed(written, lookUps)
      if (named.value !== undefined) return await ofStack(named.value)
      return fail(io, ...workspace.diagnostics, ...named.diagnostics)
    }
    io.stdout.write(await ask())
    return EXIT.done
  })
}

/** Git is asked only for this flag. */
const blameIn =
  (io: Call): BlameValues =>
  async variables => {
    return await blame(loadOptions(io), variables)
  }

function textOf(io: Call, explained: Checked<Explained>, reads: () => number): string {
  const explanation = io.redactor.in(required(io, explained))
  if (io.options.format === 'json') return explanationJson(explanation)
  if (io.options.format === 'markdown') return explanationMarkdown(explanation)
  return explanationText(explanation, reads(), layoutOf(io))
}

/** The parser accepts no other text. */
const momentOf = (text: string): ExplainedState => (text === 'files' || text === 'live' ? text : 'difference')
