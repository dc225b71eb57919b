import { observe } from '../api/observe.ts'
import type { Checked } from '../model/diagnostic.ts'
import type { DesiredState, ObservedState } from '../model/variable-set.ts'
import type { Service } from '../run/apply-run.ts'
import { required } from './command.ts'
import { type Connected, connect } from './connect.ts'
import type { SandboxContents } from './embedded.ts'
import type { Call } from './io.ts'
import { loadFiles } from './load.ts'
import type { Progress } from './progress.ts'

/** What a command with files and a connection gets. */
export interface Session {
  readonly desired: DesiredState
  readonly service: Service
  readonly progress: Progress
}

/** Loads the files and connects. The first read begins as soon as the organization is known, while set files are read. */
export async function withService(io: Call, body: (session: Session) => Promise<number>): Promise<number> {
  const cancelled = new AbortController()
  let begun: Promise<Checked<Connected>> | undefined
  const begin = (organization: string): void => {
    // The embedded sandbox is first filled with what the files name, and has no network to wait for.
    if (io.options.sandbox) return
    begun = readAhead(io, organization, cancelled.signal)
    begun.catch(() => {})
  }
  const desired = await loadFiles(io, begin).catch(async error => {
    cancelled.abort()
    const connection = await begun?.catch(() => undefined)
    await connection?.value?.close()
    throw error
  })
  return await withConnection(io, desired, (service, progress) => body({ desired, service, progress }), begun)
}

/** Connects, runs `body`, and closes the connection whatever happens. */
export async function withConnection(
  io: Call,
  named: SandboxContents,
  body: (service: Service, progress: Progress) => Promise<number>,
  begun = connect(io, named),
): Promise<number> {
  const { service, progress, close } = required(io, await begun)
  try {
    return await body(service, progress)
  } finally {
    progress.end()
    await close()
  }
}

/** Connects, and begins to read all sets. The result, also a failure, waits until somebody needs it. */
async function readAhead(
  io: Call,
  organization: string,
  cancelled: AbortSignal,
): Promise<Checked<Connected>> {
  const named = { organization, sets: [], directory: { workspaces: [], projects: [] } }
  const { value, diagnostics } = await connect(io, named)
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
