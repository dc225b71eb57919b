import { hasErrors } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import type { Service } from '../run/apply-run.ts'
import { type Ahead, readAhead } from './ahead.ts'
import { connect } from './connect.ts'
import type { Named } from './embedded.ts'
import { EXIT } from './exit.ts'
import { failureOf } from './failure.ts'
import type { Io } from './io.ts'
import { loadFiles } from './load.ts'
import type { Options } from './options.ts'
import type { Progress } from './progress.ts'
import { sayDiagnostics, sayFailure } from './say.ts'

/** What a command with files and a connection gets. */
export interface Session {
  readonly desired: DesiredState
  readonly service: Service
  readonly progress: Progress
}

/** Loads the files and connects; what is wrong with either is said, and ends with exit 1. */
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

/**
 * Connects, runs `body`, and closes the connection whatever happens. A failure of the world ends as one line and exit 1;
 * a signal before anything was written as its own exit code.
 */
export async function withConnection(
  io: Io,
  options: Options,
  named: Named,
  body: (service: Service, progress: Progress) => Promise<number>,
  connected: Ahead['connected'] = all => connect(io, options, all),
): Promise<number> {
  let close = async (): Promise<void> => {}
  let end = (): void => {}
  try {
    const { value: connection, diagnostics } = await connected(named)
    sayDiagnostics(io, options, diagnostics)
    if (connection === undefined) return EXIT.error
    close = connection.close
    end = connection.progress.end
    return hasErrors(diagnostics) ? EXIT.error : await body(connection.service, connection.progress)
  } catch (error) {
    end()
    const failure = failureOf(error)
    if (failure === undefined) throw error
    const signal = io.stoppedBy()
    if (signal !== undefined) return interrupted(io, signal)
    sayFailure(io, options, failure.message, failure.hint)
    return EXIT.error
  } finally {
    await close()
  }
}

function interrupted(io: Io, signal: 'SIGINT' | 'SIGTERM'): number {
  io.stderr.write('Interrupted. Nothing was written.\n')
  return signalCode(signal)
}

export const signalCode = (signal: 'SIGINT' | 'SIGTERM'): number =>
  signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
