import { join } from 'node:path'
import type { Io, Sink } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'
import { Redactor } from '../../src/model/secret.ts'
import type { Run } from '../../src/run/run.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Answers to questions. Without them there is no terminal. */
  readonly answers?: string[]
  readonly stop?: AbortController
  /** Other differences of the environment, and a service in place of the network or the embedded one. */
  readonly io?: Partial<Io> & { readonly transport?: Transport; readonly sandbox?: Sandbox }
}

/** The program in this process: arguments in, streams and exit code out. */
export async function run(
  argv: readonly string[],
  { cwd, env = {}, answers, stop, io: other = {} }: Surroundings,
): Promise<Ran> {
  const { transport, sandbox, ...differences } = other
  const given = transport === undefined ? sandbox && { sandbox } : { transport }
  const out: string[] = []
  const err: string[] = []
  const sink = (to: string[]): Sink => ({ write: text => void to.push(text), terminal: false, columns: 120 })
  // A sleep moves the clock, so that nothing waits for it: with the time of the machine, a paced request would ask again and again.
  let slept = 0
  const elapsed = (): number => performance.now() + slept
  const sleep = async (milliseconds: number): Promise<void> => {
    const end = elapsed() + milliseconds
    // Takes no time, but lets sockets do their work.
    await new Promise(resolve => setImmediate(resolve))
    slept = Math.max(slept, end - performance.now())
  }
  const ask = async (question: string): Promise<string> => {
    out.push(question)
    return answers?.shift() ?? ''
  }
  const io: Io & Pick<Run, 'given'> = {
    given,
    stdout: sink(out),
    stderr: sink(err),
    env,
    cwd,
    home: join(cwd, 'no-home'),
    version: '0.0.0-test',
    redactor: new Redactor(),
    input: () => (answers === undefined ? {} : { ask }),
    stop: (stop ?? new AbortController()).signal,
    abandon: new AbortController().signal,
    stoppedBy: () => (stop?.signal.aborted ? 'SIGINT' : undefined),
    now: () => new Date('2026-01-01T00:00:00Z'),
    elapsed,
    random: () => 0.5,
    sleep,
    ...differences,
  }
  const code = await main(argv, io)
  return { code, stdout: out.join(''), stderr: err.join('') }
}
