import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Git } from './git.ts'
import { realPath } from './work-tree.ts'

interface CommitFile {
  readonly mode: string
  readonly object: string
  readonly path: string
}

/**
 * Writes the files of a commit below `directory`, byte for byte as Git stores them, without attributes, filters and line end conversion.
 * A file that is longer than `mostBytes` is cut one byte after that. Submodules are left out. Rejects with an `Error` about the commit
 * or the disk.
 */
export async function writeCommit(
  git: Git,
  commit: string,
  directory: string,
  mostBytes: number,
): Promise<void> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])
  if (listed.status !== 0) throw new Error(listed.error)
  const made = new Set<string>()
  const links: { readonly path: string; readonly target: string }[] = []
  await git.objects(entriesIn(listed.output), mostBytes, (entry, bytes) => {
    if (bytes === undefined) throw new Error(`this clone lacks ${JSON.stringify(entry.path)}`)
    const path = join(directory, entry.path)
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    made.add(dirname(path))
    if (entry.mode === LINK) links.push({ path, target: bytes.toString() })
    else writeFileSync(path, bytes)
  })
  // Last, so that nothing is written through one.
  for (const { path, target } of links) symlinkSync(target, path)
}

function entriesIn(listing: string): CommitFile[] {
  return listing.split('\0').flatMap(line => {
    const [, mode, type, object, path] = /^(\d+) (\w+) (\w+)\t(.+)$/s.exec(line) ?? []
    if (mode === undefined || object === undefined || path === undefined || type !== 'blob') return []
    // No checkout has such a path, but a handmade commit may.
    if (path.split('/').some(name => /^(?:\.{0,2}|\.git)$/i.test(name)))
      throw new Error(`it contains the path ${JSON.stringify(path)}`)
    return [{ mode, object, path }]
  })
}

const LINK = '120000'

/**
 * Whether a commit in the history of HEAD added or removed a line below `directory` that matches a POSIX extended regular expression.
 * `undefined` if that is unknown, because there is no commit or not the whole history.
 */
export async function wasEverWritten(
  git: Git,
  directory: string,
  pattern: string,
): Promise<boolean | undefined> {
  const shallow = await git.run(['rev-parse', '--is-shallow-repository'])
  if (shallow.status !== 0 || shallow.output.trim() !== 'false') return undefined
  const below = relative(git.root, realPath(directory) ?? directory) || '.'
  // Runs no program that a repository may name for differences.
  const plain = ['--no-textconv', '--no-ext-diff', '--no-show-signature']
  const found = await git.run(['log', '-1', '--format=%H', ...plain, `-G${pattern}`, 'HEAD', '--', below])
  return found.status === 0 ? found.output.trim() !== '' : undefined
}
