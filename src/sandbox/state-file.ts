import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFile, makeDirectory, replaceFile } from '../disk/write-file.ts'
import { lockFile } from './lock.ts'
import { type SandboxSeed, seedOf } from './seed.ts'
import type { Store } from './store.ts'

/** The file is not the state of a sandbox, or of another version. It is left unchanged. */
export class SandboxFileError extends Error {
  override readonly name = 'SandboxFileError'
}

/** Milliseconds after a change until the file has it, or ten times as long as the last writing of the file took. */
const LATEST = 100

/** What the file has: a seed of the whole state, and the number of ids that were given. */
interface StoredState {
  readonly sandbox: typeof VERSION
  readonly sequence: number
  readonly state: SandboxSeed
}

const VERSION = 3

/**
 * Keeps a state in a JSON file, which is replaced as a whole: it always has one state of the sandbox. A change is in it at most
 * 100 ms later, and at `close`; a process that is killed may lose the last of them.
 */
export class StateFile {
  readonly #file: string
  readonly #release: () => void
  #timer: NodeJS.Timeout | undefined
  /** The state that the file does not have yet. */
  #unwritten: Store | undefined
  #failure: unknown
  #wait = LATEST

  private constructor(file: string, release: () => void) {
    this.#file = file
    this.#release = release
  }

  /**
   * Takes the lock. Throws LockedError, and SandboxFileError if the file is a link. Links in its path are resolved, so two names of one
   * file share a lock.
   */
  static open(name: string): StateFile {
    makeDirectory(dirname(name))
    const found = lstatSync(name, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new SandboxFileError(`"${name}" is a symbolic link`)
    if (found === undefined) createFile(name, '', 0o600)
    const file = realpathSync.native(name)
    return new StateFile(file, lockFile(file))
  }

  /** The state in the file; `undefined` if the file is empty. Throws SandboxFileError. */
  read(): Omit<StoredState, 'sandbox'> | undefined {
    if (statSync(this.#file).size === 0) return undefined
    const { sandbox, sequence = 0, state } = this.#parsed() ?? {}
    if (sandbox !== VERSION || state === undefined)
      throw new SandboxFileError(
        `"${this.#file}" is not the state of a sandbox, or of an older version; delete it to begin with a new one`,
      )
    return { sequence, state }
  }

  #parsed(): Partial<StoredState> | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      return typeof value === 'object' && value !== null ? value : undefined
    } catch (error) {
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }

  /** Writes the state soon. Throws if an earlier one could not be written. */
  changed(store: Store): void {
    if (this.#failure !== undefined) throw this.#failure
    this.#unwritten = store
    this.#timer ??= setTimeout(() => this.#writeSafely(), this.#wait).unref()
  }

  /** Writes what is not written yet, and releases the lock. Throws if it cannot be written. */
  close(): void {
    this.#writeSafely()
    this.#release()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** A failure is thrown to the next caller, because nobody waits for a timer. */
  #writeSafely(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const store = this.#unwritten
    this.#unwritten = undefined
    if (store === undefined) return
    const began = performance.now()
    try {
      const state = seedOf(store, { sensitive: true, times: true })
      const stored: StoredState = { sandbox: VERSION, sequence: store.sequence, state }
      replaceFile(this.#file, JSON.stringify(stored), 0o600)
    } catch (error) {
      this.#failure = error
    }
    this.#wait = Math.max(LATEST, 10 * (performance.now() - began))
  }
}
