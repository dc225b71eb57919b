import { FILE_KINDS, FORMATS } from '../report/formats.ts'

/** A flag. `value` is the kind of its argument; a switch has none. */
export interface OptionDefinition {
  readonly flags: string
  readonly description: string
  readonly value?: ArgumentKind
  readonly choices?: readonly string[]
  readonly fallback?: string
  /** The argument if the flag is given without one. */
  readonly preset?: string
}

/** How the argument of a flag is read: `READERS` in `src/cli/command-options.ts`. */
export type ArgumentKind =
  | 'text'
  | 'texts'
  | 'limit'
  | 'report'
  | 'shard'
  | 'characters'
  | 'count'
  | 'number'
  | 'port'
  | 'milliseconds'

const on = (flags: string, description: string) => ({ flags, description })
const takes = <K extends ArgumentKind>(value: K, flags: string, description: string) => ({
  flags,
  description,
  value,
})

const text = (flags: string, description: string) => takes('text', flags, description)
const texts = (flags: string, description: string) => takes('texts', flags, description)
const count = (flags: string, description: string) => takes('count', flags, description)

/** Every flag, by its name in the parser. A flag means the same in every command; some describe it in their own words. */
export const FLAGS = {
  C: text('-C <dir>', 'run as if started in this directory'),
  config: text(
    '--config <file>',
    'configuration file (default: setpoint.yaml here, else the nearest one above in the Git repository)',
  ),
  limit: takes(
    'limit',
    '--limit <name=n>',
    'raise a loader limit, such as files=100000 (file-bytes, files, expanded); repeatable',
  ),
  sandbox: on('--sandbox', 'use the embedded sandbox, without an account or a network'),
  address: text('--address <url>', 'address of the service (default: from the environment)'),
  tokens: text(
    '--tokens <dir>',
    'read the token of each organization from the file with its name in this directory',
  ),
  concurrency: count('--concurrency <n>', 'maximum number of parallel requests (default: 8)'),
  rate: count(
    '--rate <n>',
    "maximum number of requests per second (default: 20, or 2/3 of the service's limit)",
  ),
  only: texts('--only <pattern>', 'select sets by name or id; * matches any text of a name; repeatable'),
  adopt: texts(
    '--adopt <pattern>',
    'take ownership of existing sets, by name or id, that differ from the files or belong to another owner; repeatable',
  ),
  rewrite: texts(
    '--rewrite <set[/key]>',
    'write the secrets of a set, by name or id, again, even if they did not change; repeatable',
  ),
  shard: takes(
    'shard',
    '--shard <i/n>',
    'process only part i of n of the configurations; index=i/n counts from 0',
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
    'also check the plan against the rules in this directory, which no pull request can change; repeatable',
  ),
  secrets: text(
    '--secrets <source>',
    'read the values of secrets from a JSON, YAML or dotenv file, a directory, or stdin (-)',
  ),
  format: { ...text('--format <format>', 'output format'), choices: FORMATS, fallback: 'text' },
  report: takes(
    'report',
    '--report <kind=file>',
    `also write the report to a file, such as html=plan.html (${FILE_KINDS.join(', ')}); repeatable`,
  ),
  markdownLimit: takes(
    'characters',
    '--markdown-limit <n>',
    'maximum length of a Markdown report in characters (default: 65536, the limit of a GitHub comment)',
  ),
  verbose: on('--verbose', 'show what the report sums up or leaves out, and log each request to stderr'),
  quiet: on('--quiet', 'hide progress and warnings, but not errors and the result'),
  resolved: on('--resolved', 'print the sets with their bases merged in'),
  fixSchema: on('--fix-schema', 'first write the schemas for editors next to the configuration'),
  snapshot: text(
    '--snapshot <file>',
    'plan from a file that setpoint snapshot wrote, without credentials or a network',
  ),
  out: text('--out <file>', 'save the plan for review and for apply'),
  detailedExitcode: on('--detailed-exitcode', 'exit 2 if there are changes, 4 if a guard blocks them'),
  autoApprove: on('--auto-approve', 'do not ask for confirmation; guards still block'),
  approve: text(
    '--approve <digest>',
    'approve exactly the plan with this digest, including what guards block: all 64 digits, or at least 12 at a terminal; A,B for several organizations',
  ),
  expectNoDrift: on(
    '--expect-no-drift',
    'refuse to apply if the service was changed outside; requires an owner in the configuration',
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
  pipeline: {
    ...text('--pipeline <forge>', 'add a CI pipeline for plan, apply and drift'),
    choices: ['github', 'gitlab', 'none'],
    fallback: 'none',
  },
  update: texts(
    '--update <pattern>',
    'write live values into the files of matching sets, keeping comments and order; repeatable',
  ),
  terraformState: text(
    '--terraform-state <file>',
    'export what a Terraform or OpenTofu state manages, without a connection; - for stdin',
  ),
  key: text('--key <key>', 'who receives this variable: NAME, or only env/NAME or terraform/NAME'),
  from: {
    ...text('--from <moment>', 'state to explain: live, files, or the difference'),
    choices: ['difference', 'files', 'live'],
    fallback: 'difference',
  },
  number: takes(
    'number',
    '--number <n>',
    'number of the pull or merge request (default: the one that this pipeline belongs to)',
  ),
  marker: text('--marker <name>', 'maintain a separate comment with this name, such as one for each shard'),
  merged: text('--merged <commit>', 'comment on the request of this commit'),
  guard: texts('--guard <pattern>', 'a further file to guard; repeatable'),
  port: takes('port', '--port <n>', 'port to listen on (default: a free one)'),
  seed: text(
    '--seed <file>',
    'start with the organizations, projects, workspaces, sets and tokens in this file',
  ),
  data: text('--data <file>', 'save every acknowledged change in this file, and start from it'),
  terraformRc: text(
    '--terraform-rc <file>',
    'write a Terraform CLI configuration for this sandbox to a file',
  ),
  latency: takes('milliseconds', '--latency <ms>', 'delay each response, such as 50ms'),
  rateLimit: count('--rate-limit <n>', 'respond with 429 above n requests per second'),
  faults: text('--faults <file>', 'inject the faults that this file schedules'),
  token: texts(
    '--token <token=permission>',
    'accept this token, with the permission none, read-variables, manage-workspaces or admin; repeatable',
  ),
  profile: texts(
    '--profile <server|name=value>',
    'imitate a server, such as hcp or otf; or set duplicates, largestPage or lists; repeatable',
  ),
  exposeToNetwork: text(
    '--expose-to-network <host>',
    'listen on this address; anyone who can reach it and has the token can write',
  ),
} as const satisfies Readonly<Record<string, OptionDefinition>>

/** Two flags of one option, which is undefined if neither is given. */
export const COLOURS: readonly OptionDefinition[] = [
  { flags: '--color', description: 'print colours even if the output is not a terminal' },
  { flags: '--no-color', description: 'print no colours' },
]

/** Flags that go together. */
export const FILES: readonly OptionDefinition[] = [FLAGS.C, FLAGS.config, FLAGS.limit]
export const CONNECTION: readonly OptionDefinition[] = [
  FLAGS.sandbox,
  FLAGS.address,
  FLAGS.tokens,
  FLAGS.concurrency,
  FLAGS.rate,
]
export const REPORTS: readonly OptionDefinition[] = [FLAGS.format, FLAGS.report, FLAGS.markdownLimit]
export const OUTPUT: readonly OptionDefinition[] = [...COLOURS, FLAGS.verbose, FLAGS.quiet]
export const PLANNED: readonly OptionDefinition[] = [
  FLAGS.only,
  FLAGS.adopt,
  FLAGS.rewrite,
  FLAGS.secrets,
  FLAGS.base,
  FLAGS.onlyThisChange,
]

/** What few runs need, at the end of a help page. */
const RARE: readonly OptionDefinition[] = [
  FLAGS.limit,
  FLAGS.shard,
  FLAGS.concurrency,
  FLAGS.rate,
  FLAGS.markdownLimit,
]

/** As help lists them: what everyone needs first. */
export const usualFirst = (options: readonly OptionDefinition[]): OptionDefinition[] => [
  ...options.filter(option => !RARE.includes(option)),
  ...RARE.filter(option => options.includes(option)),
]
