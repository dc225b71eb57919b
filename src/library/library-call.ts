import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { withoutTokens } from '../api/tokens.ts'
import { Redactor, SECRET_PREFIX } from '../model/secret.ts'
import { isFormat } from '../report/formats.ts'
import { type Report, renderers } from '../report/index.ts'
import { commitOf } from '../run/commands/reporting.ts'
import { RunRecord } from '../run/commands/run-record.ts'
import { type Options, withDefaults } from '../run/options.ts'
import { packageVersion } from '../run/package-files.ts'
import type { GivenService, Listener, ReportLinks, Run } from '../run/run.ts'
import { type AnyInput, checkInput } from './input.ts'
import type { FunctionName } from './inputs.gen.ts'

/** A call of a function, with what it has told so far. */
export interface Call {
  readonly context: Run
  /** The reports that the command prints, in its format. */
  readonly output: string[]
  /** Removes the listener from the caller's signal. */
  readonly end: () => void
}

/** Milliseconds that requests under way have to finish, as after a first Ctrl-C. */
const PATIENCE = 5_000

/** Throws a `TypeError` for a wrong call: an option that does not exist, or has the wrong type. */
export function callOf(name: FunctionName, input: AnyInput): Call {
  checkInput(name, input)
  const output: string[] = []
  const { stop, abandon, end } = signals(input.signal)
  const env = environmentOf(input)
  const now = (): Date => new Date()
  const world = {
    env,
    cwd: resolve(input.cwd ?? '.'),
    home: env.HOME || env.USERPROFILE || undefined,
    version: packageVersion(),
    redactor: new Redactor(),
    stop,
    abandon,
    stoppedBy: () => (stop.aborted ? ('SIGINT' as const) : undefined),
    now,
    elapsed: () => performance.now(),
    random: Math.random,
    sleep: (ms: number, signal?: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
  }
  const options = optionsOf(input)
  const context: Run = {
    ...world,
    options,
    told: [],
    listener: listenerTo(output, options),
    given: givenService(input),
    record: new RunRecord(now, () => commitOf(world)),
  }
  return { context, output, end }
}

/** The options as the parser of the command line collects them. */
const optionsOf = ({ secrets, sandbox = false, token: _, ...others }: AnyInput): Options =>
  withDefaults({
    ...others,
    sandbox: sandbox !== false,
    secrets: typeof secrets === 'string' ? secrets : undefined,
  })

function givenService({ sandbox, transport }: AnyInput): GivenService | undefined {
  if (typeof sandbox === 'object') return { sandbox }
  return transport && { transport }
}

/** Collects the reports that the command prints. */
function listenerTo(output: string[], { format, markdownLimit }: Options): Listener {
  const report = (one: Report, links: ReportLinks = {}): void => {
    // What a failure says as text is in the diagnostics.
    if (one.kind === 'failure' && format === 'text') return
    const layout = { color: false, streamed: true, markdownLimit, ...links }
    output.push(renderers[isFormat(format) ? format : 'text'](one, layout))
  }
  const nothing = (): void => {}
  return {
    diagnostics: nothing,
    note: nothing,
    report,
    findings: nothing,
    progress: () => ({
      reading: nothing,
      applying: nothing,
      attempt: nothing,
      wait: nothing,
      result: nothing,
      end: nothing,
    }),
  }
}

/** Token, organization and secrets are passed on as environment variables. */
const environmentOf = ({ env = {}, token, organization, secrets }: AnyInput): Run['env'] => ({
  ...(token === undefined ? env : { ...withoutTokens(env), SETPOINT_TOKEN: token }),
  SETPOINT_ORGANIZATION: organization ?? env.SETPOINT_ORGANIZATION,
  ...Object.fromEntries(
    Object.entries(typeof secrets === 'object' ? secrets : {}).map(([name, text]) => [
      `${SECRET_PREFIX}${name}`,
      text,
    ]),
  ),
})

function signals(signal: AbortSignal | undefined) {
  const abandon = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const onAbort = (): void => {
    timers.push(globalThis.setTimeout(() => abandon.abort(), PATIENCE).unref())
  }
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  return {
    stop: signal ?? new AbortController().signal,
    abandon: abandon.signal,
    end: () => {
      signal?.removeEventListener('abort', onAbort)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
