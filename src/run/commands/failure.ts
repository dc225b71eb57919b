import {
  ApiError,
  IncompleteListingError,
  isUnknownAuthority,
  MalformedResponseError,
  PAUSED_TOO_LONG,
  PROXY_FORBIDS,
  PROXY_LOGIN,
  PROXY_UNREACHABLE,
} from '../../api/errors.ts'
import type { DiagnosticCode } from '../../model/codes.ts'
import { ANY_TOKEN } from '../../report/next-steps.ts'
import { TransportError } from '../../wire/transport.ts'
import { MissingOrganizationError } from '../service.ts'
import { WriteError } from '../write-files.ts'

interface SaidFailure {
  /** Default: `service-failure`. */
  readonly code?: DiagnosticCode
  readonly message: string
  readonly hint?: string
  /** A file could not be read or written, whatever became of the service. */
  readonly isOfFile?: true
}

/** What the hint about a token names. */
interface TokenHints {
  /** Host of the service, or `undefined` if there is none. */
  readonly host?: string
  /** Where the token of an organization belongs, if it has its own. */
  readonly tokenOf?: (organization: string) => string | undefined
}

/** The message for a failure of the service, the network or a file; `undefined` for a bug. */
export function failureOf(error: unknown, places: TokenHints = {}): SaidFailure | undefined {
  for (const said of FAILURES) {
    const failure = said(error, places)
    if (failure !== undefined) return { ...failure, message: failure.message.replace(/[^.]$/, '$&.') }
  }
  return undefined
}

/** What is said of an error of one class, in addition to its message. */
const row =
  <E extends Error>(
    is: (error: unknown) => error is E,
    more: (error: E, places: TokenHints) => Omit<SaidFailure, 'message'>,
  ) =>
  (error: unknown, places: TokenHints): SaidFailure | undefined =>
    is(error) ? { message: error.message, ...more(error, places) } : undefined

const isA =
  <E extends Error>(kind: new (...given: never[]) => E) =>
  (error: unknown): error is E =>
    error instanceof kind

const NO_ORGANIZATION =
  'Check the name in setpoint.yaml, and the address. If it exists, check the permissions of the token.'
const MALFORMED =
  'Setpoint concludes nothing from such a response. A proxy or a login page may have sent it, or the service deviates from its interface.'
const INCOMPLETE = 'An incomplete listing is never used. Run the command again.'
const NO_PAGE_DATA =
  'An incomplete listing is never used. The service has to send meta.pagination, or the whole list whatever page is requested.'
const WRITABLE = 'Check that the directory exists and is writable, and that the disk is not full.'

const hintForNetwork = (code: string): string =>
  isUnknownAuthority(code)
    ? 'If a private certificate authority signed it, set NODE_EXTRA_CA_CERTS to the PEM file of the authority.'
    : (NETWORK_HINTS[code] ??
      'Check the address, the network and the proxy settings, and run the command again.')

const NETWORK_HINTS: Readonly<Record<string, string>> = {
  [PAUSED_TOO_LONG]:
    'Other clients may be using up the rate limit of this token. Run the command later, or with a lower --rate.',
  [PROXY_LOGIN]:
    'Set both in HTTPS_PROXY (HTTP_PROXY for an http: address), as http://USER:PASSWORD@HOST:PORT.',
  [PROXY_FORBIDS]: 'Allow the host on the proxy, or add it to NO_PROXY if it is reachable without one.',
  [PROXY_UNREACHABLE]:
    'Check HTTPS_PROXY and HTTP_PROXY. Add the host to NO_PROXY if it is reachable without a proxy.',
}

function hintFor({ status, path }: ApiError, { host, tokenOf }: TokenHints): string | undefined {
  const token = tokenOf?.(organizationIn(path)) ?? ANY_TOKEN
  if (status === 401) {
    const elsewhere =
      host === undefined ? '' : ` If you meant another host than ${host}, set SETPOINT_ADDRESS.`
    return `The token is missing, wrong or expired. Set ${token}.${elsewhere}`
  }
  if (status === 403)
    return `The token is valid${host === undefined ? '' : ` at ${host}`}, but may not do this. Check its permissions, or set ${token} to one that may.`
  if (status === 404)
    return 'Check the name of the organization, and that the token may read it: without permission, the service says the same.'
  return undefined
}

const organizationIn = (path: string): string =>
  decodeURIComponent(/\/organizations\/([^/]+)/.exec(path)?.[1] ?? '<ORGANIZATION>')

/** Files that cannot be read or written: their messages name the path and the reason. */
const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'

/** One row for each class of errors; the first that fits counts. */
const FAILURES = [
  row(isA(ApiError), (error, places) => ({ hint: hintFor(error, places) })),
  row(isA(MissingOrganizationError), () => ({ code: 'missing-organization', hint: NO_ORGANIZATION })),
  row(isA(TransportError), ({ code }) => ({ hint: hintForNetwork(code) })),
  row(isA(MalformedResponseError), () => ({ hint: MALFORMED })),
  row(isA(IncompleteListingError), ({ isUnproven }) => ({ hint: isUnproven ? NO_PAGE_DATA : INCOMPLETE })),
  row(isA(WriteError), () => ({ code: 'unwritable-file', hint: WRITABLE, isOfFile: true })),
  row(isSystemError, () => ({ isOfFile: true })),
] as const
