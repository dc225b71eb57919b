import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFile } from '../disk/write-file.ts'
import type { Git } from './git.ts'

/** The commit of HEAD; `undefined` before the first one. Rejects with an `Error` if git fails. */
export async function headOf(git: Git): Promise<string | undefined> {
  const found = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (found.status < 0 || found.error !== '') throw new Error(found.error)
  const commit = found.output.trim()
  return found.status === 0 && OBJECT.test(commit) ? commit : undefined
}

const OBJECT = /^[0-9a-f]{40,64}$/

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
  const entries = entriesIn(listed.output)
  // No checkout has such a path, but a handmade commit may.
  const odd = entries.find(({ path }) => path.split('/').some(name => /^(?:\.{0,2}|\.git)$/i.test(name)))
  if (odd !== undefined) throw new Error(`it contains the path ${JSON.stringify(odd.path)}`)
  await git.objects(entries, mostBytes, (entry, bytes) => {
    if (bytes === undefined) throw new Error(`this clone lacks ${JSON.stringify(entry.path)}`)
    const path = join(directory, entry.path)
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    made.add(dirname(path))
    if (entry.mode === LINK) links.push({ path, target: bytes.toString() })
    else createFile(path, bytes, 0o600)
  })
  // Last, so that nothing is written through one.
  for (const { path, target } of links) symlinkSync(target, path)
}

/** The files in the output of `ls-tree -z`. */
const entriesIn = (listing: string): CommitFile[] =>
  listing.split('\0').flatMap(line => {
    const [, mode, object, path] = /^(\d+) blob (\w+)\t(.+)$/s.exec(line) ?? []
    return mode === undefined || object === undefined || path === undefined ? [] : { mode, object, path }
  })

const LINK = '120000'
