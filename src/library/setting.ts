import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { withoutTokens } from '../api/tokens.ts'
import { SECRET_PREFIX } from '../apply/secrets.ts'
import type { Call, Io, Sink } from '../cli/io.ts'
import { type Options, optionsFrom, readReport } from '../cli/options.ts'
import { packageVersion } from '../cli/package-files.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { Redactor } from '../model/secret.ts'
import type { Validation } from '../report/diagnostics.ts'
import type { FailureReport } from '../report/failure.ts'
import type { SingleReport } from '../report/view.ts'
import { type AnyInput, checkInput, type FunctionName } from './input.ts'

/** A run of a command without a process: its input, and its output so far. */
export interface Setting {
  readonly io: Call
  readonly diagnostics: Diagnostic[]
  /** What was written to stdout. */
  readonly output: readonly string[]
  /** What the command found. */
  readonly found: { readonly report?: SingleReport | FailureReport; readonly validation?: Validation }
  /** Removes the listener from the caller's signal. */
  readonly end: () => void
}

/** Milliseconds that requests under way have to finish, as after a first Ctrl-C. */
const PATIENCE = 5_000

/** Throws a `TypeError` for a wrong call: an option that does not exist, or has the wrong type. */
export function settingFor(command: FunctionName, input: AnyInput): Setting {
  checkInput(command, input)
  const output: string[] = []
  const diagnostics: Diagnostic[] = []
  const found: Setting['found'] = {}
  const { stop, abandon, end } = signals(input.signal)
  const cwd = resolve(input.cwd ?? '.')
  const env = environmentOf(input)
  const home = env.HOME || env.USERPROFILE || undefined
  const io: Call = {
    options: optionsOf(input, cwd),
    stdout: sink(text => output.push(text)),
    stderr: sink(() => {}),
    env,
    cwd,
    home,
    version: packageVersion(),
    redactor: new Redactor(),
    input: () => ({}),
    stop,
    abandon,
    stoppedBy: () => (stop.aborted ? 'SIGINT' : undefined),
    now: () => new Date(),
    elapsed: () => performance.now(),
    random: Math.random,
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
    hear: said => diagnostics.push(...said),
    collect: report => Object.assign(found, { report }),
    validated: validation => Object.assign(found, { validation }),
    sandbox: typeof input.sandbox === 'object' ? input.sandbox : undefined,
    transport: input.transport,
    savedPlan: input.reviewed ?? input.savedPlan,
  }
  return { io, diagnostics, output, found, end }
}

/** The options that the parser of the command line would have collected. */
function optionsOf(
  { secrets, sandbox = false, reports = [], limits = {}, ...given }: AnyInput,
  cwd: string,
): Options {
  const {
    cwd: _,
    directories: __,
    workspace: ___,
    organization,
    env,
    signal,
    token,
    transport,
    reviewed,
    savedPlan,
    ...flags
  } = given
  return optionsFrom(
    {
      ...flags,
      sandbox: sandbox !== false,
      secrets: typeof secrets === 'string' ? secrets : undefined,
      limit: [limits],
      report: reports.map(({ format, path }) => readReport(`${format}=${path}`)),
      color: false,
    },
    cwd,
  )
}

/** Token, organization and secrets are passed on as environment variables. */
const environmentOf = ({ env = {}, token, organization, secrets }: AnyInput): Io['env'] => ({
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

const sink = (write: (text: string) => void): Sink => ({ write, terminal: false, columns: 120 })
