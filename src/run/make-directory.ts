import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it that are missing. True where it was not there before. Rejects with the system's
 * error. Node's own recursive way never ends below `/proc`.
 */
export async function makeDirectory(path: string): Promise<boolean> {
  const missing: string[] = []
  for (let at = path; !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  let wasMade = false
  for (const directory of missing.reverse()) wasMade = await made(directory)
  return wasMade
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** False where somebody else was faster. */
const made = (path: string): Promise<boolean> =>
  mkdir(path).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
      throw error
    },
  )
