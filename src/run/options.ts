import { dirname, join } from 'node:path'
import type { Limits } from '../config/loader-limits.ts'
import { isObject } from '../model/json.ts'
import type { ExplainedState } from '../plan/effective/explanation.ts'
import { FILE_KINDS, type FileKind, FORMATS, isFileKind } from '../report/formats.ts'

/** What a value of the library must be. */
export interface ValueRule {
  /** Completes a sentence: must be … */
  readonly words: string
  readonly holds: (value: unknown) => boolean
  /** Its type. */
  readonly type: string
}

/** What an option takes: how a word of the command line is read, and what a value of the library must be. */
interface OptionKind extends ValueRule {
  /**
   * The value of a word. `earlier` is the value so far, of an option that collects what it is given repeatedly. Throws a `RangeError`
   * for a wrong word, which becomes a usage error that names the flag.
   */
  readonly read: (word: string, earlier: unknown) => unknown
  readonly isRepeatable?: boolean
  /** What completion offers: names of sets, or kinds of files. */
  readonly offers?: 'sets' | 'reports'
}

export interface OptionRow<T> {
  /** As it is typed, with its argument: `--only <pattern>`. A switch has none. */
  readonly flag: string
  readonly kind: OptionKind
  readonly description: string
  /** The value if it is not given. */
  readonly fallback: T
  readonly choices?: readonly string[]
  /** The word if the flag is given without one. */
  readonly preset?: string
  /** Few runs need it: it stands at the end of help. */
  readonly isRare?: boolean
  /** Only the command line has it: for a caller of the library it means nothing, or is another type. */
  readonly isOnlyTyped?: boolean
  /** The description in the library, if that of the command line does not fit. */
  readonly inLibrary?: string
}

const isText = (value: unknown): value is string => typeof value === 'string'

export const SWITCH: OptionKind = {
  read: () => true,
  words: 'true or false',
  holds: value => typeof value === 'boolean',
  type: 'boolean',
}

export const TEXT: OptionKind = { read: word => word, words: 'a string', holds: isText, type: 'string' }

export const TEXTS: OptionKind = {
  read: (word, earlier) => [...listOf(earlier), word],
  isRepeatable: true,
  words: 'an array of strings',
  holds: value => Array.isArray(value) && value.every(isText),
  type: 'readonly string[]',
}

const SOURCE: OptionKind = {
  read: word => word,
  words: 'the name of a file, or an object of strings',
  holds: value => isText(value) || (isObject(value) && Object.values(value).every(isText)),
  type: 'string | Readonly<Record<string, string>>',
}

const COUNT = wholeNumber(1, 10_000, 'a whole number from 1 to 10000')
const CHARACTERS = wholeNumber(2_000, 9_999_999, 'a number of characters from 2000 to 9999999')
const NUMBER = wholeNumber(1, 9_999_999, 'a number such as 7')
const PORT = wholeNumber(0, 65_535, 'a port from 0 to 65535')
const DELAY = wholeNumber(0, 600_000, 'milliseconds, such as 50ms')
const MILLISECONDS: OptionKind = {
  ...DELAY,
  read: (word, earlier) => DELAY.read(word.replace(/ms$/, ''), earlier),
}

const LIMITS = {
  'file-bytes': 'fileBytes',
  files: 'files',
  expanded: 'expanded',
} as const satisfies Record<string, keyof Limits>

const LIMITED: OptionKind = {
  read: (word, earlier) => {
    const [name = '', number = ''] = word.split('=', 2)
    const known = Object.entries(LIMITS).find(([one]) => one === name)?.[1]
    if (known === undefined || !/^[1-9]\d{0,14}$/.test(number))
      throw new RangeError(`expected NAME=NUMBER with one of ${Object.keys(LIMITS).join(', ')}`)
    return { ...(isObject(earlier) && earlier), [known]: Number(number) }
  },
  isRepeatable: true,
  words: `an object with whole numbers under ${Object.values(LIMITS).join(', ')}`,
  holds: value =>
    isObject(value) &&
    Object.entries(value).every(
      ([name, most]) =>
        Object.values<string>(LIMITS).includes(name) && Number.isSafeInteger(most) && Number(most) > 0,
    ),
  type: 'Partial<Limits>',
}

/** A report in a file, in addition to the one on stdout. */
export interface ReportFile {
  readonly format: FileKind
  readonly path: string
}

const REPORT_FILES: OptionKind = {
  read: (word, earlier) => {
    const at = word.indexOf('=')
    const report = { format: word.slice(0, Math.max(0, at)), path: word.slice(at + 1) }
    if (!isReportFile(report)) throw new RangeError(`expected KIND=FILE with one of ${FILE_KINDS.join(', ')}`)
    return [...listOf(earlier), report]
  },
  isRepeatable: true,
  offers: 'reports',
  words: `an array of { format, path }, each format one of ${FILE_KINDS.join(', ')}`,
  holds: value => Array.isArray(value) && value.every(isReportFile),
  type: 'readonly { readonly format: FileKind; readonly path: string }[]',
}

