import { statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * Where the work tree begins that `directory`, a real path, is in: the nearest ancestor with a `.git`, be it a directory or
 * the file of a linked work tree or a submodule. Git lets nobody commit a path of that name. A bare repository, which is a
 * directory like any other and may come with a commit, is never taken for one.
 */
export function workTreeRoot(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (isThere(join(at, '.git'))) return at
    if (dirname(at) === at) return undefined
  }
}

export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** `relative` for two absolute, normal paths, quicker where the one is in the other. */
export const pathBelow = (root: string, path: string): string =>
  path.startsWith(root) && path[root.length] === sep ? path.slice(root.length + 1) : relative(root, path)

/** Whether a path inside the root is that of Git's own files, or of those of a repository within. Systems differ in cases. */
export const isOfGit = (root: string, path: string): boolean =>
  /(?:^|[\\/])\.git(?:[\\/]|$)/i.test(pathBelow(root, path))

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
