import { FORMATS } from '../report/formats.ts'
import type { OptionDefinition } from './arguments.ts'

/** Every flag, by its name in the parser. A flag means the same in every command; some describe it in their own words. */
export const FLAGS = {
  C: { flags: '-C <dir>', description: 'run as if started in this directory', value: 'text' },
  config: {
    flags: '--config <file>',
    description:
      'configuration file (default: setpoint.yaml here, else the nearest one above in the Git repository)',
    value: 'text',
  },
  limit: {
    flags: '--limit <name=n>',
    description:
      'raise a loader limit, such as keys=200000 (file-bytes, total-bytes, files, keys, depth, variables, value-characters); repeatable',
    value: 'limit',
  },
  sandbox: {
    flags: '--sandbox',
    description: 'use the embedded sandbox, without an account or a network',
  },
  address: {
    flags: '--address <url>',
    description: 'address of the service (default: from the environment)',
    value: 'text',
  },
  concurrency: {
    flags: '--concurrency <n>',
    description: 'maximum number of parallel requests (default: 8)',
    value: 'count',
  },
  rate: {
    flags: '--rate <n>',
    description: "maximum number of requests per second (default: 20, or 2/3 of the service's limit)",
    value: 'count',
  },
  only: {
    flags: '--only <pattern>',
    description: 'select sets by name or id; * matches any text of a name; repeatable',
    value: 'texts',
  },
  adopt: {
    flags: '--adopt <pattern>',
    description:
      'take ownership of existing sets, by name or id, that differ from the files or belong to another owner; repeatable',
    value: 'texts',
  },
  rewrite: {
    flags: '--rewrite <set[/key]>',
    description: 'write the secrets of a set, by name or id, again, even if they did not change; repeatable',
    value: 'texts',
  },
  shard: {
    flags: '--shard <i/n>',
    description: 'process only part i of n of the configurations; index=i/n counts from 0',
    value: 'shard',
  },
  verify: {
    flags: '--verify',
    description:
      'read the workspaces and the variables of each affected one, and drop those that see no change',
  },
  part: {
    flags: '--part <i/n>',
    description: 'with --format matrix: part i of n, each of at most 256 workspaces (default: 1/1)',
    value: 'shard',
  },
  base: {
    flags: '--base <ref>',
    description: 'compare with this Git ref, such as origin/main, to separate your change from earlier drift',
    value: 'text',
  },
  rules: {
    flags: '--rules <dir>',
    description:
      'also check the plan against the rules in this directory, which no pull request can change; repeatable',
    value: 'texts',
  },
  secrets: {
    flags: '--secrets <source>',
    description: 'read the values of secrets from a JSON, YAML or dotenv file, a directory, or stdin (-)',
    value: 'text',
  },
  format: {
    flags: '--format <format>',
    description: 'output format',
    value: 'text',
    choices: FORMATS,
    fallback: 'text',
  },
  report: {
    flags: '--report <kind=file>',
    description: `also write the report to a file, such as html=plan.html (${FORMATS.join(', ')}); repeatable`,
    value: 'report',
  },
  markdownLimit: {
    flags: '--markdown-limit <n>',
    description:
      'maximum length of a Markdown report in characters (default: 65536, the limit of a GitHub comment)',
    value: 'characters',
  },
  verbose: {
    flags: '--verbose',
    description: 'log each request to stderr: method, path, status, milliseconds',
  },
  quiet: {
    flags: '--quiet',
    description: 'hide progress and warnings, but not errors and the result',
  },
  resolved: { flags: '--resolved', description: 'print the sets with their bases merged in' },
  snapshot: {
    flags: '--snapshot <file>',
    description: 'plan from a file that setpoint snapshot wrote, without credentials or a network',
    value: 'text',
  },
  out: { flags: '--out <file>', description: 'save the plan for review and for apply', value: 'text' },
  detailedExitcode: {
    flags: '--detailed-exitcode',
    description: 'exit 2 if there are changes, 4 if a guard blocks them',
  },
  autoApprove: { flags: '--auto-approve', description: 'do not ask for confirmation; guards still block' },
  approve: {
    flags: '--approve <digest>',
    description:
      'approve exactly the plan with this digest, including what guards block: all 64 digits, or at least 12 at a terminal; A,B for several organizations',
    value: 'text',
  },
  expectNoDrift: {
    flags: '--expect-no-drift',
    description: 'refuse to apply if the service was changed outside; requires an owner in the configuration',
  },
  failFast: { flags: '--fail-fast', description: 'start no further steps after the first failure' },
  events: {
    flags: '--events <file>',
    description: 'append apply events to this file, as JSON lines',
    value: 'text',
  },
  owner: {
    flags: '--owner <name>',
    description:
      'name of this repository, unique among all that manage the organization (default: the directory name)',
    value: 'text',
  },
  firstSet: {
    flags: '--first-set',
    description: 'create an example set if there are no sets to export (default with --sandbox)',
  },
  pipeline: {
    flags: '--pipeline <forge>',
    description: 'add a CI pipeline for plan, apply and drift',
    value: 'text',
    choices: ['github', 'gitlab', 'none'],
    fallback: 'none',
  },
  oneFile: { flags: '--one-file', description: 'write all sets to one file; requires --out' },
  update: {
    flags: '--update <pattern>',
    description: 'write live values into the files of matching sets, keeping comments and order; repeatable',
    value: 'texts',
  },
  terraformState: {
    flags: '--terraform-state <file>',
    description: 'export what a Terraform or OpenTofu state manages, without a connection; - for stdin',
    value: 'text',
  },
  from: {
    flags: '--from <moment>',
    description: 'state to explain: live, desired (files), or the difference',
    value: 'text',
    choices: ['difference', 'files', 'live'],
    fallback: 'difference',
  },
  blame: { flags: '--blame', description: 'name the commit that last changed each value from the files' },
  number: {
    flags: '--number <n>',
    description: 'number of the pull or merge request (default: the one that this pipeline belongs to)',
    value: 'number',
  },
  marker: {
    flags: '--marker <name>',
    description: 'maintain a separate comment with this name, such as one for each shard',
    value: 'text',
  },
  merged: { flags: '--merged <commit>', description: 'comment on the request of this commit', value: 'text' },
  workflow: { flags: '--workflow <path>', description: 'the workflow (default: this one)', value: 'text' },
  planFrom: {
    flags: '--plan-from <name>',
    description: 'the artifact with plan.json; on GitLab the job that creates it',
    value: 'text',
    fallback: 'plan',
  },
  appliedBy: {
    flags: '--applied-by <job>',
    description: 'a job that applies (default: apply, approve); repeatable',
    value: 'texts',
  },
  guard: { flags: '--guard <pattern>', description: 'a further file to guard; repeatable', value: 'texts' },
  tip: { flags: '--tip', description: 'only check that this is the newest commit of the default branch' },
  port: { flags: '--port <n>', description: 'port to listen on (default: a free one)', value: 'port' },
  seed: {
    flags: '--seed <file>',
    description: 'start with the organizations, projects, workspaces, sets and tokens in this file',
    value: 'text',
  },
  data: {
    flags: '--data <file>',
    description: 'save every acknowledged change in this file, and start from it',
    value: 'text',
  },
  terraformRc: {
    flags: '--terraform-rc <file>',
    description: 'write a Terraform CLI configuration for this sandbox to a file',
    value: 'text',
  },
  latency: {
    flags: '--latency <ms>',
    description: 'delay each response, such as 50ms',
    value: 'milliseconds',
  },
  rateLimit: {
    flags: '--rate-limit <n>',
    description: 'respond with 429 above n requests per second',
    value: 'count',
  },
  faults: {
    flags: '--faults <file>',
    description: 'inject the faults that this file schedules',
    value: 'text',
  },
  token: {
    flags: '--token <token=permission>',
    description:
      'accept this token, with the permission none, read-variables, manage-workspaces or admin; repeatable',
    value: 'texts',
  },
  profile: {
    flags: '--profile <axis=value>',
    description: 'choose a behaviour that the API specification leaves open; repeatable',
    value: 'texts',
  },
  exposeToNetwork: {
    flags: '--expose-to-network <host>',
    description: 'listen on this address; anyone who can reach it and has the token can write',
    value: 'text',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>
