import { readFileSync } from 'node:fs'
import { readConnection } from '../api/connection.ts'
import { countRequests } from '../api/count-requests.ts'
import { httpTransport } from '../api/http.ts'
import { readOnly } from '../api/read-only.ts'
import { createReader } from '../api/reader.ts'
import { createRetryBudget } from '../api/retry-budget.ts'
import type { Timing } from '../api/timing.ts'
import { Token } from '../api/token.ts'
import { withLimiter } from '../api/with-limiter.ts'
import { withLog } from '../api/with-log.ts'
import { withRetry } from '../api/with-retry.ts'
import { withToken } from '../api/with-token.ts'
import { createWriter } from '../api/writer.ts'
import type { Checked } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import type { Service } from '../run/service.ts'
import type { Transport } from '../wire/transport.ts'
import { openSandbox } from './embedded.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

export interface Connected {
  readonly service: Service
  readonly close: () => Promise<void>
}

/** The network or the embedded sandbox, with everything around it that a run needs. */
export async function connect(io: Io, options: Options, desired: DesiredState): Promise<Checked<Connected>> {
  if (options.sandbox) {
    const sandbox = await openSandbox(io, options, desired)
    const transport = withToken(sandbox.transport, new Token(sandbox.token))
    return {
      value: { service: serviceOver(io, options, transport, 'sandbox'), close: () => sandbox.close() },
      diagnostics: [],
    }
  }
  const flags = options.address === undefined ? {} : { address: options.address }
  const { value: connection, diagnostics } = readConnection(flags, {
    environment: io.env,
    home: io.home,
    readFile: readIfThere,
  })
  if (connection === undefined) return { value: undefined, diagnostics }
  const network = httpTransport(connection.address, {
    concurrency: options.concurrency,
    certificatesUnchecked: io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  })
  if (options.verbose)
    io.stderr.write(`address from ${connection.addressPlace}, token from ${connection.tokenPlace}\n`)
  const transport = withToken(network, connection.token)
  return {
    value: { service: serviceOver(io, options, transport, connection.address), close: network.close },
    diagnostics,
  }
}

function serviceOver(io: Io, options: Options, transport: Transport, address: string): Service {
  const timing: Timing = { now: () => performance.now(), sleep: io.sleep, random: io.random }
  const counted = countRequests(transport)
  const logged = options.verbose
    ? withLog(
        counted.transport,
        entry => io.stderr.write(`${entry.method} ${entry.path} ${entry.result} ${entry.milliseconds} ms\n`),
        timing,
      )
    : counted.transport
  // The embedded sandbox has no limit to keep to, unless one is asked for.
  const limited =
    address === 'sandbox' && options.rate === undefined
      ? logged
      : withLimiter(logged, { timing, ...(options.rate === undefined ? {} : { rate: options.rate }) })
  const budget = createRetryBudget()
  const patient = withRetry(limited, { budget, timing, stop: io.stop })
  const client = io.env.SETPOINT_TOOL ? { tool: io.env.SETPOINT_TOOL } : {}
  return {
    address,
    reader: createReader(readOnly(patient), client),
    writer: () => createWriter(patient, client),
    requests: counted.counts,
    retriesExhausted: budget.isExhausted,
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
