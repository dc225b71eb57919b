import { relative, resolve } from 'node:path'
import { credentialsFiles } from '../api/connection.ts'
import { findSetFiles, PATTERN_HINT, patternMistake } from '../config/find-set-files.ts'
import { type LoadOptions, loadDesired } from '../config/load.ts'
import { realPath, repositoryRoot } from '../config/read.ts'
import { type Checked, type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { checkRules } from '../run/check-rules.ts'
import type { Shard } from './arguments.ts'
import { type Io, sayDiagnostics } from './io.ts'
import type { Options } from './options.ts'

/** The files, or `undefined` after every mistake was reported. Warnings are reported and do not stop. */
export async function loadFiles(
  io: Io,
  options: Options,
  onOrganization: (organization: string) => void = () => {},
): Promise<DesiredState | undefined> {
  const { value, diagnostics, rules } = await loadDesired({ ...loadOptions(io, options), onOrganization })
  // Without a mistake, the expressions of rules are checked where a plan needs them.
  const mistakes = hasErrors(diagnostics) ? await checkRules(rules) : []
  sayDiagnostics(io, options, sortDiagnostics([...diagnostics, ...mistakes]))
  return hasErrors(diagnostics) ? undefined : value
}

export const loadOptions = (io: Io, options: Options): LoadOptions => ({
  directory: resolve(io.cwd, options.directory),
  ...(options.config === undefined ? {} : { config: options.config }),
  ...(io.env.SETPOINT_ORGANIZATION ? { organization: io.env.SETPOINT_ORGANIZATION } : {}),
  limits: options.limits,
  environment: io.env,
  secretPlaces: secretPlaces(io, options),
  rules: options.rules.map(shown => ({ path: resolve(io.cwd, shown), shown })),
  ...(io.env.SETPOINT_PARSER === 'whole' ? { parser: 'whole' } : {}),
})

/** The source of `--secrets`, and the files that may contain a token. */
const secretPlaces = ({ cwd, env, home }: Io, { secrets = '-' }: Options): string[] => [
  ...(secrets === '-' ? [] : [resolve(cwd, secrets)]),
  ...credentialsFiles(env, home),
]

/**
 * The configurations of `--config`, relative to the directory of the run and sorted by path; with `--shard` only its part. All
 * processes with the same files divide them in the same way.
 */
export function configurationsOf(options: Options): Checked<readonly string[]> {
  const pattern = options.config ?? 'setpoint.yaml'
  const mistake = patternMistake(pattern)
  if (mistake !== undefined) return { value: undefined, diagnostics: [badPattern(mistake)] }
  const base = realPath(options.directory)
  const found = base === undefined ? undefined : findSetFiles(repositoryRoot(base), base, pattern)
  if (base === undefined || found === undefined || found.paths.length === 0)
    return { value: undefined, diagnostics: [noConfiguration(pattern, options.directory)] }
  const paths = found.paths.map(path => relative(base, resolve(base, path))).toSorted()
  return { value: shareOf(paths, options.shard), diagnostics: [] }
}

/** Every n-th one: neighbours often have the same size, so they go to different shards. */
const shareOf = (paths: readonly string[], shard: Shard | undefined): readonly string[] =>
  shard === undefined ? paths : paths.filter((_, at) => at % shard.of === shard.index - 1)

const badPattern = (mistake: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `The pattern of --config ${mistake}.`,
  hint: PATTERN_HINT,
})

const noConfiguration = (pattern: string, directory: string): Diagnostic => ({
  severity: 'error',
  code: 'no-configuration',
  message: `No configuration matches ${JSON.stringify(pattern)} in ${directory}.`,
  hint: 'Use a pattern relative to the directory of the run and inside its repository, and quote it for the shell.',
})
