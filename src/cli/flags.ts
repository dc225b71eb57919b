import { FORMATS } from '../report/formats.ts'
import type { OptionDefinition } from './options.ts'

/** Flags that several commands share: each means the same wherever it is. */
export const files: readonly OptionDefinition[] = [
  { flags: '-C <dir>', description: 'run as if started in this directory', value: 'text' },
  { flags: '--config <file>', description: 'the configuration (default: setpoint.yaml)', value: 'text' },
  {
    flags: '--limit <name=n>',
    description:
      'take more than by default: file-bytes, total-bytes, files, keys, depth, variables, value-characters; repeatable',
    value: 'limit',
  },
]
export const connection: readonly OptionDefinition[] = [
  { flags: '--sandbox', description: 'run against the embedded sandbox, without account or network' },
  { flags: '--address <url>', description: 'the service (default: from the environment)', value: 'text' },
  { flags: '--concurrency <n>', description: 'requests at once, at the most (default: 8)', value: 'count' },
  {
    flags: '--rate <n>',
    description: 'requests a second, at the most (default: 20, or 2/3 of the limit)',
    value: 'count',
  },
]
export const only: OptionDefinition = {
  flags: '--only <pattern>',
  description: 'narrow to sets whose name matches; repeatable, * stands for any text',
  value: 'texts',
}
export const owning: readonly OptionDefinition[] = [
  {
    flags: '--adopt <pattern>',
    description: 'take over sets that exist and differ, or that another owner lists; repeatable',
    value: 'texts',
  },
  {
    flags: '--rewrite <set[/key]>',
    description: 'write these secrets again, whether they changed or not; repeatable',
    value: 'texts',
  },
]
export const shard: OptionDefinition = {
  flags: '--shard <i/n>',
  description: 'only the i-th of n parts of the configurations that --config "orgs/*/setpoint.yaml" means',
  value: 'shard',
}
export const base: OptionDefinition = {
  flags: '--base <ref>',
  description: 'tell this change from what differed before it: a commit of git, such as origin/main',
  value: 'text',
}
export const secrets: OptionDefinition = {
  flags: '--secrets <source>',
  description: 'values of secrets: a JSON, YAML or dotenv file, a directory, or - for stdin',
  value: 'text',
}
export const format: OptionDefinition = {
  flags: '--format <format>',
  description: 'form of the output',
  value: 'text',
  choices: FORMATS,
  fallback: 'text',
}
/** The same report in further forms, in files. */
export const reports: readonly OptionDefinition[] = [
  {
    flags: '--report <kind=file>',
    description: `the report in a file as well, such as html=plan.html; ${FORMATS.join(', ')}; repeatable`,
    value: 'report',
  },
  {
    flags: '--markdown-limit <n>',
    description:
      'characters that Markdown may have (default: 65536, the most that a comment on GitHub takes)',
    value: 'characters',
  },
]
export const output: readonly OptionDefinition[] = [
  { flags: '--color', description: 'colour, even where the output is no terminal' },
  { flags: '--no-color', description: 'no colour' },
  { flags: '--verbose', description: 'each request on stderr: method, path, status, milliseconds' },
  { flags: '--quiet', description: 'no progress and no warnings on stderr; errors and the result stay' },
]
