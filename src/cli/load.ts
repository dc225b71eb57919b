import { relative, resolve } from 'node:path'
import { tokenFiles } from '../api/tokens.ts'
import { findSetFiles, PATTERN_HINT, patternMistake } from '../config/find-set-files.ts'
import { type LoadOptions, loadDesired } from '../config/load.ts'
import { realPath, repositoryRoot } from '../config/read.ts'
import { hasErrors, mistake, sortDiagnostics } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { checkRules } from '../run/rules.ts'
import { fail, misuse, required } from './command.ts'
import type { Call } from './io.ts'

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
  directory: io.cwd,
  config: io.options.config,
  organization: io.env.SETPOINT_ORGANIZATION || undefined,
  limits: io.options.limits,
  environment: io.env,
  secretPlaces: secretPlaces(io),
  rules: io.options.rules.map(shown => ({ path: resolve(io.cwd, shown), shown })),
})

/** The source of `--secrets`, and the files that may contain a token. */
const secretPlaces = ({ cwd, env, home, options: { secrets = '-', tokens } }: Call): string[] => [
  ...(secrets === '-' ? [] : [resolve(cwd, secrets)]),
  ...tokenFiles({
    environment: env,
    home,
    directory: tokens === undefined ? undefined : { path: resolve(cwd, tokens) },
  }),
]

/**
 * The configurations of `--config`, relative to the directory of the run and sorted by path; with `--shard` only its part. All
 * processes with the same files divide them in the same way.
 */
export function configurationsOf(io: Call): readonly string[] {
  const { config: pattern = 'setpoint.yaml', shard } = io.options
  const fault = patternMistake(pattern)
  if (fault !== undefined) misuse(io, `The pattern of --config ${fault}.`, PATTERN_HINT)
  const base = realPath(io.cwd)
  const found = base === undefined ? undefined : findSetFiles(repositoryRoot(base), base, pattern)
  if (base === undefined || found === undefined || found.paths.length === 0)
    fail(
      io,
      mistake(
        'no-configuration',
        `No configuration matches ${JSON.stringify(pattern)} in ${io.cwd}.`,
        'Use a pattern relative to the directory of the run and inside its repository, and quote it for the shell.',
      ),
    )
  const paths = found.paths.map(path => relative(base, resolve(base, path))).toSorted()
  // Every n-th one: neighbours often have the same size, so they go to different shards.
  return shard === undefined ? paths : paths.filter((_, at) => at % shard.of === shard.index - 1)
}
