import { readPastSetFile, type SetFile } from '../config/set-file.ts'
import type { History } from '../git/history.ts'
import type { VersionOf } from './blame-standing.ts'

/** Versions of set files by the ids of their content: each is read and parsed once. */
export class Versions {
  readonly #history: History
  readonly #most: number
  readonly #read = new Map<string, SetFile | undefined>()

  /** A larger version counts as one that cannot be read. */
  constructor(history: History, mostBytes: number) {
    this.#history = history
    this.#most = mostBytes
  }

  /** A version that was loaded. */
  readonly of: VersionOf = object => this.#read.get(object)

  /** If one of these is missing, also reads some of those that are likely to be needed next. */
  async load(wanted: readonly string[], ahead: () => readonly string[] = () => []): Promise<void> {
    const missing = [...new Set(wanted)].filter(id => !this.#read.has(id))
    const [first] = missing
    if (first === undefined) return
    const known = ahead()
    const after = known.slice(known.indexOf(first) + 1).filter(id => !this.#read.has(id))
    const ids = [...new Set([...missing, ...after.slice(0, AT_ONCE)])]
    for (let at = 0; at < ids.length; at += AT_ONCE)
      for (const [id, bytes] of await this.#history.blobs(ids.slice(at, at + AT_ONCE), this.#most)) {
        if (bytes === undefined) throw new Error('this clone lacks versions of files')
        this.#read.set(id, bytes.length > this.#most ? undefined : await readPastSetFile(bytes))
      }
  }
}

const AT_ONCE = 50
