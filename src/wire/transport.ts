/** One request on the wire. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the address of the service, such as `/api/v2/…`: percent-encoded segments, no query. */
  readonly path: string
  /** Sent percent-encoded, including brackets (docs/service.md 3). */
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Idempotent: it may be sent again after an ambiguous fault. Set by the client, used by retries, and not sent. */
  readonly repeatable?: boolean
}

export interface ApiResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `maybe`: this response belongs to a retry, and an earlier attempt may have been carried out. Set by retries, not received. */
  readonly earlierAttempt?: 'maybe'
}

/**
 * The one interface to the service: the network, the sandbox and every decorator implement it. Rejects with a `TransportError` if no
 * complete response came. Any complete response is a value, even a 500.
 */
export type Transport = (request: ApiRequest, signal?: AbortSignal) => Promise<ApiResponse>

/** A transport that cannot write, by its type. Planning gets nothing else. */
export type ReadTransport = (
  request: ApiRequest & { readonly method: 'GET' },
  signal?: AbortSignal,
) => Promise<ApiResponse>

/** No complete response came. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** `no`: the request certainly never left. `maybe`: the service may have acted on it. */
  readonly sent: 'no' | 'maybe'
  /** The code of the system or the HTTP client, such as `ECONNREFUSED`. */
  readonly code: string

  constructor(message: string, options: { sent: 'no' | 'maybe'; code: string }) {
    super(message)
    this.sent = options.sent
    this.code = options.code
  }
}
