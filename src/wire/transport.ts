/** One request, as it travels. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the root of the service's address: `/api/v2/…`, segments percent-encoded, without a query. */
  readonly path: string
  /** Sent percent-encoded, brackets included (docs/service.md 3). */
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Sending it twice has the effect of sending it once, so an ambiguous fault may be answered by sending it again.
   * Said by the client, read by the retries; it does not travel.
   */
  readonly repeatable?: boolean
}

export interface ApiResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * `maybe`: this answers a repetition, and an earlier attempt may have been carried out without an answer. Set by the
   * retries; it does not travel.
   */
  readonly earlierAttempt?: 'maybe'
}

/**
 * The one seam to the service: the network, the sandbox and every decorator have this form.
 * Rejects with a `TransportError` where no whole answer came; any answer, 500 included, is a value.
 */
export type Transport = (request: ApiRequest, signal?: AbortSignal) => Promise<ApiResponse>

/** Planning gets this and nothing else: a transport that cannot carry a write, by type. */
export type ReadTransport = (
  request: ApiRequest & { readonly method: 'GET' },
  signal?: AbortSignal,
) => Promise<ApiResponse>

/** No whole answer came. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** `no`: the request certainly never left. `maybe`: the service may have acted on it. */
  readonly sent: 'no' | 'maybe'
  /** The system's or client's code, such as `ECONNREFUSED`. */
  readonly code: string

  constructor(message: string, options: { sent: 'no' | 'maybe'; code: string }) {
    super(message)
    this.sent = options.sent
    this.code = options.code
  }
}
