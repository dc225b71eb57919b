import {
  ApiError,
  IncompleteListingError,
  isUnknownAuthority,
  MalformedResponseError,
  PAUSED_TOO_LONG,
  PROXY_FORBIDS,
  PROXY_LOGIN,
  PROXY_UNREACHABLE,
} from '../api/errors.ts'
import { WriteError } from '../run/write-files.ts'
import { TransportError } from '../wire/transport.ts'

interface Failure {
  readonly message: string
  readonly hint?: string
  /** A file could not be read or written, whatever became of the service. */
  readonly isOfFile?: true
}

/** The message for a failure of the service, the network or a file; `undefined` for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ApiError) return { message: error.message, hint: hintFor(error.status) }
  if (error instanceof TransportError) return { message: error.message, hint: hintForNetwork(error.code) }
  if (error instanceof MalformedResponseError)
    return {
      message: error.message,
      hint: 'Is this address a service of HCP Terraform or Terraform Enterprise?',
    }
  if (error instanceof IncompleteListingError)
    return {
      message: error.message,
      hint: 'Nothing is concluded from a list that is not whole. Run it again.',
    }
  return isSystemError(error) || error instanceof WriteError
    ? { message: error.message, isOfFile: true }
    : undefined
}

function hintForNetwork(code: string): string {
  if (code === PAUSED_TOO_LONG)
    return 'Other clients with this token may use up its limit. Run it again later, or with a lower --rate.'
  if (isUnknownAuthority(code))
    return 'If a private authority signed it, set NODE_EXTRA_CA_CERTS to the file of its certificate (PEM), and run it again.'
  if (code === PROXY_LOGIN)
    return 'Give both in HTTPS_PROXY (HTTP_PROXY for an address with http:), as http://USER:PASSWORD@HOST:PORT.'
  if (code === PROXY_FORBIDS)
    return 'Have the host allowed on the proxy, or name it in NO_PROXY if it can be reached without one.'
  if (code === PROXY_UNREACHABLE)
    return 'Check HTTPS_PROXY and HTTP_PROXY; name the host in NO_PROXY if it can be reached without a proxy.'
  return 'Check the address, the network and the proxy settings, and run it again.'
}

function hintFor(status: number): string | undefined {
  if (status === 401) return 'The token is missing, wrong or expired. Set SETPOINT_TOKEN or TFE_TOKEN.'
  if (status === 404)
    return 'The service also responds "not found" if the token lacks permission. Check the name of the organization and the permissions of the token.'
  return undefined
}

/** Files that cannot be read or written: their messages name the path and the reason. */
const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
