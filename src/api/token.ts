import type { Redactor } from '../model/redactor.ts'
import type { ApiResponse, Transport } from '../wire/transport.ts'

/** `inspect.custom`, by the name that Node documents: loading `node:util` for it costs every start. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** The service's token in memory. It cannot be printed, and serialising it is an error. */
export class Token {
  readonly #text: string

  /** `text` as `tokenText` checked it. */
  constructor(text: string) {
    this.#text = text
  }

  /** The only way out; `withToken` puts it into the request, right above the network. */
  authorization(): string {
    return `Bearer ${this.#text}`
  }

  /** So that it is taken out of whatever leaves the program. */
  tell(redactor: Redactor): void {
    redactor.know('[token]', this.#text)
  }

  /** `text` without the token, wherever somebody quotes it. */
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
 * The text of a token as it may be sent: without the line break that files and pasted values end in. `undefined` where
 * it holds anything but visible ASCII, for an HTTP library quotes such a header in its error.
 */
export function tokenText(written: string): string | undefined {
  const text = written.replace(/\r?\n$/, '')
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

/**
 * Stands right above the network, so that nothing else ever sees a request that holds the token; nor an answer that does,
 * for a service or a proxy may quote it in an error.
 */
export const withToken =
  (next: Transport, token: Token): Transport =>
  async (request, signal) => {
    const headers = { ...request.headers, authorization: token.authorization() }
    return withoutToken(await next({ ...request, headers }, signal), token)
  }

/** What the service stores is never changed by chance: what is compared has to stay what it is. */
function withoutToken(response: ApiResponse, token: Token): ApiResponse {
  if (response.status >= 200 && response.status <= 299) return response
  const headers = Object.entries(response.headers).map(([name, value]) => [name, token.removeFrom(value)])
  return { ...response, headers: Object.fromEntries(headers), body: token.removeFrom(response.body) }
}
