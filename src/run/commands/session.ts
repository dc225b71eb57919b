import { openClient, Token, withToken } from '../../api/client.ts'
import { type Connection, type NamedOrganization, readConnections } from '../../api/connection.ts'
import { createReader } from '../../api/reader.ts'
import { createWriter } from '../../api/writer.ts'
import { isTrackedHere } from '../../git/git.ts'
import { type Checked, type Diagnostic, mistake } from '../../model/diagnostic.ts'
import type { DesiredState } from '../../model/variable-set.ts'
import type { Transport } from '../../wire/transport.ts'
import type { Service } from '../apply-run.ts'
import { openSandbox, type SandboxContents } from './embedded.ts'
import { required } from './ending.ts'
import { type FileWarnings, loadFiles } from './load-files.ts'
import { networkTo, timingOf } from './network.ts'
import type { Progress, RunContext } from './run-context.ts'
import { credentialSources } from './token-directory.ts'

/** What a command with files and a connection gets. */
export interface Session {
  readonly desired: DesiredState
  readonly service: Service
  readonly progress: Progress
}

/** Loads the files, connects, runs `body`, and closes the connection whatever happens. */
export async function withService<T>(
  context: RunContext,
  body: (session: Session) => Promise<T>,
  warnings?: FileWarnings,
): Promise<T> {
  const desired = await loadFiles(context, warnings)
  return await withConnection(context, desired, (service, progress) => body({ desired, service, progress }))
}

/** The same without set files: for `named`, what little is known of the organization. */
export async function withConnection<T>(
  context: RunContext,
  named: SandboxContents,
  body: (service: Service, progress: Progress) => Promise<T>,
): Promise<T> {
  const { service, progress, close } = required(context, await connect(context, named))
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
async function connect(context: RunContext, named: SandboxContents): Promise<Checked<Connected>> {
  const { value, diagnostics } = context.options.sandbox
    ? await toSandbox(context, named)
    : await toNetwork(context, named)
  if (value === undefined) return { value, diagnostics }
  const progress = context.listener.progress()
  const close = async (): Promise<void> => {
    progress.end()
    await value.close()
  }
  return { value: { service: serviceOver(context, value, progress), progress, close }, diagnostics }
}

interface Reached {
  readonly transport: Transport
  readonly address: string
  readonly close: () => Promise<void>
}

async function toSandbox(context: RunContext, named: SandboxContents): Promise<Checked<Reached>> {
  const { value, diagnostics } = await openSandbox(context, named)
  if (value === undefined) return { value, diagnostics }
  const transport = withToken(value.transport, new Token(value.token))
  return { value: { transport, address: 'sandbox', close: () => value.close() }, diagnostics }
}

/** The connections of organizations, with tokens from options and environment. Nothing is sent yet. */
export function connectionsFor(
  context: RunContext,
  organizations: readonly NamedOrganization[],
): Checked<ReadonlyMap<string, Connection>> {
  const { value: sources, diagnostics } = credentialSources(context)
  if (sources === undefined) return { value: undefined, diagnostics }
  return readConnections({ address: context.options.address }, organizations, sources)
}

async function toNetwork(context: RunContext, { organization }: SandboxContents): Promise<Checked<Reached>> {
  const { value: found, diagnostics } =
    context.connections === undefined
      ? connectionsFor(context, [{ organization }])
      : { value: context.connections, diagnostics: [] }
  const value = found?.get(organization)
  if (value === undefined) return { value, diagnostics }
  const { address, addressSource, token, tokenSource, tokenFile, known } = value
  const untrusted = tokenOfTheRepository(context, tokenFile)
  if (untrusted !== undefined) return { value: undefined, diagnostics: [...diagnostics, untrusted] }
  const { given } = context
  const { transport, close } =
    given !== undefined && 'transport' in given
      ? { transport: given.transport, close: async () => {} }
      : await networkTo(context, address, { concurrency: context.options.concurrency })
  context.listener.note(`address from ${addressSource}, token from ${tokenSource}\n`, 'detail')
  for (const one of known) one.tell(context.redactor)
  return { value: { transport: withToken(transport, token), address, close }, diagnostics }
}

/** An error if the token is in a file of the repository: whoever changes files would choose the token. */
function tokenOfTheRepository(
  { cwd, env, options }: RunContext,
  file: string | undefined,
): Diagnostic | undefined {
  const tracked = file === undefined ? false : isTrackedHere(cwd, file, env)
  if (tracked === false) return undefined
  const reason = tracked === true ? TRACKED : `and Git cannot tell whether it is tracked: ${tracked}`
  return mistake(
    'no-token',
    `The token comes from ${JSON.stringify(file)}, ${reason}.`,
    `${options.tokens === undefined ? 'Set SETPOINT_TOKEN, or keep' : 'Keep'} the file out of the repository.`,
  )
}

const TRACKED = 'which Git tracks in this repository: anyone who changes the files could choose the token'

/** Nothing is repeated after this time: a job that hangs for an hour helps nobody. */
const RUN_DEADLINE = 60 * 60 * 1000

function serviceOver(context: RunContext, { transport, address }: Reached, progress: Progress): Service {
  const line = openClient(transport, {
    timing: timingOf(context),
    runDeadline: RUN_DEADLINE,
    stop: context.stop,
    // The embedded sandbox has no rate limit unless the user sets one.
    rate: context.options.rate ?? (address === 'sandbox' ? 'unlimited' : undefined),
    onAttempt: progress.attempt,
    onWait: wait => {
      context.record?.wait(wait)
      progress.wait(wait)
    },
  })
  const tool = context.env.SETPOINT_TOOL || undefined
  const client = { tool, hide: (text: string) => context.redactor.text(text) }
  return {
    address,
    reader: createReader(line.reading, client, context.stop),
    writer: signal => createWriter(line.transport, client, signal),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
}
