import { readFileSync } from 'node:fs'
import { openClient } from '../api/client.ts'
import { credentialsFiles, readConnection } from '../api/connection.ts'
import { createReader } from '../api/reader.ts'
import { Token, withToken } from '../api/token.ts'
import { createWriter } from '../api/writer.ts'
import { realPath, shownPath } from '../config/read.ts'
import { Git } from '../git/git.ts'
import { isInside } from '../git/work-tree.ts'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import type { Service } from '../run/apply-run.ts'
import type { Transport } from '../wire/transport.ts'
import { openSandbox, type SandboxContents } from './embedded.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { type Progress, progressOf } from './progress.ts'

export interface Connected {
  readonly service: Service
  readonly progress: Progress
  readonly close: () => Promise<void>
}

/** The network or the embedded sandbox, with everything around it that a run needs. */
export async function connect(io: Io, options: Options, named: SandboxContents): Promise<Checked<Connected>> {
  const progress = progressOf(io, options)
  if (options.sandbox) {
    const { value: sandbox, diagnostics } = await openSandbox(io, options, named)
    if (sandbox === undefined) return { value: undefined, diagnostics }
    const transport = withToken(sandbox.transport, new Token(sandbox.token))
    return {
      value: {
        service: serviceOver(io, options, { transport, address: 'sandbox', progress }),
        progress,
        close: () => sandbox.close(),
      },
      diagnostics,
    }
  }
  const flags = options.address === undefined ? {} : { address: options.address }
  const { value: connection, diagnostics } = readConnection(flags, {
    environment: io.env,
    ...(io.home === undefined ? {} : { home: io.home }),
    readFile: readIfThere,
  })
  if (connection === undefined) return { value: undefined, diagnostics }
  const untrusted = tokenOfTheRepository(io, options, connection.tokenPlace)
  if (untrusted !== undefined) return { value: undefined, diagnostics: [...diagnostics, untrusted] }
  const network = await networkFor(io, options, connection.address)
  if (options.verbose)
    io.stderr.write(`address from ${connection.addressPlace}, token from ${connection.tokenPlace}\n`)
  connection.token.tell(io.redactor)
  const transport = withToken(network.transport, connection.token)
  return {
    value: {
      service: serviceOver(io, options, { transport, address: connection.address, progress }),
      progress,
      close: network.close,
    },
    diagnostics,
  }
}

/** The transport of the calling program, or the network. */
async function networkFor(
  { env, transport }: Io,
  { concurrency }: Options,
  address: string,
): Promise<{ readonly transport: Transport; readonly close: () => Promise<void> }> {
  if (transport !== undefined) return { transport, close: async () => {} }
  const { httpTransport, proxiesOf } = await import('../api/http.ts')
  const network = httpTransport(address, {
    concurrency,
    proxies: proxiesOf(env),
    certificatesUnchecked: env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  })
  return { transport: network, close: network.close }
}

/** An error if the token is in a file of the repository: whoever changes files would choose the token. */
function tokenOfTheRepository(
  { env, home }: Io,
  { directory }: Options,
  place: string,
): Diagnostic | undefined {
  const path = credentialsFiles(env, home).includes(place) ? realPath(place) : undefined
  const git = path === undefined ? undefined : Git.around(directory, env)
  if (path === undefined || git === undefined || !isInside(git.root, path)) return undefined
  const tracked = git.tracked()
  if (typeof tracked !== 'string' && !tracked.has(shownPath(git.root, path))) return undefined
  const reason =
    typeof tracked === 'string' ? `and Git cannot tell whether it is tracked: ${tracked}` : TRACKED
  return {
    severity: 'error',
    code: 'no-token',
    message: `The token comes from ${JSON.stringify(place)}, ${reason}.`,
    hint: 'Set SETPOINT_TOKEN, or keep the file out of the repository.',
  }
}

const TRACKED = 'which Git tracks in this repository: anyone who changes the files could choose the token'

/** Nothing is repeated after this time: a job that hangs for an hour helps nobody. */
const RUN_DEADLINE = 60 * 60 * 1000

interface Reached {
  readonly transport: Transport
  readonly address: string
  readonly progress: Progress
}

function serviceOver(io: Io, options: Options, { transport, address, progress }: Reached): Service {
  const line = openClient(transport, {
    timing: { now: io.elapsed, sleep: io.sleep, random: io.random },
    runDeadline: RUN_DEADLINE,
    stop: io.stop,
    // The embedded sandbox has no rate limit unless the user sets one.
    ...(options.rate === undefined
      ? address === 'sandbox'
        ? { rate: 'unlimited' }
        : {}
      : { rate: options.rate }),
    onAttempt: progress.attempt,
    onWait: progress.wait,
  })
  const client = {
    ...(io.env.SETPOINT_TOOL ? { tool: io.env.SETPOINT_TOOL } : {}),
    hide: (text: string) => io.redactor.text(text),
  }
  return {
    address,
    reader: createReader(line.reading, client, io.stop),
    writer: signal => createWriter(line.transport, client, signal),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
