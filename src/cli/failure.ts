import { ApiError, IncompleteListingError, MalformedAnswerError } from '../api/errors.ts'
import { PAUSED_TOO_LONG } from '../api/fault.ts'
import { WriteError } from '../run/plan-file.ts'
import { TransportError } from '../wire/transport.ts'

export interface Failure {
  readonly message: string
  readonly hint?: string
}

/** What to say of a failure of the world; none for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ApiError) return { message: error.message, ...hintFor(error.status) }
  if (error instanceof TransportError)
    return {
      message: error.message,
      hint:
        error.code === PAUSED_TOO_LONG
          ? 'Other clients with this token may use up its limit. Run it again later, or with a lower --rate.'
          : 'Check the address, the network and the proxy settings, and run it again.',
    }
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
