import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { lockFile, makeDirectory } from './lock.ts'
import { type Batch, PUT, type StoreChange } from './records.ts'
import type { Store } from './store.ts'

/** The file is not a valid journal. It is left unchanged. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

const HEADER = { 'setpoint-sandbox': 1 }
/** The file is rewritten after this many appended bytes, or after as many as the state itself has. */
const COMPACT_BYTES = 4 * 1024 * 1024

/**
 * Keeps a state in a file. Each batch is one line with a checksum, written before it is acknowledged, so it survives the end of
 * the process (but not a power cut: only `rewrite` and `close` wait for the disk). From time to time the whole file is replaced
 * by one with the state and no history.
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
   * Takes the lock. An empty file is a new journal. Throws LockedError. The path is resolved through all links, so two names of
   * one file share a lock, and `rewrite` keeps a link.
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
   * The contents of the file. A last line without its line break was never acknowledged, and is cut off. Throws JournalError
   * for any other damage.
   */
  *batches(): Generator<Batch> {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return
    const content = readFileSync(descriptor)
    for (let number = 1; this.#size < content.length; number += 1) {
      const end = content.indexOf('\n', this.#size)
      if (end === -1) {
        // A complete line and one more byte: the line break was written, and is damaged.
        const isComplete = decodeLine(content.subarray(this.#size, -1)) !== undefined
        if (number === 1 || isComplete) throw this.#damaged(number)
        ftruncateSync(descriptor, this.#size)
        break
      }
      const line = decodeLine(content.subarray(this.#size, end))
      if (line === undefined) throw this.#damaged(number)
      if (number > 1) yield line.value as Batch
      else if (JSON.stringify(line.value) !== JSON.stringify(HEADER)) throw this.#damaged(1)
      this.#size = end + 1
    }
    this.#compacted = this.#size
  }

  /** `store` is the state without the batch. Throws if it cannot be written; the file is then unchanged. */
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

  /** Replaces the file with the state: a new file that is synced before it takes the name. */
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
      `"${this.#file}" line ${line} is damaged: the file is not a sandbox file, or it was modified`,
    )
  }
}

/** Repeats partial writes. Returns the number of bytes. */
function writeAll(descriptor: number, text: string, position: number): number {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
  }
  return written
}

/** Syncs the directory, so that the new name reaches the disk. */
function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Not every system supports it.
  }
}

/** One line of a journal: a checksum, a space, JSON, a line break. JSON text has no line break of its own. */
function encodeLine(value: unknown): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

/** The value of a line without its line break; undefined if the checksum does not match. */
function decodeLine(line: Buffer): { readonly value: unknown } | undefined {
  const text = line.toString('utf8')
  const json = text.slice(9)
  return json !== '' && text.charAt(8) === ' ' && text.slice(0, 8) === checksum(json)
    ? { value: JSON.parse(json) }
    : undefined
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0')

/** The state as batches, one per set and workspace, that recreate it from an empty store. */
function* batchesOf(store: Store): Generator<Batch> {
  const { directory, sequence } = store
  const batch = (changes: readonly StoreChange[]): Batch => ({ at: '', sequence, changes })
  yield batch([...store.tokens.values()].map(token => ({ type: 'put-token', token })))
  yield batch([
    ...[...directory.organizations.values()].map(
      organization => ({ type: 'put-organization', organization }) as const,
    ),
    ...[...directory.projects.values()].map(PUT.projects),
    ...[...directory.stacks.values()].map(PUT.stacks),
  ])
  for (const workspace of directory.workspaces.values()) {
    yield batch([PUT.workspaces(workspace), ...variableChanges(store, workspace.id)])
  }
  for (const set of store.sets.values()) {
    // The set comes last, because adding a variable changes the time of its set.
    yield batch([...variableChanges(store, set.id), { type: 'put-set', set }])
  }
}

const variableChanges = (store: Store, owner: string): StoreChange[] =>
  [...store.variablesOf(owner).values()].map(variable => ({ type: 'put-variable', owner, variable }))
