import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, unlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { kill, pid } from 'node:process'
import { createFile } from '../disk/write-file.ts'

/** Another running process has the file. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
  /** The process that holds it. */
  readonly holder: number

  /** `holder` is `undefined` if a file that is no lock has the name of the lock. */
  constructor(file: string, holder: number | undefined) {
    super(
      holder === undefined
        ? `"${file}.lock" is no lock of a sandbox; move it, or choose another file`
        : `"${file}" is in use by process ${holder}; remove "${file}.lock" if that process is not a sandbox`,
    )
    this.holder = holder ?? 0
  }
}

/** Files that this process has locked. A lock with our process id may also be left over from an earlier process with this id. */
const held = new Set<string>()

/**
 * Takes `<file>.lock` and returns the function that releases it. A lock of a dead process is taken over. Throws LockedError.
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
    if (!LOCK.test(holder.text)) throw new LockedError(file, undefined)
    if (isAlive(holder, path)) throw new LockedError(file, holder.process)
    moveAside(path, holder.text)
  }
  throw new LockedError(file, read(path)?.process ?? 0)
}

/** Our text, or nothing, if the process ended before it wrote it. Any other file of this name is somebody's. */
const LOCK = /^(?:\d{1,10} [^\n]{1,100}\n)?$/

interface LockHolder {
  readonly text: string
  readonly process: number
  /** The start time of that process, if the system tells it. */
  readonly began: string | undefined
}

/** Whether it succeeded, or failed with this code. */
function succeeds(act: () => void, code: string): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (hasCode(error, code)) return false
    throw error
  }
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

const create = (path: string) => succeeds(() => createFile(path, ownText(), 0o600), 'EEXIST')

/** `undefined` if the lock disappeared; then try again. */
function read(path: string): LockHolder | undefined {
  let text = ''
  const load = () => {
    text = readFileSync(path, 'utf8')
  }
  if (!succeeds(load, 'ENOENT')) return undefined
  const [process, began] = text.trim().split(' ')
  return { text, process: Number.parseInt(process ?? '', 10) || 0, began: /^\d+$/.exec(began ?? '')?.[0] }
}

/** If two processes find the same dead lock, only one moves it. The moved file is checked again. */
function moveAside(path: string, seen: string): void {
  const aside = `${path}.${pid}`
  if (!succeeds(() => renameSync(path, aside), 'ENOENT')) return
  if (readFileSync(aside, 'utf8') === seen) unlinkSync(aside)
  else renameSync(aside, path)
}

function isAlive({ process, began }: LockHolder, path: string): boolean {
  if (process === pid) return held.has(path)
  if (process <= 0 || !exists(process)) return false
  const life = lifeOf(process)
  if (life === undefined) return true
  return life.state !== 'Z' && (began === undefined || life.began === began)
}

function exists(process: number): boolean {
  try {
    return kill(process, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/**
 * State and start time of a process, on systems that have them as files. A zombie still has its process id, and another process
 * may have it later.
 */
function lifeOf(process: number): { readonly state: string; readonly began: string } | undefined {
  try {
    const status = readFileSync(`/proc/${process}/stat`, 'utf8')
    const [state, ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return { state: state ?? '', began: fields[18] ?? '' }
  } catch {
    return undefined
  }
}

/** Our process id, our start time, and a text that distinguishes two locks of one process. */
const ownText = () => `${pid} ${lifeOf(pid)?.began ?? 'unknown'} ${randomUUID()}\n`
