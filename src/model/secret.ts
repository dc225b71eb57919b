import { inspect } from 'node:util'

/** A sensitive value in memory. It cannot be printed, and serialising it is an error. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The only way out. Called at one place in `src/`, the encoder of requests; a test counts. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }

  toJSON(): never {
    throw new TypeError('a Secret cannot be serialised')
  }
}
