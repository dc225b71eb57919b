import { FORMATS } from '../report/formats.ts'
import type { OptionDefinition } from './arguments.ts'

/** Every flag, by the name that the parser gives it. It means the same in each command; some say it in words of their own. */
export const FLAGS = {
  C: { flags: '-C <dir>', description: 'run as if started in this directory', value: 'text' },
  config: {
    flags: '--config <file>',
    description:
      'the configuration (default: setpoint.yaml; started below it in a Git repository, the nearest one above)',
    value: 'text',
  },
  limit: {
    flags: '--limit <name=n>',
    description:
      'take more than by default: file-bytes, total-bytes, files, keys, depth, variables, value-characters; repeatable',
    value: 'limit',
  },
  sandbox: {
    flags: '--sandbox',
    description: 'run against the embedded sandbox, without account or network',
  },
  address: {
    flags: '--address <url>',
    description: 'the service (default: from the environment)',
    value: 'text',
  },
  concurrency: {
    flags: '--concurrency <n>',
    description: 'requests at once, at the most (default: 8)',
    value: 'count',
  },
  rate: {
    flags: '--rate <n>',
    description: 'requests a second, at the most (default: 20, or 2/3 of the limit)',
    value: 'count',
  },
  only: {
    flags: '--only <pattern>',
    description: 'narrow to sets whose name matches; repeatable, * stands for any text',
    value: 'texts',
  },
  adopt: {
    flags: '--adopt <pattern>',
    description: 'take over sets that exist and differ, or that another owner lists; repeatable',
    value: 'texts',
  },
  rewrite: {
    flags: '--rewrite <set[/key]>',
    description: 'write these secrets again, whether they changed or not; repeatable',
    value: 'texts',
  },
  shard: {
    flags: '--shard <i/n>',
    description: 'only the i-th of n parts of the configurations that --config "orgs/*/setpoint.yaml" means',
    value: 'shard',
  },
  base: {
    flags: '--base <ref>',
    description: 'tell this change from what differed before it: a commit of git, such as origin/main',
    value: 'text',
  },
  secrets: {
    flags: '--secrets <source>',
    description: 'values of secrets: a JSON, YAML or dotenv file, a directory, or - for stdin',
    value: 'text',
  },
  format: {
    flags: '--format <format>',
    description: 'form of the output',
    value: 'text',
    choices: FORMATS,
    fallback: 'text',
  },
  report: {
    flags: '--report <kind=file>',
    description: `the report in a file as well, such as html=plan.html; ${FORMATS.join(', ')}; repeatable`,
    value: 'report',
  },
  markdownLimit: {
    flags: '--markdown-limit <n>',
    description:
      'characters that Markdown may have (default: 65536, the most that a comment on GitHub takes)',
    value: 'characters',
  },
  verbose: {
    flags: '--verbose',
    description: 'each request on stderr: method, path, status, milliseconds',
  },
  quiet: {
    flags: '--quiet',
    description: 'no progress and no warnings on stderr; errors and the result stay',
  },
  resolved: { flags: '--resolved', description: 'print the sets with their bases merged in' },
  snapshot: {
    flags: '--snapshot <file>',
    description: 'plan from what setpoint snapshot wrote: no credentials, no network',
    value: 'text',
  },
  out: { flags: '--out <file>', description: 'save the plan, for review and for apply', value: 'text' },
  detailedExitcode: {
    flags: '--detailed-exitcode',
    description: 'exit 2 with changes, 4 where a guard blocks them',
  },
  autoApprove: { flags: '--auto-approve', description: 'do not ask; a guard still blocks' },
  approve: {
    flags: '--approve <digest>',
    description:
      'consent to exactly the plan of this digest, guards included: all 64 digits, at a terminal 12 are enough; A,B for several organizations',
    value: 'text',
  },
  expectNoDrift: {
    flags: '--expect-no-drift',
    description: 'refuse where something was changed outside; needs an owner in the configuration',
  },
  failFast: { flags: '--fail-fast', description: 'start nothing new after the first failure' },
  events: {
    flags: '--events <file>',
    description: 'what happens, a line of JSON each, at the end of this file',
    value: 'text',
  },
  owner: {
    flags: '--owner <name>',
    description:
      'who this repository is among all that manage the organization (default: the name of the directory)',
    value: 'text',
  },
  firstSet: {
    flags: '--first-set',
    description: 'an example set where there is none to write (default with --sandbox)',
  },
  pipeline: {
    flags: '--pipeline <forge>',
    description: 'a pipeline for plan, apply and drift',
    value: 'text',
    choices: ['github', 'gitlab', 'none'],
    fallback: 'none',
  },
  oneFile: { flags: '--one-file', description: 'with --out: all sets in one file' },
  update: {
    flags: '--update <pattern>',
    description:
      'live values into the files of sets whose name matches, with comments and order kept; repeatable',
    value: 'texts',
  },
  terraformState: {
    flags: '--terraform-state <file>',
    description: 'what a Terraform or OpenTofu state manages, without a connection; - for stdin',
    value: 'text',
  },
  from: {
    flags: '--from <moment>',
    description: 'live: as it is; files: as they will have it; difference: from the one to the other',
    value: 'text',
    choices: ['difference', 'files', 'live'],
    fallback: 'difference',
  },
  number: {
    flags: '--number <n>',
    description: 'of the pull or merge request (default: the one that this pipeline belongs to)',
    value: 'number',
  },
  marker: {
    flags: '--marker <name>',
    description: 'keep a comment of its own, where several would share one, such as those of shards',
    value: 'text',
  },
  port: { flags: '--port <n>', description: 'port (default: a free one)', value: 'port' },
  seed: {
    flags: '--seed <file>',
    description: 'organizations, projects, workspaces, sets and tokens to begin with',
    value: 'text',
  },
  data: { flags: '--data <file>', description: 'keep everything acknowledged in this file', value: 'text' },
  terraformRc: {
    flags: '--terraform-rc <file>',
    description: 'write the CLI configuration with which terraform talks to it',
    value: 'text',
  },
  latency: {
    flags: '--latency <ms>',
    description: 'delay each answer, such as 50ms',
    value: 'milliseconds',
  },
  rateLimit: {
    flags: '--rate-limit <n>',
    description: 'answer 429 above n requests a second',
    value: 'count',
  },
  faults: { flags: '--faults <file>', description: 'a schedule of faults to rehearse', value: 'text' },
  token: {
    flags: '--token <token=permission>',
    description: 'accept this token; none, read-variables, manage-workspaces or admin; repeatable',
    value: 'texts',
  },
  profile: {
    flags: '--profile <axis=value>',
    description: 'behave otherwise where the interface is silent; repeatable',
    value: 'texts',
  },
  exposeToNetwork: {
    flags: '--expose-to-network <host>',
    description: 'listen on this address: anyone who reaches it and has the token may write',
    value: 'text',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>

/** Two flags of one option, which is neither where none of them is given. */
export const COLOURS: readonly OptionDefinition[] = [
  { flags: '--color', description: 'colour, even where the output is no terminal' },
  { flags: '--no-color', description: 'no colour' },
]

/** Flags that go together. */
export const FILES: readonly OptionDefinition[] = [FLAGS.C, FLAGS.config, FLAGS.limit]
export const CONNECTION: readonly OptionDefinition[] = [
  FLAGS.sandbox,
  FLAGS.address,
  FLAGS.concurrency,
  FLAGS.rate,
]
export const REPORTS: readonly OptionDefinition[] = [FLAGS.format, FLAGS.report, FLAGS.markdownLimit]
export const OUTPUT: readonly OptionDefinition[] = [...COLOURS, FLAGS.verbose, FLAGS.quiet]
