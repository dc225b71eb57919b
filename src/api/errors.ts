import { type ApiRequest, TransportError } from '../wire/transport.ts'

/** What the service said about a refusal. Untrusted text: every sink neutralises it. */
export interface ErrorDetail {
  readonly title?: string
  readonly detail?: string
  readonly pointer?: string
}

interface RequestLine {
  readonly method: string
  readonly path: string
}

/** The service responded with a refusal, a failure of its own or a redirect. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly method: string
  readonly path: string
  readonly details: readonly ErrorDetail[]
  /** A write may have been carried out all the same, by this attempt or an earlier one. */
  readonly mayHaveHappened: boolean
  /** The reason is the key of a variable. */
  readonly refusesKey: boolean
  /** The reason is that a sensitive variable cannot be changed like this. */
  readonly refusesInPlace: boolean

  constructor(
    asked: RequestLine,
    answer: {
      readonly status: number
      readonly sentence: string
      readonly details: readonly ErrorDetail[]
      readonly mayHaveHappened: boolean
      readonly refusesKey?: boolean
      readonly refusesInPlace?: boolean
    },
  ) {
    const details = answer.details.map(one => detailText(one, answer.status)).filter(text => text !== '')
    super([`${asked.method} ${asked.path}: ${answer.sentence}`, ...details].join('; '))
    this.method = asked.method
    this.path = asked.path
    this.status = answer.status
    this.details = answer.details
    this.mayHaveHappened = answer.mayHaveHappened
    this.refusesKey = answer.refusesKey === true
    this.refusesInPlace = answer.refusesInPlace === true
  }
}

/** Titles that only name the status, which our own sentence does already. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  429: 'too many requests',
}

function detailText({ title, detail, pointer }: ErrorDetail, status: number): string {
  const head = title?.toLowerCase() === STATUS_NAMES[status] ? undefined : title
  const said = [head, detail].filter(text => text !== undefined && text !== '').join(': ')
  return pointer === undefined || pointer === '' ? said : `${said} (${pointer})`.trimStart()
}

/** The response to a read is not what the interface describes. Names the place and quotes nothing but an id. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError'
  /** Such as `data[3].attributes.name is not a string`. */
  readonly reason: string
  /** The same in our own words only. */
  readonly plain: string

  constructor(reason: string, asked?: RequestLine, plain = reason) {
    super(asked === undefined ? reason : `${asked.method} ${asked.path}: unexpected response: ${reason}`)
    this.reason = reason
    this.plain = plain
  }
}

/** The response to a write proves nothing: the service has to be read back before anything else (docs/fault-model.md F-12). */
export class AmbiguousResponseError extends Error {
  override readonly name = 'AmbiguousResponseError'
  readonly reason: string

  constructor(reason: string, asked: RequestLine) {
    super(
      `${asked.method} ${asked.path}: the response does not show whether the request was carried out: ${reason}`,
    )
    this.reason = reason
  }
}

/** The list kept changing, or was never complete. Nothing may be concluded from it (docs/fault-model.md F-30, F-37). */
export class IncompleteListingError extends Error {
  override readonly name = 'IncompleteListingError'
  readonly reason: string
  /** The service sends no page data, so another attempt shows the same. */
  readonly isUnproven: boolean

  constructor(reason: string, passes: number, isUnproven = false) {
    super(`The list could not be read completely in ${passes} attempts: ${reason}.`)
    this.reason = reason
    this.isUnproven = isUnproven
  }
}

/** Whether a failed write may have been carried out. Only reading the service back can tell. */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent === 'maybe'
  if (error instanceof ApiError) return error.mayHaveHappened
  return error instanceof AmbiguousResponseError
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)

/** The result of a request, or `undefined` after a response with one of these statuses. */
export async function unlessStatus<T>(
  reading: Promise<T>,
  ...statuses: readonly number[]
): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, ...statuses)) return undefined
    throw error
  }
}

/**
 * The service responded, and not with what was requested: it refuses, fails, or sends something else. After a 401 the whole run stops, and
 * without a response nothing is known.
 */
const isUnreadable = (error: unknown): error is Error =>
  (error instanceof ApiError && error.status !== 401) ||
  error instanceof MalformedResponseError ||
  error instanceof IncompleteListingError

/** The result of a look-up that a run can do without. `noticed` gets the reason if there is none. */
export async function unlessUnreadable<T>(
  reading: Promise<T>,
  noticed: (why: Error) => void = () => {},
): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isUnreadable(error)) throw error
    noticed(error)
    return undefined
  }
}

/** Why no complete response came. `started`: bytes of the request may have left. */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault'
  readonly code: string
  readonly started: boolean

  constructor(code: string, started: boolean) {
    super(code)
    this.code = code
    this.started = started
  }
}

/** Our own codes, in addition to those of the system and of the HTTP client. */
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
/** Of the HTTP client: its connections were closed, as at the end of a run. */
const CLOSED = 'UND_ERR_DESTROYED'

const WORDS: Readonly<Record<string, string>> = {
  [ABORTED]: 'the request was cancelled',
  [DEADLINE]: 'no complete response came in time',
  [UNCHECKED_TLS]: 'certificate checks are off in this environment, so nothing is written',
  [BAD_PROXY]: 'the proxy address in the environment is malformed',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ENETUNREACH: 'the network is not reachable',
  EHOSTUNREACH: 'the host is not reachable',
  ETIMEDOUT: 'the connection timed out',
  EPIPE: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not as long as announced',
  UND_ERR_SOCKET: 'the connection was closed',
  [CLOSED]: 'the connections of this run were closed already',
  [PROXY]: 'the proxy refused the connection',
  [PROXY_UNREACHABLE]: 'the proxy could not be reached',
  [PROXY_LOGIN]: 'the proxy asks for a user name and a password (407)',
  [PROXY_FORBIDS]: 'the proxy does not allow this host (403)',
  TOO_LARGE: 'the response is too large',
  BAD_ENCODING: 'the response has an unsupported or broken encoding',
  BAD_TEXT: 'the response is not valid UTF-8',
}

/** Contains our own words, the method, the path and the host. The messages of an HTTP client can contain headers and bodies. */
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

/** The request was held back: it certainly never left. */
export const notSent = ({ method, path }: ApiRequest, code: string, why: string): TransportError =>
  new TransportError(`${method} ${path}: not sent: ${why}`, { sent: 'no', code })

/** The code of an error of a socket or of the HTTP client, never its message. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN'
}

/** Certificate errors as OpenSSL and Node name them. */
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
  CLOSED,
])

/** The authority of the certificate is unknown here, as a private one is. */
export const isUnknownAuthority = (code: string): boolean => /^UNABLE_TO_|SELF_SIGNED_CERT/.test(code)

/** Another attempt would fail in the same way, or must not be made. */
export const isFinalCode = (code: string): boolean => FINAL_CODES.has(code) || isCertificateCode(code)
