import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SECRET_PREFIX } from '../apply/secrets.ts'
import type { Call, Io, Sink } from '../cli/io.ts'
import { type Options, optionsFrom, READERS, readReport } from '../cli/options.ts'
import { packageVersion } from '../cli/package-files.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { suggest } from '../model/names.ts'
import { Redactor } from '../model/secret.ts'
import type { Validation } from '../report/diagnostics.ts'
import { FORMATS, isFormat } from '../report/formats.ts'
import type { SingleReport } from '../report/view.ts'
import type { AffectedInput, ApplyInput, DriftInput, PlanInput, TestInput, ValidateInput } from './types.ts'

/** A run of a command without a process: its input, and its output so far. */
export interface Setting {
  readonly io: Call
  readonly diagnostics: Diagnostic[]
  /** What was written to stdout. */
  readonly output: readonly string[]
  /** What the command found. */
  readonly found: { readonly report?: SingleReport; readonly validation?: Validation }
  /** Removes the listener from the caller's signal. */
  readonly end: () => void
}

type AnyInput = ValidateInput & TestInput & DriftInput & PlanInput & ApplyInput & AffectedInput
type InputRule = readonly [words: string, holds: (value: unknown) => boolean]

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isRead = (read: (text: string) => unknown, value: unknown): boolean => {
  try {
    read(String(value))
    return true
  } catch {
    return false
  }
}

const TEXT: InputRule = ['a string', isText]
const TEXTS: InputRule = ['an array of strings', value => Array.isArray(value) && value.every(isText)]
const YES: InputRule = ['true or false', value => typeof value === 'boolean']
const OBJECT: InputRule = ['an object', isObject]
const COUNT: InputRule = ['a whole number from 1 to 10000', value => isRead(READERS.count, value)]
const FORMAT: InputRule = [`one of ${FORMATS.join(', ')}`, value => isText(value) && isFormat(value)]

const FILES: Readonly<Record<keyof ValidateInput, InputRule>> = {
  cwd: TEXT,
  config: TEXT,
  organization: TEXT,
  limits: OBJECT,
  env: OBJECT,
  signal: ['an AbortSignal', value => value instanceof AbortSignal],
}
const DRIFT: Readonly<Record<keyof DriftInput, InputRule>> = {
  ...FILES,
  address: TEXT,
  token: TEXT,
  transport: ['a function', value => typeof value === 'function'],
  sandbox: [
    'true, false, or the result of createSandbox()',
    value => typeof value === 'boolean' || (isObject(value) && 'transport' in value && 'ensure' in value),
  ],
  secrets: [
    'the name of a file, or an object of strings',
    value => isText(value) || (isObject(value) && Object.values(value).every(isText)),
  ],
  only: TEXTS,
  adopt: TEXTS,
  concurrency: COUNT,
  rate: COUNT,
  format: FORMAT,
  markdownLimit: ['a number of characters from 2000 to 9999999', value => isRead(READERS.characters, value)],
  reports: [
    `an array of { format, path }, each format one of ${FORMATS.join(', ')}`,
    value =>
      Array.isArray(value) &&
      value.every(
        one =>
          isObject(one) &&
          'format' in one &&
          'path' in one &&
          isRead(readReport, `${one.format}=${one.path}`),
      ),
  ],
}
const PLAN: Readonly<Record<keyof PlanInput, InputRule>> = {
  ...DRIFT,
  rewrite: TEXTS,
  base: TEXT,
  rules: TEXTS,
  snapshot: TEXT,
  detailedExitcode: YES,
}
const APPLY: Readonly<Record<keyof ApplyInput, InputRule>> = {
  ...DRIFT,
  rewrite: TEXTS,
  base: TEXT,
  rules: TEXTS,
  autoApprove: YES,
  approve: TEXT,
  reviewed: TEXT,
  expectNoDrift: YES,
  failFast: YES,
  events: TEXT,
}
const { format: _, markdownLimit: __, reports: ___, ...PLANNING } = DRIFT
const AFFECTED: Readonly<Record<keyof AffectedInput, InputRule>> = {
  ...PLANNING,
  rewrite: TEXTS,
  base: TEXT,
  verify: YES,
  savedPlan: TEXT,
}
const TEST: Readonly<Record<keyof TestInput, InputRule>> = { ...FILES, directories: TEXTS }
const KNOWN = {
  validate: FILES,
  test: TEST,
  plan: PLAN,
  apply: APPLY,
  drift: DRIFT,
  affected: AFFECTED,
} as const

/** Milliseconds that requests under way have to finish, as after a first Ctrl-C. */
const PATIENCE = 5_000

/** Throws a `TypeError` for a wrong call: an option that does not exist, or has the wrong type. */
export function settingFor(command: keyof typeof KNOWN, input: AnyInput): Setting {
  check(command, input)
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
  ...env,
  SETPOINT_TOKEN: token ?? env.SETPOINT_TOKEN,
  SETPOINT_ORGANIZATION: organization ?? env.SETPOINT_ORGANIZATION,
  ...Object.fromEntries(
    Object.entries(typeof secrets === 'object' ? secrets : {}).map(([name, text]) => [
      `${SECRET_PREFIX}${name}`,
      text,
    ]),
  ),
})

function check(command: keyof typeof KNOWN, input: AnyInput): void {
  const known: Readonly<Record<string, InputRule>> = KNOWN[command]
  for (const [name, value] of Object.entries(input)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) {
      const near = suggest(name, Object.keys(known))
      const hint = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
      throw new TypeError(`${command}() has no option ${JSON.stringify(name)}.${hint}`)
    }
    const [words, holds] = rule
    if (value !== undefined && !holds(value))
      throw new TypeError(`The option "${name}" of ${command}() must be ${words}.`)
  }
}

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
