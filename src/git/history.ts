import { relative } from 'node:path'
import type { Git } from './git.ts'
import { realOf } from './work-tree.ts'

/**
 * Whether a commit of the history of HEAD added or took away a line below `directory` that matches, a POSIX extended regular
 * expression. `undefined` where that cannot be told: no commit yet, or not all of the history is here.
 */
export async function wasEverWritten(
  git: Git,
  directory: string,
  pattern: string,
): Promise<boolean | undefined> {
  const shallow = await git.run(['rev-parse', '--is-shallow-repository'])
  if (shallow.status !== 0 || shallow.output.trim() !== 'false') return undefined
  const below = relative(git.root, realOf(directory) ?? directory) || '.'
  // Neither of the programs that a repository may name for differences is run.
  const plain = ['--no-textconv', '--no-ext-diff', '--no-show-signature']
  const found = await git.run(['log', '-1', '--format=%H', ...plain, `-G${pattern}`, 'HEAD', '--', below])
  return found.status === 0 ? found.output.trim() !== '' : undefined
}