const isReportFile = (value: unknown): value is ReportFile =>
  isObject(value) &&
  'format' in value &&
  'path' in value &&
  isFileKind(String(value.format)) &&
  isText(value.path) &&
  value.path !== ''

/** One of `of` equal parts of the work; `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

/** `2/4`, or the equal `index=1/4`, because an Indexed Job counts from 0. */
const SHARD: OptionKind = {
  read: word => {
    const [, fromZero, first = '', second = ''] = /^(index=)?(\d{1,4})\/(\d{1,4})$/.exec(word) ?? []
    const shard: Shard = { index: Number(first) + (fromZero === undefined ? 0 : 1), of: Number(second) }
    if (shard.index >= 1 && shard.index <= shard.of) return shard
    throw new RangeError('expected I/N, such as 2/4, with I from 1 to N; or index=I/N, with I from 0')
  },
  words: 'an object with the numbers index and of',
  holds: isObject,
  type: 'Shard',
}

function wholeNumber(least: number, most: number, wanted: string): OptionKind {
  return {
    read: word => {
      const number = /^\d{1,7}$/.test(word) ? Number(word) : Number.NaN
      if (number >= least && number <= most) return number
      throw new RangeError(`expected ${wanted}`)
    },
    words: wanted,
    holds: value => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    type: 'number',
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const row = <T>(kind: OptionKind, flag: string, description: string, fallback: T): OptionRow<T> => ({
  flag,
  kind,
  description,
  fallback,
})

const on = (flag: string, description: string) => row<boolean>(SWITCH, flag, description, false)
const text = (flag: string, description: string) =>
  row<string | undefined>(TEXT, flag, description, undefined)
const texts = (flag: string, description: string) => row<readonly string[]>(TEXTS, flag, description, [])
const sets = (flag: string, description: string) =>
  row<readonly string[]>({ ...TEXTS, offers: 'sets' }, flag, description, [])
const number = (kind: OptionKind, flag: string, description: string) =>
  row<number | undefined>(kind, flag, description, undefined)
const choice = <T extends string>(flag: string, description: string, choices: readonly T[], fallback: T) => ({
  ...row<T>(TEXT, flag, description, fallback),
  choices,
})

const rare = <R>(one: R): R => ({ ...one, isRare: true })
const onlyTyped = <R>(one: R): R => ({ ...one, isOnlyTyped: true })
const inLibrary = <R>(words: string, one: R): R => ({ ...one, inLibrary: words })

/**
 * Every option, said once: the parser, help, completion, the reference page, the types of the library and its checks follow from its
 * row. It means the same in every command; some describe it in their own words.
 */
export const OPTIONS = {
  directory: onlyTyped(text('-C <dir>', 'run as if started in this directory')),
  config: inLibrary(
    'the configuration file, but not a pattern (default: `setpoint.yaml`)',
    text(
      '--config <file>',
      'configuration file (default: setpoint.yaml here, else the nearest one above in the Git repository)',
    ),
  ),
  limits: inLibrary(
    'raised limits of the loader, such as `{ files: 100000 }`',
    rare(
      row<Partial<Limits>>(
        LIMITED,
        '--limit <name=n>',
        'raise a loader limit, such as files=100000 (file-bytes, files, expanded)',
        {},
      ),
    ),
  ),
  sandbox: onlyTyped(on('--sandbox', 'use the embedded sandbox, without an account or a network')),
  address: text('--address <url>', 'address of the service (default: from the environment)'),
  tokens: text(
    '--tokens <dir>',
    'read the token of each organization from the file with its name in this directory',
  ),
  concurrency: rare(row<number>(COUNT, '--concurrency <n>', 'maximum number of parallel requests', 8)),
  rate: rare(
    number(
      COUNT,
      '--rate <n>',
      "maximum number of requests per second (default: 20, or 2/3 of the service's limit)",
    ),
  ),
  only: sets('--only <pattern>', 'select sets by name or id; * matches any text of a name'),
  adopt: sets(
    '--adopt <pattern>',
    'take ownership of existing sets, by name or id, that differ from the files or belong to another owner',
  ),
  rewrite: inLibrary(
    'write secrets again, even if they did not change: those of `SET`, or `SET/KEY` or `SET/env/KEY`, with the name or the id of a set',
    sets(
      '--rewrite <set[/key]>',
      'write the secrets of a set, by name or id, again, even if they did not change',
    ),
  ),
  shard: onlyTyped(
    rare(
      row<Shard | undefined>(
        SHARD,
        '--shard <i/n>',
        'process only part i of n of the configurations; index=i/n counts from 0',
        undefined,
      ),
    ),
  ),
  verify: on(
    '--verify',
    'read the workspaces and the variables of each affected one, and drop those that see no change',
  ),
  base: text(
    '--base <ref>',
    'compare with this Git ref, such as origin/main, to separate your change from earlier drift',
  ),
  onlyThisChange: on(
    '--only-this-change',
    'with --base: change only what differs between base and files; name all other drift, and leave it',
  ),
  rules: texts(
    '--rules <dir>',
    'also check the plan against the rules in this directory, which no pull request can change',
  ),
  secrets: inLibrary(
    'values of secrets by name, or a file or directory with them',
    row<string | undefined>(
      SOURCE,
      '--secrets <source>',
      'read the values of secrets from a JSON, YAML or dotenv file, a directory, or stdin (-)',
      undefined,
    ),
  ),
  format: inLibrary(
    'format of `output` (default: `text`)',
    choice<string>('--format <format>', 'output format', FORMATS, 'text'),
  ),
  reports: inLibrary(
    'reports to write to files',
    row<readonly ReportFile[]>(
      REPORT_FILES,
      '--report <kind=file>',
      `also write the report to a file, such as html=plan.html (${FILE_KINDS.join(', ')})`,
      [],
    ),
  ),
  markdownLimit: rare(
    number(
      CHARACTERS,
      '--markdown-limit <n>',
      'maximum length of a Markdown report in characters (default: 65000, for a comment on GitHub)',
    ),
  ),
  /** `--no-color`, too. Undefined: if the output is a terminal. */
  color: onlyTyped(
    row<boolean | undefined>(
      SWITCH,
      '--color',
      'print colours even if the output is not a terminal',
      undefined,
    ),
  ),
  verbose: onlyTyped(
    on('--verbose', 'show what the report sums up or leaves out, and log each request to stderr'),
  ),
  quiet: onlyTyped(on('--quiet', 'hide progress and warnings, but not errors and the result')),
  resolved: onlyTyped(on('--resolved', 'print the sets with their bases merged in')),
  fixSchema: onlyTyped(on('--fix-schema', 'first write the schemas for editors next to the configuration')),
  snapshot: text(
    '--snapshot <file>',
    'plan from a file that setpoint snapshot wrote, without credentials or a network',
  ),
  out: text('--out <file>', 'save the plan for review and for apply'),
  detailedExitcode: on('--detailed-exitcode', 'exit 2 if there are changes, 4 if a guard blocks them'),
  autoApprove: inLibrary(
    'consent to any plan; guards still block',
    on('--auto-approve', 'do not ask for confirmation; guards still block'),
  ),
  approve: inLibrary(
    'consent to exactly the plan with this digest (all 64 digits), including what guards block; together with `reviewed`, to what is left of that plan',
    text(
      '--approve <digest>',
      'approve exactly the plan with this digest, including what guards block: all 64 digits, or at least 12 at a terminal; A,B for several organizations',
    ),
  ),
  expectNoDrift: on(
    '--expect-no-drift',
    'refuse to apply if the service was changed outside Setpoint; requires an owner in the configuration',
  ),
  failFast: on('--fail-fast', 'start no further steps after the first failure'),
  owner: text(
    '--owner <name>',
    'name of this repository, unique among all that manage the organization (default: the directory name)',
  ),
  firstSet: on(
    '--first-set',
    'create an example set if there are no sets to export (default with --sandbox)',
  ),
  pipeline: choice(
    '--pipeline <forge>',
    'add a CI pipeline for plan, apply and drift',
    ['github', 'gitlab', 'none'],
    'none',
  ),
  /** Of a pipeline, which has the file. */
  withSnapshot: on(
    '--snapshot',
    'with plan, on the default branch: hand over a snapshot, for jobs without a token',
  ),
  update: onlyTyped(
    sets(
      '--update <pattern>',
      'write live values into the files of matching sets, keeping comments and order',
    ),
  ),
  terraformState: onlyTyped(
    text(
      '--terraform-state <file>',
      'export what a Terraform or OpenTofu state manages, without a connection; - for stdin',
    ),
  ),
  key: text('--key <key>', 'who receives this variable: NAME, or only env/NAME or terraform/NAME'),
  from: choice<ExplainedState>(
    '--from <moment>',
    'state to explain: live, files, or the difference',
    ['difference', 'files', 'live'],
    'difference',
  ),
  number: number(
    NUMBER,
    '--number <n>',
    'number of the pull or merge request (default: the one that this pipeline belongs to)',
  ),
  marker: text('--marker <name>', 'maintain a separate comment with this name, such as one for each shard'),
  merged: text('--merged <commit>', 'comment on the merged pull or merge request of this commit'),
  guard: texts('--guard <pattern>', 'a further file to guard'),
  port: number(PORT, '--port <n>', 'port to listen on (default: a free one)'),
  seed: text(
    '--seed <file>',
    'start with the organizations, projects, workspaces, sets and tokens in this file',
  ),
  data: text('--data <file>', 'save every acknowledged change in this file, and start from it'),
  terraformRc: text(
    '--terraform-rc <file>',
    'write a Terraform CLI configuration for this sandbox to a file',
  ),
  latency: number(MILLISECONDS, '--latency <ms>', 'delay each response, such as 50ms'),
  rateLimit: number(COUNT, '--rate-limit <n>', 'respond with 429 above n requests per second'),
  faults: text('--faults <file>', 'inject the faults that this file schedules'),
  token: texts(
    '--token <token=permission>',
    'accept this token, with the permission none, read-variables, manage-workspaces or admin',
  ),
  profile: texts(
    '--profile <server|name=value>',
    'imitate a server, such as hcp or otf; or set duplicates, largestPage or lists',
  ),
  exposeToNetwork: text(
    '--expose-to-network <host>',
    'listen on this address; anyone who can reach it and has the token can write',
  ),
} as const satisfies Readonly<Record<string, OptionRow<unknown>>>

export type OptionName = keyof typeof OPTIONS

/** What a caller asks of a command: each option by its name. Each command reads only those that it has. */
export type Options = { readonly [N in OptionName]: (typeof OPTIONS)[N]['fallback'] }

const DEFAULTS = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, one]) => [name, one.fallback]),
) as Options

