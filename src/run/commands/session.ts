import { openClient, Token, withToken } from '../../api/client.ts'
import { type Connection, type NamedOrganization, readConnections } from '../../api/connection.ts'
import { createReader } from '../../api/reader.ts'
import { createWriter } from '../../api/writer.ts'
import { isTrackedHere } from '../../git/git.ts'
import { type Checked, type Diagnostic, mistake } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import type { Transport } from '../../wire/transport.ts'
import type { Progress, Run } from '../run.ts'
import type { Service } from '../service.ts'
import { openSandbox, type SandboxContents } from './embedded.ts'
import { misuse, required } from './ending.ts'
import { type FileWarnings, loadFiles } from './load-files.ts'
import { networkTo, timingOf } from './network.ts'
import { credentialSources } from './token-directory.ts'

/** What a command with files and a connection gets. */
export interface Session {
  readonly desired: DesiredState
  readonly service: Service
  readonly progress: Progress
}

/** Loads the files, connects, runs `body`, and closes the connection whatever happens. */
export async function withService<T>(
  run: Run,
  body: (session: Session) => Promise<T>,
  warnings?: FileWarnings,
): Promise<T> {
  const desired = await loadFiles(run, warnings)
  return await withConnection(run, desired, (service, progress) => body({ desired, service, progress }))
}

/** The same without set files: for `named`, what little is known of the organization. */
export async function withConnection<T>(
  run: Run,
  named: SandboxContents,
  body: (service: Service, progress: Progress) => Promise<T>,
): Promise<T> {
  const { service, progress, close } = required(run, await connect(run, named))
  try {
    return await body(service, progress)
  } finally {
    await close()
  }
}

interface Connected {
  readonly service: Service
  readonly progress: Progress
  readonly close: () => Promise<void>
}

/** The network or the embedded sandbox, with everything around it that a run needs. */
async function connect(run: Run, named: SandboxContents): Promise<Checked<Connected>> {
  const { sandbox, address, tokens } = run.options
  if (sandbox && (address ?? tokens) !== undefined)
    misuse(run, '--sandbox replaces the service.', 'Remove --sandbox, or --address and --tokens.')
  const { value, diagnostics } = run.options.sandbox
    ? await toSandbox(run, named)
    : await toNetwork(run, named)
  if (value === undefined) return { value, diagnostics }
  const progress = run.listener.progress()
  const close = async (): Promise<void> => {
    progress.end()
    await value.close()
  }
  return { value: { service: serviceOver(run, value, progress), progress, close }, diagnostics }
}

interface Reached {
  readonly transport: Transport
  readonly address: string
  readonly close: () => Promise<void>
}

async function toSandbox(run: Run, named: SandboxContents): Promise<Checked<Reached>> {
  const { value, diagnostics } = await openSandbox(run, named)
  if (value === undefined) return { value, diagnostics }
  const transport = withToken(value.transport, new Token(value.token))
  return { value: { transport, address: 'sandbox', close: () => value.close() }, diagnostics }
}

/** The connections of organizations, with tokens from options and environment. Nothing is sent yet. */
export function connectionsFor(
  run: Run,
  organizations: readonly NamedOrganization[],
): Checked<ReadonlyMap<string, Connection>> {
  const { value: sources, diagnostics } = credentialSources(run)
  if (sources === undefined) return { value: undefined, diagnostics }
  return readConnections({ address: run.options.address }, organizations, sources)
}

async function toNetwork(run: Run, { organization }: SandboxContents): Promise<Checked<Reached>> {
  const { value: found, diagnostics } =
    run.connections === undefined
      ? connectionsFor(run, [{ organization }])
      : { value: run.connections, diagnostics: [] }
  const value = found?.get(organization)
  if (value === undefined) return { value, diagnostics }
  const { address, addressSource, token, tokenSource, tokenFile, known } = value
  const untrusted = tokenOfTheRepository(run, tokenFile)
  if (untrusted !== undefined) return { value: undefined, diagnostics: [...diagnostics, untrusted] }
  const { given } = run
  const { transport, close } =
    given !== undefined && 'transport' in given
      ? { transport: given.transport, close: async () => {} }
      : await networkTo(run, address, { concurrency: run.options.concurrency })
  run.listener.note(`address from ${addressSource}, token from ${tokenSource}\n`, 'detail')
  for (const one of known) one.tell(run.redactor)
  return { value: { transport: withToken(transport, token), address, close }, diagnostics }
}

/** An error if the token is in a file of the repository: whoever changes files would choose the token. */
function tokenOfTheRepository({ cwd, env, options }: Run, file: string | undefined): Diagnostic | undefined {
  const tracked = file === undefined ? false : isTrackedHere(cwd, file, env)
  if (tracked === false) return undefined
  const reason = tracked === true ? TRACKED : `and it is unknown whether Git tracks it: ${tracked}`
  return mistake(
    'no-token',
    `The token comes from ${JSON.stringify(file)}, ${reason}.`,
    `${options.tokens === undefined ? 'Set SETPOINT_TOKEN, or keep' : 'Keep'} the file out of the repository.`,
  )
}

const TRACKED = 'which Git tracks in this repository: anyone who changes the files could choose the token'

/** Nothing is repeated after this time: a job that hangs for an hour helps nobody. */
const RUN_DEADLINE = 60 * 60 * 1000

function serviceOver(run: Run, { transport, address }: Reached, progress: Progress): Service {
  const line = openClient(transport, {
    timing: timingOf(run),
    runDeadline: RUN_DEADLINE,
    stop: run.stop,
    // The embedded sandbox has no rate limit unless the user sets one.
    rate: run.options.rate ?? (address === 'sandbox' ? 'unlimited' : undefined),
    onAttempt: progress.attempt,
    onWait: wait => {
      run.record?.wait(wait)
      progress.wait(wait)
    },
  })
  const tool = run.env.SETPOINT_TOOL || undefined
  const client = { tool, hide: (text: string) => run.redactor.text(text) }
  return {
    address,
    reader: createReader(line.reading, client, run.stop),
    writer: signal => createWriter(line.transport, client, signal),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
}
