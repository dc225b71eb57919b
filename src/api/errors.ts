import { type ApiRequest, TransportError } from '../wire/transport.ts'

/** What the service said about a refusal. May be hostile text: sinks neutralise it. */
export interface ErrorDetail {
  readonly title?: string
  readonly detail?: string
  readonly pointer?: string
}

interface RequestLine {
  readonly method: string
  readonly path: string
}

/** The service answered, and the answer is a refusal, a failure of its own or a redirect. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly method: string
  readonly path: string
  readonly details: readonly ErrorDetail[]
  /** A write may have been carried out in spite of this answer, by this attempt or an earlier one. */
  readonly mayHaveHappened: boolean

  constructor(
    asked: RequestLine,
    answer: {
      readonly status: number
      readonly sentence: string
      readonly details: readonly ErrorDetail[]
      readonly mayHaveHappened: boolean
    },
  ) {
    const details = answer.details.map(detailText).filter(text => text !== '')
    super([`${asked.method} ${asked.path}: ${answer.sentence}`, ...details].join('; '))
    this.method = asked.method
    this.path = asked.path
    this.status = answer.status
    this.details = answer.details
    this.mayHaveHappened = answer.mayHaveHappened
  }
}

function detailText({ title, detail, pointer }: ErrorDetail): string {
  const said = [title, detail].filter(text => text !== undefined && text !== '').join(': ')
  return pointer === undefined || pointer === '' ? said : `${said} (${pointer})`
}

/** A read was answered with something that is not what the interface describes. Names the place, quotes nothing. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError'
  /** Such as `data/3/attributes/name is not a text`. Built from our own words. */
  readonly reason: string

  constructor(reason: string, asked?: RequestLine) {
    super(
      asked === undefined
        ? reason
        : `${asked.method} ${asked.path}: the answer makes no sense to us: ${reason}`,
    )
    this.reason = reason
  }
}

/** A write was answered with something that proves nothing: look before doing anything else (docs/fault-model.md F-12). */
export class AmbiguousAnswerError extends Error {
  override readonly name = 'AmbiguousAnswerError'
  readonly reason: string

  constructor(reason: string, asked: RequestLine) {
    super(`${asked.method} ${asked.path}: the answer does not show whether it was done: ${reason}`)
    this.reason = reason
  }
}

/** The listing never held still, or never was whole, so nothing may be concluded from it (docs/fault-model.md F-30, F-37). */
export class IncompleteListingError extends Error {
  override readonly name = 'IncompleteListingError'
  readonly reason: string

  constructor(reason: string, passes: number) {
    super(`the list could not be read completely in ${passes} passes: ${reason}`)
    this.reason = reason
  }
}

/** Whether a failed write may have been carried out, so that only a look at the service can tell. */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent === 'maybe'
  if (error instanceof ApiError) return error.mayHaveHappened
  return error instanceof AmbiguousAnswerError
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)

/** Why no whole answer came. `started`: bytes of the request may have left. */
export class NetworkFault extends Error {
  override readonly name = 'Fault'
  readonly code: string
  readonly started: boolean

  constructor(code: string, started: boolean) {
    super(code)
    this.code = code
    this.started = started
  }
}

/** Our own codes beside those of the system and of the HTTP client. */
export const ABORTED = 'ABORTED'
export const DEADLINE = 'DEADLINE'
export const UNCHECKED_TLS = 'UNCHECKED_TLS'
export const BAD_PROXY = 'BAD_PROXY'
export const PROXY = 'PROXY'
export const PROXY_UNREACHABLE = 'PROXY_UNREACHABLE'
export const PROXY_LOGIN = 'PROXY_LOGIN'
export const PROXY_FORBIDS = 'PROXY_FORBIDS'
export const REFUSED_TOKEN = 'REFUSED_TOKEN'
export const PAUSED_TOO_LONG = 'PAUSED_TOO_LONG'

const WORDS: Readonly<Record<string, string>> = {
  [ABORTED]: 'the request was given up',
  [DEADLINE]: 'no whole answer came in time',
  [UNCHECKED_TLS]: 'certificates are not checked in this environment, so nothing is written',
  [BAD_PROXY]: 'the address of the proxy in the environment makes no sense',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ENETUNREACH: 'the network is not reachable',
  EHOSTUNREACH: 'the host is not reachable',
  ETIMEDOUT: 'the connection timed out',
  EPIPE: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as announced',
  UND_ERR_SOCKET: 'the connection was closed',
  [PROXY]: 'the proxy refused the connection',
  [PROXY_UNREACHABLE]: 'the proxy could not be reached',
  [PROXY_LOGIN]: 'the proxy asks for a user name and a password (407)',
  [PROXY_FORBIDS]: 'the proxy does not allow this host (403)',
  TOO_LARGE: 'the answer is larger than we accept',
  BAD_ENCODING: 'the answer is packed in a way that we cannot unpack',
  BAD_TEXT: 'the answer is not UTF-8',
}

/**
 * Built from our own words and the request's method, path and host: the messages and causes of an HTTP client can hold
 * headers and bodies.
 */
export function transportError(
  request: ApiRequest,
  host: string,
  { code, started }: NetworkFault,
): TransportError {
  const words = isCertificateCode(code)
    ? 'the certificate of the service is not trusted'
    : (WORDS[code] ?? 'the connection failed')
  return new TransportError(`${request.method} ${request.path} on ${host}: ${words} (${code})`, {
    sent: started ? 'maybe' : 'no',
    code,
  })
}

/** The code of whatever a socket or the HTTP client threw; never its message. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN'
}

/** Errors of certificate checks as OpenSSL and Node name them. Another attempt meets the same certificate. */
const isCertificateCode = (code: string): boolean =>
  /CERT|^UNABLE_TO_|^CRL_|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/.test(code)

const FINAL_CODES: ReadonlySet<string> = new Set([
  ABORTED,
  REFUSED_TOKEN,
  PAUSED_TOO_LONG,
  UNCHECKED_TLS,
  BAD_PROXY,
  PROXY_LOGIN,
  PROXY_FORBIDS,
  'UND_ERR_INVALID_ARG',
])

/** Who signed the certificate is not known here: what a private authority looks like. */
export const isUnknownAuthority = (code: string): boolean => /^UNABLE_TO_|SELF_SIGNED_CERT/.test(code)

/** Trying again meets the same end, or was asked not to be. */
export const isFinalCode = (code: string): boolean => FINAL_CODES.has(code) || isCertificateCode(code)
