import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/**
 * The root of the work tree around `directory`, a real path: the nearest ancestor with a `.git`, be it a directory or the file of a linked
 * work tree or submodule. Nobody can commit a path of that name. A bare repository does not count, because a commit may contain one.
 */
export const workTreeRoot = (directory: string): string | undefined => workTreesAround(directory)[0]

/** The roots of all work trees around a real path, the nearest first: one may lie in another. */
export const workTreesAround = (path: string): readonly string[] =>
  waysTo(path)
    .toReversed()
    .filter(at => statusOf(join(at, '.git')) !== undefined)

export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** Whether a path inside the root belongs to Git's own files, also of a nested repository. Ignores case, as some systems do. */
export const isOfGit = (root: string, path: string): boolean =>
  /(?:^|[\\/])\.git(?:[\\/]|$)/i.test(relative(root, path))

/**
 * Why `path` must not be written, as a text after its name, or `undefined` if it may be. A change of the repository may contain symbolic
 * links. Inside the repository around `directory`, or inside `directory` without one, the path itself must not be a link, and no link may
 * lead outside or into `.git`. Links of the system, such as `/dev/stdout`, are followed.
 */
export function linkInTheWay(directory: string, path: string): string | undefined {
  const here = realPath(directory) ?? directory
  const root = workTreeRoot(here) ?? here
  let isWithin = false
  for (const prefix of waysTo(path)) {
    if (isWithin && prefix === path && isLink(path)) return 'it is a symbolic link'
    const real = realPath(prefix)
    if (real === undefined)
      return isWithin && isLink(prefix) ? 'its path contains a broken symbolic link' : undefined
    if (isWithin && !isInside(root, real)) return 'its path contains a symbolic link out of the repository'
    isWithin ||= isInside(root, real)
    if (isWithin && isOfGit(root, real)) return 'it belongs to the files of Git itself'
  }
  return undefined
}

/** All ancestors of a path and the path itself, from the root down. */
const waysTo = (path: string): string[] =>
  dirname(path) === path ? [path] : [...waysTo(dirname(path)), path]

/** The real path, or `undefined` if it does not exist or cannot be reached. */
export const realPath = (path: string): string | undefined =>
  ifThere(() => realpathSync.native(resolve(path)))

/** Of what a path leads to; `undefined` if that is nothing: a link to itself, or a path that is too long. */
export const statusOf = (path: string): Stats | undefined =>
  ifThere(() => statSync(path, { throwIfNoEntry: false }))

/** `undefined` if nothing is there. */
export const isLink = (path: string): boolean | undefined => ifThere(() => lstatSync(path).isSymbolicLink())

function ifThere<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
