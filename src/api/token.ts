import type { Redactor } from '../model/redactor.ts'
import type { ApiResponse, Transport } from '../wire/transport.ts'

/** `inspect.custom` by its documented name, because loading `node:util` would slow every start. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** The service's token in memory. It cannot be printed, and serialising it is an error. */
export class Token {
  readonly #text: string

  /** `text` as `tokenText` checked it. */
  constructor(text: string) {
    this.#text = text
  }

  /** The only way to get the text. `withToken` puts it into the request, right above the network. */
  authorization(): string {
    return `Bearer ${this.#text}`
  }

  /** Registers the token, so that it is removed from all output. */
  tell(redactor: Redactor): void {
    redactor.know('[token]', this.#text)
  }

  /** `text` without the token. */
  removeFrom(text: string): string {
    return text.includes(this.#text) ? text.replaceAll(this.#text, '[token]') : text
  }

  toString(): string {
    return '[token]'
  }

  [INSPECT](): string {
    return '[token]'
  }

  toJSON(): never {
    throw new TypeError('a token cannot be serialised')
  }
}

/**
 * A token as it is sent, without the trailing line break of files and pasted values. `undefined` if it contains anything but visible ASCII,
 * because an HTTP library quotes such a header in its error.
 */
export function tokenText(written: string): string | undefined {
  const text = written.replace(/\r?\n$/, '')
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

/**
 * Sits right above the network, so that nothing else sees a request with the token. It removes the token from responses as well: a service
 * or a proxy may quote it in an error.
 */
export const withToken =
  (next: Transport, token: Token): Transport =>
  async (request, signal) => {
    const headers = { ...request.headers, authorization: token.authorization() }
    return withoutToken(await next({ ...request, headers }, signal), token)
  }

/** Successful responses stay as they are, because their values are compared. */
function withoutToken(response: ApiResponse, token: Token): ApiResponse {
  if (response.status >= 200 && response.status <= 299) return response
  const headers = Object.entries(response.headers).map(([name, value]) => [name, token.removeFrom(value)])
  return { ...response, headers: Object.fromEntries(headers), body: token.removeFrom(response.body) }
}
