import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Redactor } from '../model/secret.ts'
import type { Input, Io, Sink } from './io.ts'
import { main } from './main.ts'

/**
 * Makes an `Io` of this process, runs `main`, and sets the exit code. `process` is the global one, because importing
 * `node:process` opens the three streams. `signalsBefore` returns the signals that came while this was loaded, and hands over
 * all later ones.
 */
export async function runProgram(
  version: string,
  home: string | undefined,
  signalsBefore: () => readonly StopSignal[],
): Promise<void> {
  // Otherwise the heap grows to three times of what is in use: 50 MB of files took 770 MiB (docs/reliability.md#performance).
  setFlagsFromString('--heap-growing-percent=40')
  const stop = new AbortController()
  const abandon = new AbortController()
  const signals = watchSignals(stop, abandon)
  for (const signal of signalsBefore()) signals.take(signal)
  const stdout = sinkFor(process.stdout)
  const stderr = sinkFor(process.stderr)
  const cwd = currentDirectory()
  if (cwd === undefined) {
    stderr.write('setpoint: the current directory no longer exists\n')
    process.exitCode = 1
    return
  }
  const io: Io = {
    stdout,
    stderr,
    env: process.env,
    cwd,
    home,
    version,
    input: () => inputOf(stop.signal),
    redactor: new Redactor(),
    stop: stop.signal,
    abandon: abandon.signal,
    stoppedBy: signals.name,
    now: () => new Date(),
    // `performance` is the same clock, and would cost every start 3 ms.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    random: Math.random,
    sleep,
  }
  process.on('uncaughtException', error => {
    reportBug(error, stderr)
    process.exit(1)
  })
  try {
    process.exitCode = await main(process.argv.slice(2), io)
  } catch (error) {
    reportBug(error, stderr)
    process.exitCode = 1
  }
  signals.forget()
  await new Promise(resolve => process.stdout.write('', resolve))
  if (stdout.failed !== undefined) {
    stderr.write(`setpoint: the output could not be written (${stdout.failed})\n`)
    if (process.exitCode === 0) process.exitCode = 1
  }
}

/** `undefined` if somebody removed it; Node would end with a stack trace. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** A bug. Its message may contain anything, so only the kind and the place are shown. */
function reportBug(error: unknown, stderr: Sink): void {
  const place =
    error instanceof Error ? (error.stack ?? '').split('\n').find(line => /^\s+at /.test(line)) : ''
  stderr.write(
    `setpoint: internal error: ${error instanceof Error ? error.name : typeof error}\n${place ?? ''}\n`,
  )
}

type StopSignal = 'SIGINT' | 'SIGTERM'

/** First signal: stop. Second, or five seconds later: abandon. Third: end at once. */
function watchSignals(stop: AbortController, abandon: AbortController) {
  let received: StopSignal | undefined
  let timer: NodeJS.Timeout | undefined
  const onSignal = (signal: StopSignal): void => {
    if (abandon.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    if (received !== undefined) abandon.abort()
    received ??= signal
    stop.abort()
    timer ??= setTimeout(() => abandon.abort(), 5_000).unref()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // The terminal is closed: the same as being asked to end.
  const onHangup = () => onSignal('SIGTERM')
  process.on('SIGHUP', onHangup)
  return {
    name: () => received,
    take: onSignal,
    forget: () => {
      clearTimeout(timer)
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
      process.off('SIGHUP', onHangup)
    },
  }
}

function sinkFor(stream: NodeJS.WriteStream): Sink {
  let failed: string | undefined
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failed ??= error.code ?? 'error'
  })
  return {
    write: text => {
      if (failed === undefined) stream.write(text)
    },
    terminal: stream.isTTY === true,
    // A terminal that does not know its width reports 0.
    columns: stream.isTTY === true ? stream.columns || 80 : 120,
    get failed() {
      return failed
    },
  }
}

/** Created when it is needed: opening stdin takes a tenth of a short run. */
function inputOf(stop: AbortSignal): Input {
  if (!process.stdin.isTTY) return { all: () => readStdin(stop) }
  return process.stdout.isTTY ? { ask: question => ask(question, stop) } : {}
}

/** If the terminal goes away or a signal comes, the answer is empty. */
async function ask(question: string, stop: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  // While a line is edited, the terminal hands over Ctrl-C as a key and sends no signal.
  reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const gone = new Promise<string>(resolve => {
    reader.once('close', () => resolve(''))
    if (stop.aborted) resolve('')
    stop.addEventListener('abort', () => {
      process.stdout.write('\n')
      resolve('')
    })
  })
  try {
    return await Promise.race([reader.question(question).catch(() => ''), gone])
  } finally {
    reader.close()
  }
}

/** Everything up to the end, or up to a signal. */
async function readStdin(stop: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  // More than any reader accepts: a pipe without an end must not fill the memory.
  const most = 16 * 1024 * 1024
  const end = (): unknown => process.stdin.destroy()
  stop.addEventListener('abort', end)
  try {
    for await (const chunk of process.stdin) {
      chunks.push(Buffer.from(chunk))
      length += chunk.length
      if (length > most) break
    }
  } catch (error) {
    if (!stop.aborted) throw error
  }
  stop.removeEventListener('abort', end)
  return Buffer.concat(chunks).toString('utf8')
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
