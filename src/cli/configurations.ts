import { relative, resolve } from 'node:path'
import { findSetFiles, PATTERN_HINT, patternMistake } from '../config/find-set-files.ts'
import { configurationIn, realPath, repositoryRoot } from '../config/read.ts'
import { mistake } from '../model/diagnostic.ts'
import { fail, misuse } from '../run/commands/ending.ts'
import type { CommandContext } from './io.ts'

/**
 * The configurations of `--config`, relative to the directory of the run and sorted by path; with `--shard` only its part. All
 * processes with the same files divide them in the same way.
 */
export function configurationsOf(io: CommandContext): readonly string[] {
  const { config: pattern = configurationIn(io.cwd), shard } = io.options
  const fault = patternMistake(pattern)
  if (fault !== undefined) misuse(io, `The pattern of --config ${fault}.`, PATTERN_HINT)
  const base = realPath(io.cwd)
  const found = base === undefined ? undefined : findSetFiles(repositoryRoot(base), base, pattern)
  for (const [path, why] of found?.refused ?? [])
    fail(
      io,
      mistake('outside-repository', `"${relative(io.cwd, path)}" ${why}.`, 'Write a narrower pattern.'),
    )
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
