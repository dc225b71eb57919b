import { relative, resolve } from 'node:path'
import { findSetFiles, PATTERN_HINT, patternMistake } from '../config/find-set-files.ts'
import { realPath, repositoryRoot } from '../config/read.ts'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import type { Options } from './options.ts'
import type { Shard } from './shard.ts'

/**
 * The configurations that `--config` means, relative to the directory of the run, in the order of their paths; of those
 * the ones of this shard. Every process that sees the same files divides them in the same way.
 */
export function configurationsOf(options: Options): Checked<readonly string[]> {
  const pattern = options.config ?? 'setpoint.yaml'
  const mistake = patternMistake(pattern)
  if (mistake !== undefined) return { value: undefined, diagnostics: [noPattern(mistake)] }
  const base = realPath(options.directory)
  const found = base === undefined ? undefined : findSetFiles(repositoryRoot(base), base, pattern)
  if (base === undefined || found === undefined || found.paths.length === 0)
    return { value: undefined, diagnostics: [none(pattern, options.directory)] }
  const paths = found.paths.map(path => relative(base, resolve(base, path))).toSorted()
  return { value: shareOf(paths, options.shard), diagnostics: [] }
}

/** Every n-th one: neighbours, which are often of a size, are spread. */
const shareOf = (paths: readonly string[], shard: Shard | undefined): readonly string[] =>
  shard === undefined ? paths : paths.filter((_, at) => at % shard.of === shard.index - 1)

const noPattern = (mistake: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `The pattern of --config ${mistake}.`,
  hint: PATTERN_HINT,
})

const none = (pattern: string, directory: string): Diagnostic => ({
  severity: 'error',
  code: 'no-configuration',
  message: `No configuration matches ${JSON.stringify(pattern)} in ${directory}.`,
  hint: 'The pattern is relative to the directory of the run and stays inside its repository. Quote it, so that the shell leaves it alone.',
})