/** All options; those that are not given have their defaults. */
export const withDefaults = (given: Partial<Options>): Options => ({
  ...DEFAULTS,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
})

/** An option of a command. */
export interface Option extends OptionRow<unknown> {
  readonly name: OptionName
}

/** An option that a command describes in its own words. With another argument, it is no option of the library's function. */
export const own = (name: OptionName, words: Partial<Omit<OptionRow<unknown>, 'kind'>>): Option => ({
  ...OPTIONS[name],
  ...(words.flag === undefined && words.choices === undefined ? {} : { isOnlyTyped: true }),
  ...words,
  name,
})

/** The options of a command, as it lists them: by name, or in its own words. */
export const optionsOf = (...listed: readonly (OptionName | Option)[]): readonly Option[] =>
  listed.map(one => {
    const option = typeof one === 'string' ? own(one, {}) : one
    return option.kind.isRepeatable ? { ...option, description: `${option.description}; repeatable` } : option
  })

/** As it is typed, without its argument: `--only`, `-C`. */
export const flagOf = ({ flag }: Pick<Option, 'flag'>): string => flag.split(' ', 1)[0] ?? flag

export const isSwitch = ({ flag }: Pick<Option, 'flag'>): boolean => !flag.includes(' ')

/** A default that help shows. That of a switch or a list says nothing. */
export const shownDefault = ({ fallback: value }: Option): string | number | undefined =>
  isText(value) || typeof value === 'number' ? value : undefined

