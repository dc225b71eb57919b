import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { decodeLine, encodeLine, readLines } from './journal-lines.ts'
import { lockFile } from './lock.ts'
import { makeDirectory } from './make-directory.ts'
import type { Batch } from './records.ts'
import type { Store } from './store.ts'
import { batchesOf } from './store-batches.ts'

/** The file cannot be read as a journal; it is left as it is. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

const HEADER = { 'setpoint-sandbox': 1 }
/** Appended bytes after which the file is written anew: this many, or as much as the state itself. */
const COMPACT_BYTES = 4 * 1024 * 1024

/**
 * Keeps a state in a file. Each batch is one checksummed line, written before it is acknowledged, so that it survives the
 * death of the process (not a power cut: only `rewrite` and `close` wait for the disk). From time to time the file is
 * replaced as a whole by one that has the state and no history.
 */
export class Journal {
  readonly #file: string
  readonly #release: () => void
  #descriptor: number | undefined
  #size = 0
  #compacted = 0

  private constructor(file: string, release: () => void) {
    this.#file = file
    this.#release = release
  }

  /**
   * Takes the lock; an empty file is one that nothing was kept in yet. Throws LockedError.
   * The path goes through all links: two names of one file share a lock, and `rewrite` leaves a link in its place.
   */
  static open(name: string): Journal {
    makeDirectory(dirname(name))
    closeSync(openSync(name, 'a', 0o600))
    const file = realpathSync.native(name)
    const journal = new Journal(file, lockFile(file))
    try {
      rmSync(`${file}.tmp`, { force: true })
      if (statSync(file).size > 0) journal.#descriptor = openSync(file, 'r+')
    } catch (error) {
      journal.close()
      throw error
    }
    return journal
  }

  get isNew(): boolean {
    return this.#descriptor === undefined
  }

  /**
   * What the file holds. A last line that its line break does not end was never acknowledged and is cut off. Throws
   * JournalError for any other damage.
   */
  *batches(): Generator<Batch> {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return
    let number = 0
    for (const { bytes, offset, whole } of readLines(descriptor)) {
      number += 1
      if (!whole) {
        // All of a line and one byte more: its line break was there and is damaged.
        if (number === 1 || decodeLine(bytes.subarray(0, -1)) !== undefined) throw this.#damaged(number)
        ftruncateSync(descriptor, offset)
        break
      }
      const line = decodeLine(bytes)
      if (line === undefined) throw this.#damaged(number)
      if (number > 1) yield line.value as Batch
      else if (JSON.stringify(line.value) !== JSON.stringify(HEADER)) throw this.#damaged(1)
      this.#size = offset + bytes.length + 1
    }
    this.#compacted = this.#size
  }

  /** `store` is the state without the batch. Throws, with the file as before, where it cannot be written. */
  append(batch: Batch, store: Store): void {
    if (this.#size > this.#compacted + Math.max(COMPACT_BYTES, this.#compacted)) this.rewrite(store)
    const descriptor = this.#descriptor
    if (descriptor === undefined) throw new JournalError(`"${this.#file}" is closed`)
    try {
      this.#size += writeAll(descriptor, encodeLine(batch), this.#size)
    } catch (error) {
      ftruncateSync(descriptor, this.#size)
      throw error
    }
  }

  /** Replaces the file by the state: a new file, on the disk before it takes the name. */
  rewrite(store: Store): void {
    const temporary = `${this.#file}.tmp`
    const descriptor = openSync(temporary, 'w', 0o600)
    let size = 0
    try {
      size += writeAll(descriptor, encodeLine(HEADER), size)
      for (const batch of batchesOf(store)) size += writeAll(descriptor, encodeLine(batch), size)
      fsyncSync(descriptor)
      renameSync(temporary, this.#file)
      syncDirectory(dirname(this.#file))
    } catch (error) {
      closeSync(descriptor)
      rmSync(temporary, { force: true })
      throw error
    }
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = descriptor
    this.#size = size
    this.#compacted = size
  }

  close(): void {
    if (this.#descriptor !== undefined) {
      fsyncSync(this.#descriptor)
      closeSync(this.#descriptor)
    }
    this.#descriptor = undefined
    this.#release()
  }

  #damaged(line: number): JournalError {
    return new JournalError(
      `"${this.#file}" line ${line} is damaged; this is no sandbox file, or not any more`,
    )
  }
}

/** A write may take a part only. Returns the number of bytes. */
function writeAll(descriptor: number, text: string, position: number): number {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
  }
  return written
}

/** The new name itself must reach the disk; not every system can sync a directory. */
function syncDirectory(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return
  }
  try {
    fsyncSync(descriptor)
  } catch {
    return
  } finally {
    closeSync(descriptor)
  }
}
