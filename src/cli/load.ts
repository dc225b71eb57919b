import { relative, resolve } from 'node:path'
import { credentialsFiles } from '../api/connection.ts'
import { findSetFiles, PATTERN_HINT, patternMistake } from '../config/find-set-files.ts'
import { type LoadOptions, loadDesired } from '../config/load.ts'
import { realPath, repositoryRoot } from '../config/read.ts'
import { type Checked, hasErrors, mistake, sortDiagnostics } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { checkRules } from '../run/check-rules.ts'
import type { Shard } from './arguments.ts'
import { required } from './command.ts'
import type { Call } from './io.ts'
import type { Options } from './options.ts'

/** The files. Every mistake is reported and ends the command; warnings do not. */
export async function loadFiles(
  io: Call,
  onOrganization: (organization: string) => void = () => {},
): Promise<DesiredState> {
  const { value, diagnostics, rules } = await loadDesired({ ...loadOptions(io), onOrganization })
  // Without a mistake, the expressions of rules are checked where a plan needs them.
  const mistakes = hasErrors(diagnostics) ? await checkRules(rules) : []
  return required(io, { value, diagnostics: sortDiagnostics([...diagnostics, ...mistakes]) })
}

export const loadOptions = (io: Call): LoadOptions => ({
  directory: resolve(io.cwd, io.cwd),
  config: io.options.config,
  organization: io.env.SETPOINT_ORGANIZATION || undefined,
  limits: io.options.limits,
  environment: io.env,
  secretPlaces: secretPlaces(io),
  rules: io.options.rules.map(shown => ({ path: resolve(io.cwd, shown), shown })),
  parser: io.env.SETPOINT_PARSER === 'whole' ? 'whole' : undefined,
})

/** The source of `--secrets`, and the files that may contain a token. */
const secretPlaces = ({ cwd, env, home, options: { secrets = '-' } }: Call): string[] => [
  ...(secrets === '-' ? [] : [resolve(cwd, secrets)]),
  ...credentialsFiles(env, home),
]

/**
 * The configurations of `--config`, relative to the directory of the run and sorted by path; with `--shard` only its part. All
 * processes with the same files divide them in the same way.
 */
export function configurationsOf({ config, directory, shard }: Options): Checked<readonly string[]> {
  const pattern = config ?? 'setpoint.yaml'
  const fault = patternMistake(pattern)
  if (fault !== undefined) return { value: undefined, diagnostics: [badPattern(fault)] }
  const base = realPath(directory)
  const found = base === undefined ? undefined : findSetFiles(repositoryRoot(base), base, pattern)
  if (base === undefined || found === undefined || found.paths.length === 0)
    return { value: undefined, diagnostics: [noConfiguration(pattern, directory)] }
  const paths = found.paths.map(path => relative(base, resolve(base, path))).toSorted()
  return { value: shareOf(paths, shard), diagnostics: [] }
}

/** Every n-th one: neighbours often have the same size, so they go to different shards. */
const shareOf = (paths: readonly string[], shard: Shard | undefined): readonly string[] =>
  shard === undefined ? paths : paths.filter((_, at) => at % shard.of === shard.index - 1)

const badPattern = (fault: string) => mistake('bad-usage', `The pattern of --config ${fault}.`, PATTERN_HINT)

const noConfiguration = (pattern: string, directory: string) =>
  mistake(
    'no-configuration',
    `No configuration matches ${JSON.stringify(pattern)} in ${directory}.`,
    'Use a pattern relative to the directory of the run and inside its repository, and quote it for the shell.',
  )
