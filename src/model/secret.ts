import { createHmac } from 'node:crypto'

/** `inspect.custom`, by the name that Node documents: loading `node:util` for it costs every start. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

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

  /** HMAC-SHA-256 over `context` and the text, the first 128 bits in hex. Says nothing to whoever lacks the key. */
  fingerprint(key: string, context: string): string {
    return createHmac('sha256', key).update(`${context}\0${this.#text}`).digest('hex').slice(0, 32)
  }

  toString(): string {
    return '[secret]'
  }

  [INSPECT](): string {
    return '[secret]'
  }

  toJSON(): never {
    throw new TypeError('a Secret cannot be serialised')
  }
}

export interface ValueProblem {
  readonly message: string
  readonly hint?: string
}

/** Why a text cannot be the intended value of a secret, or `undefined`. Quotes nothing. */
export function valueProblem(text: string): ValueProblem | undefined {
  if (text.includes('\0') || HALF_PAIR.test(text))
    return { message: 'A secret cannot contain the character U+0000 or half of a surrogate pair.' }
  if (SEALED.test(text))
    return {
      message: 'The value is still encrypted by SOPS.',
      hint: 'Decrypt it first: `sops -d FILE | setpoint apply --secrets -`.',
    }
  return undefined
}

const HALF_PAIR = /\p{Surrogate}/u
/** Sending it would replace the real value with its encrypted text. */
const SEALED = /^ENC\[[A-Z0-9_]+,data:/
