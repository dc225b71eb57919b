import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io, Sink } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'
import { Redactor } from '../../src/model/redactor.ts'

/** A new directory that is gone after the test; with files, or a copy of a directory. */
export function aDirectory(
  content: Readonly<Record<string, string>> | { readonly copyOf: string } = {},
): string {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  if (typeof content.copyOf === 'string') cpSync(content.copyOf, directory, { recursive: true })
  else
    for (const [path, text] of Object.entries(content)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
  return directory
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Answers to questions; without it there is no terminal. */
  readonly answers?: string[]
  readonly stop?: AbortController
  /** Whatever else of the outside world a test wants to be different. */
  readonly io?: Partial<Io>
}

/** The program in this process: arguments in, streams and exit code out. */
export async function run(
  argv: readonly string[],
  { cwd, env = {}, answers, stop, io: other = {} }: Surroundings,
): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const sink = (to: string[]): Sink => ({ write: text => void to.push(text), terminal: false, columns: 120 })
  const ask = async (question: string): Promise<string> => {
    out.push(question)
    return answers?.shift() ?? ''
  }
  const io: Io = {
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
    elapsed: () => performance.now(),
    random: () => 0.5,
    // Takes no time, but lets sockets have their turn.
    sleep: () => new Promise(resolve => setImmediate(resolve)),
    ...other,
  }
  const code = await main(argv, io)
  return { code, stdout: out.join(''), stderr: err.join('') }
}
