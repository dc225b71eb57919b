import { observe } from '../api/observe.ts'
import { type Checked, hasErrors } from '../model/diagnostic.ts'
import type { DesiredState, ObservedState } from '../model/variable-set.ts'
import type { Service } from '../run/apply-run.ts'
import { EXIT } from './command.ts'
import { type Connected, connect } from './connect.ts'
import type { SandboxContents } from './embedded.ts'
import { type Io, sayDiagnostics } from './io.ts'
import { loadFiles } from './load.ts'
import type { Options } from './options.ts'
import type { Progress } from './progress.ts'

/** What a command with files and a connection gets. */
export interface Session {
  readonly desired: DesiredState
  readonly service: Service
  readonly progress: Progress
}

/** Loads the files and connects. Problems of either are reported, with exit code 1. */
export async function withService(
  io: Io,
  options: Options,
  body: (session: Session) => Promise<number>,
): Promise<number> {
  const ahead = readAhead(io, options)
  const desired = await loadFiles(io, options, ahead.begin)
  if (desired === undefined) {
    await ahead.cancel()
    return EXIT.error
  }
  return await withConnection(
    io,
    options,
    desired,
    (service, progress) => body({ desired, service, progress }),
    ahead.connected,
  )
}

/** Connects, runs `body`, and closes the connection whatever happens. */
export async function withConnection(
  io: Io,
  options: Options,
  named: SandboxContents,
  body: (service: Service, progress: Progress) => Promise<number>,
  connected: Ahead['connected'] = all => connect(io, options, all),
): Promise<number> {
  const { value: connection, diagnostics } = await connected(named)
  sayDiagnostics(io, options, diagnostics)
  if (connection === undefined) return EXIT.error
  try {
    return hasErrors(diagnostics) ? EXIT.error : await body(connection.service, connection.progress)
  } finally {
    connection.progress.end()
    await connection.close()
  }
}

/**
 * The connection and the first read of the service. It begins when the configuration has named the organization, so that pages
 * arrive while set files are read. The result, also a failure, waits until somebody needs it.
 */
interface Ahead {
  readonly begin: (organization: string) => void
  /** The connection that was begun, or a new one. */
  readonly connected: (named: SandboxContents) => Promise<Checked<Connected>>
  /** The files are invalid, so nobody needs it. */
  readonly cancel: () => Promise<void>
}

function readAhead(io: Io, options: Options): Ahead {
  const cancelled = new AbortController()
  let begun: Promise<Checked<Connected>> | undefined
  return {
    begin: organization => {
      // The embedded sandbox is first filled with what the files name, and has no network to wait for.
      if (options.sandbox) return
      begun = begin(io, options, organization, cancelled.signal)
      begun.catch(() => {})
    },
    connected: named => begun ?? connect(io, options, named),
    cancel: async () => {
      cancelled.abort()
      const connection = await begun?.catch(() => undefined)
      await connection?.value?.close()
    },
  }
}

async function begin(
  io: Io,
  options: Options,
  organization: string,
  cancelled: AbortSignal,
): Promise<Checked<Connected>> {
  const named = { organization, sets: [], directory: { workspaces: [], projects: [] } }
  const { value, diagnostics } = await connect(io, options, named)
  if (value === undefined) return { value, diagnostics }
  value.progress.reading()
  const signal = AbortSignal.any([io.stop, cancelled])
  let first: Promise<ObservedState> | undefined = observe(value.service.reader.until(signal), organization)
  first.catch(() => {})
  const begun = (): Promise<ObservedState> | undefined => {
    const taken = first
    first = undefined
    return taken
  }
  return { value: { ...value, service: { ...value.service, begun } }, diagnostics }
}
