import { isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../git/work-tree.ts'
import { fileExists, listDirectory, realPath, shownPath } from './read.ts'

export interface SetFiles {
  /** Absolute paths, sorted. Some may turn out to be links that lead outside. */
  readonly paths: readonly string[]
  /** Directories that a pattern leads into and that are links out of the repository. */
  readonly outside: readonly string[]
}

/**
 * The files that a pattern means, relative to `base`. Links to directories are followed as long as they stay inside
 * the root; hidden directories and `node_modules` are left out unless the pattern names them. `undefined` where the
 * pattern itself leaves the root.
 */
export async function findSetFiles(
  root: string,
  base: string,
  pattern: string,
): Promise<SetFiles | undefined> {
  // Loaded only here: most commands never look for files.
  const { default: picomatch } = await import('picomatch')
  if (isAbsolute(pattern)) return undefined
  const options = { nonegate: true }
  const { base: fixed, glob, isGlob } = picomatch.scan(pattern, options)
  const start = resolve(base, fixed)
  if (!isInside(root, start)) return undefined
  if (!isGlob) return { paths: fileExists(start) ? [start] : [], outside: [] }
  const matches = picomatch(glob, options)
  const walk = new Walk(root, glob.includes('**') || glob.includes('(') ? Infinity : glob.split('/').length)
  walk.directory(start, 1)
  const isMatch = (path: string): boolean => matches(shownPath(start, path))
  return { paths: walk.files.filter(isMatch).sort(), outside: walk.outside }
}

class Walk {
  readonly files: string[] = []
  readonly outside: string[] = []
  readonly #root: string
  readonly #depth: number
  /** Real paths: a link to an ancestor would never end. */
  readonly #seen = new Set<string>()

  constructor(root: string, depth: number) {
    this.#root = root
    this.#depth = depth
  }

  directory(path: string, depth: number): void {
    const real = realPath(path)
    if (real === undefined || this.#seen.has(real)) return
    if (!isInside(this.#root, real)) {
      this.outside.push(path)
      return
    }
    this.#seen.add(real)
    for (const { name, kind } of listDirectory(path)) {
      if (kind === 'file') this.files.push(join(path, name))
      else if (depth < this.#depth && !name.startsWith('.') && name !== 'node_modules')
        this.directory(join(path, name), depth + 1)
    }
  }
}
