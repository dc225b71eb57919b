import {
  ApiError,
  IncompleteListingError,
  isUnknownAuthority,
  MalformedAnswerError,
  PAUSED_TOO_LONG,
  PROXY_FORBIDS,
  PROXY_LOGIN,
  PROXY_UNREACHABLE,
} from '../api/errors.ts'
import { WriteError } from '../run/write-files.ts'
import { TransportError } from '../wire/transport.ts'

export interface Failure {
  readonly message: string
  readonly hint?: string
}

/** What to say of a failure of the world; none for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ApiError) return { message: error.message, ...hintFor(error.status) }
  if (error instanceof TransportError) return { message: error.message, hint: hintForNetwork(error.code) }
  if (error instanceof MalformedAnswerError)
    return {
      message: error.message,
      hint: 'Is this address a service of HCP Terraform or Terraform Enterprise?',
    }
  if (error instanceof IncompleteListingError)
    return {
      message: error.message,
      hint: 'Nothing is concluded from a list that is not whole. Run it again.',
    }
  return isSystemError(error) || error instanceof WriteError ? { message: error.message } : undefined
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

function hintFor(status: number): { hint?: string } {
  if (status === 401) return { hint: 'The token is missing, wrong or expired: SETPOINT_TOKEN, or TFE_TOKEN.' }
  if (status === 404)
    return {
      hint: 'A service says "not found" also where the token lacks the permission: check the name of the organization, and what the token may do.',
    }
  return {}
}

/** Files that cannot be read or written: their messages name the path and the reason. */
const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
