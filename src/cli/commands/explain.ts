import { createNameLookup } from '../../api/directory.ts'
import { type Checked, type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import type { ExplainedState, Explanation, StackExplanation } from '../../plan/effective/explanation.ts'
import {
  explanationJson,
  explanationMarkdown,
  explanationText,
  stackExplanationJson,
  stackExplanationMarkdown,
  stackExplanationText,
} from '../../report/explanation.ts'
import type { TextOptions } from '../../report/text.ts'
import { explainStack, stackNamed, stackWritten } from '../../run/explain-stack.ts'
import { type BlameValues, explainWorkspace } from '../../run/explain-workspace.ts'
import { EXIT, type Run } from '../command.ts'
import { type Io, sayDiagnostics, wantsColor } from '../io.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { withService } from '../session.ts'

/** Explains what one workspace receives and from which set, or what one Stack may read. Never writes. */
export const run: Run = async (io, options, written = '') => {
  const moment = momentOf(options.from)
  if (options.blame && moment === 'live') {
    sayDiagnostics(io, options, [NOT_LIVE])
    return EXIT.error
  }
  return await withService(io, options, async ({ desired, service }) => {
    const lookUp = createNameLookup(service.reader, desired.organization)
    const ofStack = async (stack: Parameters<typeof explainStack>[2]): Promise<Checked<ExplanationWriter>> =>
      options.blame
        ? { value: undefined, diagnostics: [NOT_OF_STACKS] }
        : tellable(await explainStack(desired, service, stack, moment, lookUp), STACK)
    const blame = options.blame ? blameIn(io, options) : undefined
    const ask = async (): Promise<Checked<ExplanationWriter>> => {
      const stack = stackWritten(written, desired.directory)
      if (stack !== undefined) return await ofStack(stack)
      const workspace = await explainWorkspace(desired, service, written, moment, lookUp, blame)
      if (!workspace.diagnostics.some(({ code, source }) => code === 'unknown-name' && source === undefined))
        return tellable(workspace, WORKSPACE)
      const named = await stackNamed(written, lookUp)
      if (named.value !== undefined) return await ofStack(named.value)
      return { value: undefined, diagnostics: [...workspace.diagnostics, ...named.diagnostics] }
    }
    const { value: tell, diagnostics } = await ask()
    sayDiagnostics(io, options, diagnostics)
    if (tell === undefined || hasErrors(diagnostics)) return EXIT.error
    io.stdout.write(tell(io, options, service.requests().reads))
    return EXIT.done
  })
}

/** Git is asked, and the code for it loaded, only for this flag. */
const blameIn =
  (io: Io, options: Options): BlameValues =>
  async variables => {
    const { blame } = await import('../../run/blame.ts')
    return await blame(loadOptions(io, options), variables)
  }

const NOT_LIVE: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: '`--blame` tells the history of the files, which `--from live` leaves out.',
  hint: 'Leave out one of the two.',
}

const NOT_OF_STACKS: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: '`--blame` is for workspaces: a Stack reads sets, and Setpoint does not see which values.',
  hint: 'Leave out `--blame`, or name a workspace.',
}

/** Prints an explanation, once the number of requests is known. */
type ExplanationWriter = (io: Io, options: Options, reads: number) => string

interface Forms<E> {
  readonly json: (explanation: E) => string
  readonly markdown: (explanation: E) => string
  readonly text: (explanation: E, reads: number, options: TextOptions) => string
}

const WORKSPACE: Forms<Explanation> = {
  json: explanationJson,
  markdown: explanationMarkdown,
  text: explanationText,
}
const STACK: Forms<StackExplanation> = {
  json: stackExplanationJson,
  markdown: stackExplanationMarkdown,
  text: stackExplanationText,
}

function tellable<E>({ value, diagnostics }: Checked<E>, forms: Forms<E>): Checked<ExplanationWriter> {
  if (value === undefined) return { value: undefined, diagnostics }
  return {
    value: (io, options, reads) => textOf(io, options, io.redactor.in(value), reads, forms),
    diagnostics,
  }
}

function textOf<E>(io: Io, options: Options, explanation: E, reads: number, forms: Forms<E>): string {
  if (options.format === 'json') return forms.json(explanation)
  if (options.format === 'markdown') return forms.markdown(explanation)
  return forms.text(explanation, reads, {
    color: options.color ?? wantsColor(io, io.stdout),
    width: Math.max(40, Math.min(io.stdout.columns, 140)),
    fits: io.stdout.terminal,
  })
}

/** The parser accepts no other text. */
const momentOf = (text: string): ExplainedState => (text === 'files' || text === 'live' ? text : 'difference')
