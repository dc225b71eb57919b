import { isLoopback, parseUrl } from '../api/address.ts'
import { openClient, withToken } from '../api/client.ts'
import { PAUSED_TOO_LONG } from '../api/errors.ts'
import { LARGEST_ARCHIVE } from '../forge/archive.ts'
import { NotReviewed } from '../forge/find-reviewed.ts'
import { ForgeError } from '../forge/forge-client.ts'
import type { ForgeProject } from '../forge/pull-request.ts'
import { UnclearError } from '../forge/put-comment.ts'
import { mistake } from '../model/diagnostic.ts'
import { harmlessLines } from '../report/neutralise.ts'
import { fail } from '../run/commands/ending.ts'
import { networkTo, timingOf } from '../run/commands/network.ts'
import { codeOfSignal, EXIT } from '../run/exit-codes.ts'
import { sayFailure } from '../run/run.ts'
import { type Transport, TransportError } from '../wire/transport.ts'
import type { CommandContext } from './io.ts'

/** Runs `body` with a connection to a forge. A failure is one line, and becomes the exit code. */
export async function withForge<T>(
  io: CommandContext,
  { api, token }: ForgeProject,
  body: (transport: Transport) => Promise<T>,
  kind: 'bearer' | 'job' = 'bearer',
): Promise<T | number> {
  token.tell(io.redactor)
  const network = await networkTo(io, new URL(api).origin)
  try {
    return await body(clientOf(io, withToken(network.transport, token, kind)))
  } catch (error) {
    return failed(io, error)
  } finally {
    await network.close()
  }
}

/**
 * Downloads from an address that a forge named, without a token or a cookie. Rejects with a `ForgeError` or a `TransportError`.
 */
export const downloadFrom =
  (io: CommandContext, { api }: ForgeProject) =>
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
    const limits = { text: 'latin1', maxBytes: LARGEST_ARCHIVE, deadline: 300_000 } as const
    const network = await networkTo(io, url.origin, limits)
    try {
      const { status, body } = await clientOf(
        io,
        network.transport,
        false,
      )({
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

const clientOf = (io: CommandContext, transport: Transport, verbose = io.options.verbose): Transport =>
  openClient(transport, {
    timing: timingOf(io),
    rate: 'unlimited',
    stop: io.stop,
    onAttempt: ({ method, path, result, milliseconds }) => {
      if (verbose) io.stderr.write(harmlessLines(`${method} ${path} ${result} ${milliseconds} ms\n`))
    },
  }).transport

function failed(io: CommandContext, error: unknown): number {
  if (error instanceof NotReviewed) fail(io, mistake('refused', error.message, error.hint))
  const unclear = error instanceof UnclearError
  const reason = unclear ? error.cause : error
  if (!(reason instanceof ForgeError) && !(reason instanceof TransportError)) throw error
  sayFailure(
    io,
    unclear ? `${reason.message} It may have been written anyway.` : reason.message,
    reason instanceof ForgeError ? reason.hint : reason.code === PAUSED_TOO_LONG ? TOO_MANY : UNREACHABLE,
  )
  return codeOfSignal(io) ?? (unclear ? EXIT.partial : EXIT.error)
}

const TOO_MANY = 'This token made too many requests. Run the job again later.'
const UNREACHABLE = 'Check the address of the forge and the network, and run the job again.'
