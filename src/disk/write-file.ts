import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Creates a file. Throws the error of the system, EEXIST if anything of this name is there, also a link that leads nowhere. Leaves no
 * half of a file behind.
 */
export function createFile(path: string, content: string | Uint8Array, mode: number): void {
  // `wx` follows no link.
  const handle = openSync(path, 'wx', mode)
  try {
    writeFileSync(handle, content)
    fsyncSync(handle)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}

/**
 * Replaces a file, or makes it: a new file beside it takes its name, so that it is never half written, and what is there, a link too, is
 * never written through. Throws the error of the system, and leaves what was there.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  // Nobody can prepare a file of this name.
  const temporary = join(dirname(path), `.setpoint-${randomBytes(8).toString('hex')}.tmp`)
  createFile(temporary, content, mode)
  try {
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Writes to the end of what is there: a file, a pipe, a device, or a stream of this process. Follows no link. Rejects with the error of
 * the system.
 */
export async function appendToFile(path: string, text: string): Promise<void> {
  const stream = streamOf(path)
  if (stream !== undefined) return await writeToStream(stream, Buffer.from(text))
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/** The number of an open stream of this process, if the system gives it this name: 1 for `/dev/stdout`. */
export function streamOf(path: string): number | undefined {
  const known = ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(path)
  if (known >= 0) return known
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** By its number: opening it by its name would begin at the start of a file again, and fails for a socket. */
async function writeToStream(stream: number, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    from += await new Promise<number>((resolve, reject) =>
      write(stream, bytes, from, (error, written) => {
        if (error?.code === 'EAGAIN') setTimeout(() => resolve(0), FULL)
        else if (error) reject(error)
        else resolve(written)
      }),
    )
  }
}

/** Milliseconds until a pipe that was full is tried again. */
const FULL = 20

/**
 * Creates a directory and its missing parents. True if it did not exist. Throws the error of the system. The recursive `mkdir` of Node
 * never ends below `/proc`.
 */
export function makeDirectory(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false
  if (dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    // Another process was faster.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** An empty directory in the place of whatever is there: of a link, the link itself goes. Throws the error of the system. */
export function freshDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true })
  makeDirectory(dirname(path))
  mkdirSync(path)
}