/** What a value of an option must be. */
export const ruleOf = ({ kind, choices }: OptionRow<unknown>): ValueRule =>
  choices === undefined
    ? kind
    : {
        words: `one of ${choices.join(', ')}`,
        holds: value => isText(value) && choices.includes(value),
        type: choices.map(one => `'${one}'`).join(' | '),
      }

/** Options that go together. */
export const FILES = ['directory', 'config', 'limits'] as const satisfies readonly OptionName[]
export const CONNECTION = [
  'sandbox',
  'address',
  'tokens',
  'concurrency',
  'rate',
] as const satisfies readonly OptionName[]
export const REPORTS = ['format', 'reports', 'markdownLimit'] as const satisfies readonly OptionName[]
export const PLANNED = [
  'only',
  'adopt',
  'rewrite',
  'secrets',
  'base',
  'onlyThisChange',
] as const satisfies readonly OptionName[]
/** Of functions of the library: their types name these groups. */
export const GROUPS = {
  FilesOptions: FILES,
  ConnectionOptions: [...FILES, ...CONNECTION],
  PlannedOptions: PLANNED,
  ReportOptions: REPORTS,
} as const satisfies Readonly<Record<string, readonly OptionName[]>>
export const COLOURS: readonly Option[] = [
  own('color', {}),
  own('color', { flag: '--no-color', description: 'print no colours' }),
]
export const OUTPUT = [...COLOURS, 'verbose', 'quiet'] as const

/** Whether a run covers several configurations: `--config` is a pattern, or the work is divided. */
export const isSeveral = ({ config, shard }: Partial<Options>): boolean =>
  shard !== undefined || (config !== undefined && /[*?[{(]/.test(config))

/** A file that Git does not track, beside the configuration. */
export const stateFile = ({ config = '' }: Pick<Options, 'config'>, name: string): string =>
  join(dirname(config), '.setpoint', name)
