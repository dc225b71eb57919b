import { isLoopback, parseUrl } from '../api/address.ts'
import { openClient } from '../api/client.ts'
import { httpTransport, proxiesOf } from '../api/http.ts'
import { withToken } from '../api/token.ts'
import { ForgeError } from '../forge/client.ts'
import type { ForgeProject } from '../forge/pull-request.ts'
import { UnclearError } from '../forge/put-comment.ts'
import { NotReviewed } from '../forge/reviewed.ts'
import { harmlessLines } from '../report/neutralise.ts'
import { type Transport, TransportError } from '../wire/transport.ts'
import { codeOfSignal, EXIT } from './command.ts'
import { type Io, sayDiagnostics, sayFailure } from './io.ts'
import type { Options } from './options.ts'

/** Runs `body` with a connection to a forge. A failure is one line, and becomes the exit code. */
export async function withForge(
  io: Io,
  options: Options,
  { api, token }: ForgeProject,
  body: (transport: Transport) => Promise<number>,
): Promise<number> {
  token.tell(io.redactor)
  const network = networkOf(io, new URL(api).origin)
  try {
    return await body(clientOf(io, options, withToken(network, token)).transport)
  } catch (error) {
    return failed(io, options, error)
  } finally {
    await network.close()
  }
}

/** Maximum bytes of a file from a forge. */
const LARGEST_FILE = 128 * 1024 * 1024

/**
 * Downloads from an address that a forge named, without a token or a cookie. Rejects with a `ForgeError` or a `TransportError`.
 */
export const downloadFrom =
  (io: Io, options: Options, { api }: ForgeProject) =>
  async (address: string): Promise<Buffer> => {
    const url = parseUrl(address)
    const isSafe =
      url?.protocol === 'https:' || (isLoopback(new URL(api).hostname) && isLoopback(url?.hostname ?? ''))
    if (url === undefined || !isSafe || url.username !== '' || url.password !== '')
      throw new ForgeError(
        'The forge returned an address for the artifact that is not https.',
        302,
        UNREACHABLE,
      )
    const network = networkOf(io, url.origin, { text: 'latin1', maxBytes: LARGEST_FILE, deadline: 300_000 })
    try {
      const { status, body } = await clientOf(io, { ...options, verbose: false }, network).transport({
        method: 'GET',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { 'user-agent': 'setpoint' },
      })
      if (status !== 200)
        throw new ForgeError(
          `The artifact store of the forge responded with ${status}.`,
          status,
          'Run the job again.',
        )
      return Buffer.from(body, 'latin1')
    } finally {
      await network.close()
    }
  }

const networkOf = (io: Io, origin: string, more: Parameters<typeof httpTransport>[1] = {}) =>
  httpTransport(origin, {
    proxies: proxiesOf(io.env),
    certificatesUnchecked: io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    ...more,
  })

const clientOf = (io: Io, { verbose }: Options, transport: Transport) =>
  openClient(transport, {
    timing: { now: io.elapsed, sleep: io.sleep, random: io.random },
    rate: 'unlimited',
    stop: io.stop,
    ...(verbose
      ? {
          onAttempt: ({ method, path, result, milliseconds }) =>
            io.stderr.write(harmlessLines(`${method} ${path} ${result} ${milliseconds} ms\n`)),
        }
      : {}),
  })

function failed(io: Io, options: Options, error: unknown): number {
  if (error instanceof NotReviewed) {
    const { message, hint } = error
    sayDiagnostics(io, options, [{ severity: 'error', code: 'refused', message, hint }])
    return EXIT.refused
  }
  const reason = error instanceof UnclearError ? error.reason : error
  if (!(reason instanceof ForgeError) && !(reason instanceof TransportError)) throw error
  const unclear = error instanceof UnclearError
  sayFailure(
    io,
    options,
    unclear ? `${reason.message} The comment may have been posted anyway.` : reason.message,
    reason instanceof ForgeError ? reason.hint : UNREACHABLE,
  )
  return codeOfSignal(io) ?? (unclear ? EXIT.partial : EXIT.error)
}

const UNREACHABLE = 'Check the address of the forge and the network, and run the job again.'
