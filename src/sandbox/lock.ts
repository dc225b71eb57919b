import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { kill, pid } from 'node:process'

/** Another process that lives has the file. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
  /** The process that holds it. */
  readonly holder: number

  constructor(file: string, holder: number) {
    super(`"${file}" is in use by process ${holder}; remove "${file}.lock" if that is no sandbox`)
    this.holder = holder
  }
}

/** Files that this process holds: a lock with our own number may also be left from another life of that number. */
const held = new Set<string>()

/**
 * Takes `<file>.lock` and returns what gives it free. A lock whose process is dead is taken over.
 * Throws LockedError.
 */
export function lockFile(file: string): () => void {
  const path = resolve(`${file}.lock`)
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (create(path)) {
      held.add(path)
      return () => {
        if (held.delete(path)) unlinkSync(path)
      }
    }
    const holder = read(path)
    if (holder === undefined) continue
    if (isAlive(holder.process, path)) throw new LockedError(file, holder.process)
    moveAside(path, holder.text)
  }
  throw new LockedError(file, read(path)?.process ?? 0)
}

interface Holder {
  readonly text: string
  readonly process: number
}

function create(path: string): boolean {
  try {
    const descriptor = openSync(path, 'wx', 0o600)
    writeSync(descriptor, ownText())
    closeSync(descriptor)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Undefined: it vanished, so it can be tried again. */
function read(path: string): Holder | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    return { text, process: Number.parseInt(text, 10) || 0 }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Of two processes that find the same dead lock only one moves it; what was moved is looked at again. */
function moveAside(path: string, seen: string): void {
  const aside = `${path}.${pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  if (readFileSync(aside, 'utf8') === seen) unlinkSync(aside)
  else renameSync(aside, path)
}

function isAlive(process: number, path: string): boolean {
  if (process === pid) return held.has(path)
  if (process <= 0) return false
  try {
    kill(process, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** The number, and a text that tells two lives of one number apart. */
const ownText = () => `${pid} ${randomUUID()}\n`

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code
