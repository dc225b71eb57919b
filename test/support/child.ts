import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'

const BIN = resolve(import.meta.dirname, '../../dist/bundle/setpoint.js')

export interface Ended {
  /** As in a shell: 128 and the signal's number if a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Child {
  readonly process: ChildProcess
  /** Resolves with the first whole line of stdout. */
  readonly line: Promise<string>
  readonly ended: Promise<Ended>
}

export interface ChildOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** A file descriptor instead of a pipe. */
  readonly stdout?: number
  /** Written to stdin, which then ends. */
  readonly input?: string
  /** Called with all of stdout whenever it grows. Its result is written to stdin, which stays open. */
  readonly reply?: (stdout: string) => string | undefined
}

/** The built program as a process. Its environment has only `env`, HOME and PATH. */
export function start(argv: readonly string[], options: ChildOptions): Child {
  if (!existsSync(BIN)) throw new Error('the program is not built: npm run build')
  return watch(spawn(process.execPath, [BIN, ...argv], spawnOptions(options)), options)
}

/** A line for a shell, in which `$SETPOINT` is the built program. */
export function startShell(line: string, options: ChildOptions): Child {
  const env = { ...options.env, SETPOINT: `${process.execPath} ${BIN}` }
  return watch(spawn('bash', ['-c', line], spawnOptions({ ...options, env })), options)
}

const spawnOptions = ({ cwd, env = {}, stdout }: ChildOptions) => ({
  cwd,
  env: { PATH: process.env.PATH, HOME: cwd, ...env },
  stdio: ['pipe', stdout ?? 'pipe', 'pipe'] as ('pipe' | number)[],
})

function watch(child: ChildProcess, { input, reply }: ChildOptions): Child {
  let stdout = ''
  let stderr = ''
  const line = new Promise<string>(found => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.includes('\n')) found(stdout.slice(0, stdout.indexOf('\n')))
      const answer = reply?.(stdout)
      if (answer !== undefined) child.stdin?.write(answer)
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin?.on('error', () => {})
  if (reply === undefined) child.stdin?.end(input ?? '')
  const ended = new Promise<Ended>(done => {
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, line, ended }
}
