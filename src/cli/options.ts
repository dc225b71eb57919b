import { resolve } from 'node:path'
import type { Limits } from '../config/limits.ts'
import { type ReportFile, readReport } from './report-option.ts'
import { readShard, type Shard } from './shard.ts'

/** Flags as typed values. One flat list: a flag means the same in every command that has it. */
export interface Options {
  /** Absolute: every other path is relative to it. */
  readonly directory: string
  /** `-C` as it was typed. */
  readonly typedDirectory?: string
  readonly config?: string
  readonly address?: string
  readonly sandbox: boolean
  readonly concurrency: number
  readonly rate?: number
  readonly color?: boolean
  readonly verbose: boolean
  readonly only: readonly string[]
  readonly limits: Partial<Limits>
  readonly adopt: readonly string[]
  readonly rewrite: readonly string[]
  /** Where values of secrets are; in `init` and `export`, how sensitive variables are written. */
  readonly secrets?: string
  readonly out?: string
  /** A commit before this change, as git names it. */
  readonly base?: string
  /** A file that `setpoint snapshot` wrote. */
  readonly snapshot?: string
  /** A part of the configurations that `config` means. */
  readonly shard?: Shard
  readonly format: string
  /** Which moment `explain` is about. */
  readonly from: string
  /** Further forms of the report, each in a file. */
  readonly reports: readonly ReportFile[]
  /** Characters that a Markdown report may have. */
  readonly markdownLimit?: number
  readonly events?: string
  readonly quiet: boolean
  readonly detailedExitcode: boolean
  readonly autoApprove: boolean
  readonly approve?: string
  readonly failFast: boolean
  readonly expectNoDrift: boolean
  readonly resolved: boolean
  readonly oneFile: boolean
  /** Patterns of sets whose files take live values over. */
  readonly update: readonly string[]
  readonly owner?: string
  readonly firstSet: boolean
  readonly pipeline: string
  readonly terraformState?: string
  readonly port?: number
  readonly number?: number
  /** Tells one comment from the others of one organization and owner. */
  readonly marker?: string
  readonly seed?: string
  readonly data?: string
  readonly latency?: number
  readonly rateLimit?: number
  readonly faults?: string
  readonly profile: readonly string[]
  readonly token: readonly string[]
  readonly exposeToNetwork?: string
}

/** One flag. `value` says how its argument is read; none: the flag is a switch. */
export interface OptionDefinition {
  readonly flags: string
  readonly description: string
  readonly value?:
    | 'text'
    | 'texts'
    | 'limit'
    | 'report'
    | 'shard'
    | 'count'
    | 'characters'
    | 'number'
    | 'port'
    | 'milliseconds'
  readonly choices?: readonly string[]
  readonly fallback?: string
}

/** A flag whose argument cannot be read: commander turns it into a usage error that names the flag. */
export function readArgument(kind: OptionDefinition['value'], text: string): number | string {
  switch (kind) {
    case 'limit':
      return readLimit(text)
    case 'shard':
      readShard(text)
      return text
    case 'report':
      readReport(text)
      return text
    case 'characters':
      return wholeNumber(text, 2_000, 9_999_999, 'a number of characters from 2000 to 9999999')
    case 'count':
      return wholeNumber(text, 1, 10_000, 'a whole number from 1 to 10000')
    case 'number':
      return wholeNumber(text, 1, 9_999_999, 'a number such as 7')
    case 'port':
      return wholeNumber(text, 0, 65_535, 'a port from 0 to 65535')
    case 'milliseconds':
      return wholeNumber(text.replace(/ms$/, ''), 0, 600_000, 'milliseconds, such as 50ms')
    default:
      // Without this, `--only --sandbox` would be a pattern, and the run would go to the real service.
      if (text.startsWith('--')) throw new RangeError('expected a value, not another flag')
      return text
  }
}

function wholeNumber(text: string, least: number, most: number, wanted: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new RangeError(`expected ${wanted}`)
}

const LIMITS = {
  'file-bytes': 'fileBytes',
  'total-bytes': 'totalBytes',
  files: 'files',
  keys: 'keysPerMap',
  depth: 'depth',
  variables: 'variables',
  'value-characters': 'valueCharacters',
} as const satisfies Record<string, keyof Limits>

const limitOf = (text: string) => {
  const [name = '', number = ''] = text.split('=', 2)
  const known = Object.entries(LIMITS).find(([one]) => one === name)?.[1]
  return known !== undefined && /^[1-9]\d{0,14}$/.test(number) ? { [known]: Number(number) } : undefined
}

function readLimit(text: string): string {
  if (limitOf(text) === undefined)
    throw new RangeError(`expected NAME=NUMBER with one of ${Object.keys(LIMITS).join(', ')}`)
  return text
}

const limitsFrom = (texts: readonly string[]): Partial<Limits> =>
  Object.assign({}, ...texts.map(text => limitOf(text) ?? {}))

const shardIn = (text: string | undefined): Shard | undefined =>
  text === undefined ? undefined : readShard(text)

/** What commander collected, as `Options`. Unknown members cannot occur: unknown flags are errors. */
export function optionsFrom(raw: Readonly<Record<string, unknown>>, cwd: string): Options {
  const text = (name: string) => (typeof raw[name] === 'string' ? raw[name] : undefined)
  const number = (name: string) => (typeof raw[name] === 'number' ? raw[name] : undefined)
  const texts = (name: string) =>
    Array.isArray(raw[name]) ? raw[name].filter(one => typeof one === 'string') : []
  const given = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })
  return {
    directory: resolve(cwd, text('C') ?? '.'),
    sandbox: raw.sandbox === true,
    concurrency: number('concurrency') ?? 8,
    verbose: raw.verbose === true,
    only: texts('only'),
    limits: limitsFrom(texts('limit')),
    adopt: texts('adopt'),
    rewrite: texts('rewrite'),
    format: text('format') ?? 'text',
    from: text('from') ?? 'difference',
    reports: texts('report').map(readReport),
    quiet: raw.quiet === true,
    detailedExitcode: raw.detailedExitcode === true,
    autoApprove: raw.autoApprove === true,
    failFast: raw.failFast === true,
    expectNoDrift: raw.expectNoDrift === true,
    resolved: raw.resolved === true,
    oneFile: raw.oneFile === true,
    firstSet: raw.firstSet === true,
    update: texts('update'),
    pipeline: text('pipeline') ?? 'none',
    profile: texts('profile'),
    token: texts('token'),
    ...given('typedDirectory', text('C')),
    ...given('config', text('config')),
    ...given('address', text('address')),
    ...given('rate', number('rate')),
    ...given('color', typeof raw.color === 'boolean' ? raw.color : undefined),
    ...given('secrets', text('secrets')),
    ...given('out', text('out')),
    ...given('terraformState', text('terraformState')),
    ...given('owner', text('owner')),
    ...given('base', text('base')),
    ...given('snapshot', text('snapshot')),
    ...given('shard', shardIn(text('shard'))),
    ...given('markdownLimit', number('markdownLimit')),
    ...given('events', text('events')),
    ...given('approve', text('approve')),
    ...given('port', number('port')),
    ...given('number', number('number')),
    ...given('marker', text('marker')),
    ...given('seed', text('seed')),
    ...given('data', text('data')),
    ...given('latency', number('latency')),
    ...given('rateLimit', number('rateLimit')),
    ...given('faults', text('faults')),
    ...given('exposeToNetwork', text('exposeToNetwork')),
  }
}
