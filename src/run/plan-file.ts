import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { linkInTheWay } from '../git/work-tree.ts'
import type { Plan } from '../plan/plan.ts'
import { savedPlan } from '../plan/saved.ts'

/** A file could not be written. Names it, and the system's reason; the temporary one is nobody's business. */
export class WriteError extends Error {
  override readonly name = 'WriteError'

  constructor(path: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    super(`${path} could not be written (${typeof cause === 'string' ? cause : code})`)
  }
}

/** Rejects with a `WriteError` where a link of the repository around `directory` stands in the way of writing to `path`. */
export function mayWriteTo(directory: string, path: string): void {
  const link = linkInTheWay(directory, path)
  if (link !== undefined) throw new WriteError(path, link)
}

/**
 * Writes to `name` from `directory`, where the run takes place. Half-written never: a temporary file beside it, flushed, then
 * renamed over it. Readable by its owner only, unless `mode` says more. What is no file (a pipe, a device) is written to and
 * not replaced. Rejects with a `WriteError`.
 */
export async function writeWhole(directory: string, name: string, text: string, mode = 0o600): Promise<void> {
  const path = resolve(directory, name)
  mayWriteTo(directory, path)
  try {
    const target = await realpath(path).catch(() => path)
    const found = await stat(target).catch(() => undefined)
    if (found === undefined || found.isFile()) await replace(target, text, mode)
    else await writeFile(target, text)
  } catch (error) {
    throw new WriteError(path, error)
  }
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.setpoint-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export const writePlanFile = (directory: string, name: string, plan: Plan): Promise<void> =>
  writeWhole(directory, name, savedPlan(plan))
