import { observe } from '../api/observe.ts'
import type { Checked } from '../model/diagnostic.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { type Connected, connect } from './connect.ts'
import type { Named } from './embedded.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/**
 * The connection and the first reading of the service, begun as soon as the configuration says of which organization:
 * pages then travel while set files are read. What comes of it, failures included, waits until it is asked for.
 */
export interface Ahead {
  readonly begin: (organization: string) => void
  /** The connection that was begun, or a new one. */
  readonly connected: (named: Named) => Promise<Checked<Connected>>
  /** The files are no good, so nobody will ask. */
  readonly cancel: () => Promise<void>
}

export function readAhead(io: Io, options: Options): Ahead {
  const cancelled = new AbortController()
  let begun: Promise<Checked<Connected>> | undefined
  return {
    begin: organization => {
      // The embedded sandbox has first to be made of what the files name, and nothing travels.
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
  let first: Promise<ObservedState> | undefined = observe(value.service.reader, organization, { signal })
  first.catch(() => {})
  const begun = (): Promise<ObservedState> | undefined => {
    const taken = first
    first = undefined
    return taken
  }
  return { value: { ...value, service: { ...value.service, begun } }, diagnostics }
}
