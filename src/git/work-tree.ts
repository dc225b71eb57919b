import { lstatSync, realpathSync, statSync } from 'node:fs'
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

/**
 * Why nothing may be written to `path`, to stand behind its name; `undefined` where it may. Whoever changes the files of a
 * repository may bring links along: one in the repository around `directory`, or below it where there is none, may not lead out
 * of it or into `.git`, and may not stand at the place itself. Links of the system, such as `/dev/stdout`, are followed.
 */
export function linkInTheWay(directory: string, path: string): string | undefined {
  const here = realOf(directory) ?? directory
  const root = workTreeRoot(here) ?? here
  let isWithin = false
  for (const prefix of waysTo(path)) {
    if (isWithin && prefix === path && isLink(path)) return 'it is a link'
    const real = realOf(prefix)
    if (real === undefined) return isWithin && isLink(prefix) ? 'a link on its way leads nowhere' : undefined
    if (isWithin && !isInside(root, real)) return 'a link on its way leads out of the repository'
    isWithin ||= isInside(root, real)
    if (isWithin && isOfGit(root, real)) return 'it would be a file of Git itself'
  }
  return undefined
}

/** A path and all directories above it, the highest one first. */
const waysTo = (path: string): string[] =>
  dirname(path) === path ? [path] : [...waysTo(dirname(path)), path]

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** `undefined` where nothing is there, or nothing that can be reached. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
