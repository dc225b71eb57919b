import type { Git } from './git.ts'

/** An object to read, by its id. */
export interface ObjectToRead {
  readonly object: string
}

/**
 * Reads objects in one call of git, byte for byte as Git stores them, and gives each in order: cut one byte after `mostBytes`, and
 * `undefined` if this clone lacks it. Rejects with an `Error` if git fails, or with what `give` throws.
 */
export async function readObjects<E extends ObjectToRead>(
  git: Git,
  entries: readonly E[],
  mostBytes: number,
  give: (entry: E, bytes: Buffer | undefined) => void,
): Promise<void> {
  if (entries.length === 0) return
  const reader = new BatchReader(entries, mostBytes, give)
  const input = entries.map(({ object }) => `${object}\n`).join('')
  const read = await git.run(['cat-file', '--batch'], { input, take: piece => reader.take(piece) })
  if (read.status !== 0) throw new Error(read.error)
}

const LINE_END = 10

/** Splits the output of `git cat-file --batch`, in chunks of any size, into objects. */
class BatchReader<E extends ObjectToRead> {
  readonly #entries: Iterator<E>
  readonly #most: number
  readonly #give: (entry: E, bytes: Buffer | undefined) => void
  #head = Buffer.alloc(0)
  #current: { readonly entry: E; readonly size: number } | undefined
  #kept: Buffer[] = []
  #seen = 0

  constructor(entries: readonly E[], most: number, give: (entry: E, bytes: Buffer | undefined) => void) {
    this.#entries = entries.values()
    this.#most = most
    this.#give = give
  }

  take(piece: Buffer): void {
    for (let rest = piece; rest.length > 0; )
      rest = this.#current === undefined ? this.#takeHead(rest) : this.#takeBody(rest, this.#current)
  }

  /** `<object> <type> <size>` on a line, or `<object> missing`. */
  #takeHead(piece: Buffer): Buffer {
    const end = piece.indexOf(LINE_END)
    this.#head = Buffer.concat([this.#head, end < 0 ? piece : piece.subarray(0, end)])
    if (end < 0) return piece.subarray(piece.length)
    const size = /^\w+ (?:blob|commit) (\d+)$/.exec(this.#head.toString())?.[1]
    const { value: entry } = this.#entries.next()
    this.#head = Buffer.alloc(0)
    if (entry === undefined) throw new Error('git returned more than was requested')
    if (size === undefined) this.#give(entry, undefined)
    else this.#current = { entry, size: Number(size) }
    return piece.subarray(end + 1)
  }

  /** The bytes and the line end after them. */
  #takeBody(piece: Buffer, { entry, size }: { entry: E; size: number }): Buffer {
    const part = piece.subarray(0, size - this.#seen)
    const room = this.#most + 1 - this.#seen
    if (room > 0) this.#kept.push(part.subarray(0, room))
    this.#seen += part.length
    if (part.length === piece.length) return piece.subarray(part.length)
    this.#give(entry, Buffer.concat(this.#kept))
    this.#current = undefined
    this.#kept = []
    this.#seen = 0
    return piece.subarray(part.length + 1)
  }
}
