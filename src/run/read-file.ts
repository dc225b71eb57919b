import { readFile, stat } from 'node:fs/promises'

/** Larger files are not read: a plan or snapshot of this size would hold a million operations. */
export const LARGEST = 256 * 1024 * 1024

/** The text of a file. `undefined` if there is no file, or if it has more than `most` bytes. */
export async function readUpTo(
  most: number,
  path: string,
): Promise<{ readonly text?: string; readonly isLarge?: boolean }> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return {}
  return found.size > most ? { isLarge: true } : { text: await readFile(path, 'utf8') }
}
