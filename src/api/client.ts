import { setMaxListeners } from 'node:events'
import { inspect } from 'node:util'
import type { Redactor } from '../model/secret.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type ReadTransport,
  type Transport,
  TransportError,
} from '../wire/transport.ts'
import { withFewerAtOnce } from './at-once.ts'
import { ABORTED, notSent, REFUSED_TOKEN } from './errors.ts'
import { withLimiter } from './rate-limit.ts'
import { createPatience, withRetry } from './retry.ts'
import type { OnWait, Timing } from './timing.ts'

interface ClientOptions {
  readonly timing: Timing
  /** Requests per second, as in `withLimiter`. The embedded sandbox has no limit. A 429 pauses them all the same. */
  readonly rate?: number | 'unlimited'
  /** Milliseconds from now after which nothing is repeated. */
  readonly runDeadline?: number
  /** After it is aborted no write is sent and nothing is repeated. */
  readonly stop?: AbortSignal
  readonly onAttempt?: (entry: LogEntry) => void
  readonly onWait?: OnWait
}

/** What one run shares: rate limit, retries, counts. `transport` is the network with its token, or the sandbox. Retries wait for their turn and count, too. */
export function openClient(transport: Transport, options: ClientOptions) {
  const { timing, rate, runDeadline, stop, onAttempt, onWait = () => {} } = options
  const patience = createPatience()
  const logged = onAttempt === undefined ? transport : withLog(transport, onAttempt, timing)
  const counts = { reads: 0, writes: 0 }
  const counted: Transport = (request, signal) => {
    if (request.method === 'GET') counts.reads++
    else counts.writes++
    // Each request that is under way listens to it. Node warns of the eleventh.
    if (signal !== undefined) setMaxListeners(0, signal)
    return logged(request, signal)
  }
  const { transport: halted, halt } = withHalt(counted, stop)
  const pace = rate === 'unlimited' ? UNPACED : rate
  const limited = withLimiter(halted, { timing, stop, onWait, rate: pace })
  const retried = withRetry(withFewerAtOnce(limited), {
    patience,
    timing,
    onWait,
    stop: halt,
    deadline: runDeadline === undefined ? undefined : timing.now() + runDeadline,
  })
  return {
    transport: retried,
    /** The same client, without writes. */
    reading: readOnly(retried),
    /** Attempts, retries included. */
    counts: (): Readonly<typeof counts> => ({ ...counts }),
    /** True after too many retries. The run should start nothing new. */
    isExhausted: patience.isExhausted,
  }
}

/** Requests per second, more than there are. */
const UNPACED = 1_000_000

/** A transport that cannot write: by its type, and at run time for callers without types. */
export const readOnly =
  (next: Transport): ReadTransport =>
  async (request, signal) => {
    const method: string = request.method
    if (method !== 'GET') throw new TypeError(`a read-only transport was given a ${method}`)
    return await next(request, signal)
  }

/**
 * The last check before the network, also for requests that waited for their turn or for a retry. After `stop` no write is sent; reads
 * are, because they show what became of the writes. After a 401 nothing is sent (docs/fault-model.md F-14, F-22). `halt` is aborted in both
 * cases.
 */
function withHalt(next: Transport, stop?: AbortSignal): { transport: Transport; halt: AbortSignal } {
  const refused = new AbortController()
  return {
    halt: AbortSignal.any([stop, refused.signal].filter(one => one !== undefined)),
    transport: async (request, signal) => {
      if (refused.signal.aborted) throw notSent(request, REFUSED_TOKEN, 'the service had refused the token')
      if (stop?.aborted === true && request.method !== 'GET')
        throw notSent(request, ABORTED, 'the run was interrupted')
      const response = await next(request, signal)
      if (response.status === 401) refused.abort()
      return response
    },
  }
}

/** One attempt. It contains no header, no body and no query. */
export interface LogEntry {
  readonly method: ApiRequest['method']
  readonly path: string
  /** The status of the response, or the code of the fault. */
  readonly result: number | string
  readonly milliseconds: number
}

function withLog(next: Transport, write: (entry: LogEntry) => void, { now }: Pick<Timing, 'now'>): Transport {
  return async (request, signal) => {
    const start = now()
    const log = (result: number | string): void =>
      write({ method: request.method, path: request.path, result, milliseconds: Math.round(now() - start) })
    try {
      const response = await next(request, signal)
      log(response.status)
      return response
    } catch (error) {
      log(error instanceof TransportError ? error.code : 'UNKNOWN')
      throw error
    }
  }
}

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

  [inspect.custom](): string {
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
  (next: Transport, token: Token, kind: 'bearer' | 'job' = 'bearer'): Transport =>
  async (request, signal) => {
    const authorization = token.authorization()
    // The token of a job of GitLab has a header of its own.
    const own: Readonly<Record<string, string>> =
      kind === 'job' ? { 'job-token': authorization.replace(/^Bearer /, '') } : { authorization }
    const headers = { ...request.headers, ...own }
    return withoutToken(await next({ ...request, headers }, signal), token)
  }

/** Successful responses stay as they are, because their values are compared. */
function withoutToken(response: ApiResponse, token: Token): ApiResponse {
  if (response.status >= 200 && response.status <= 299) return response
  const headers = Object.entries(response.headers).map(([name, value]) => [name, token.removeFrom(value)])
  return { ...response, headers: Object.fromEntries(headers), body: token.removeFrom(response.body) }
}
