import type { ChildProcess } from 'node:child_process'

const preload = (script: string): string => `--import data:text/javascript,${encodeURIComponent(script)}`

/** An option of Node that prints HEARD on stderr when a signal arrives, before the program handles it. */
export const TELLING = preload(
  "import { writeSync } from 'node:fs'; for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => writeSync(2, 'HEARD\\n'))",
)

/** An option of Node that makes the wait of five seconds after the first signal endless, for busy machines. */
export const PATIENT = preload(
  'const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms === 5000 ? 2 ** 30 : ms, ...rest)',
)

/** An option of Node that prints HEARD on stderr when the program listens for signals. */
export const READY = preload(
  "import { writeSync } from 'node:fs'; process.on('newListener', name => name === 'SIGTERM' && setImmediate(() => writeSync(2, 'HEARD\\n')))",
)

/** Sends signals to a process with `TELLING`. The promise resolves when the process has received the signal. */
export function sender(child: ChildProcess): (name: NodeJS.Signals) => Promise<void> {
  const hears = hearing(child)
  return async name => {
    const heard = hears()
    child.kill(name)
    await heard
  }
}

/** Returns a function that waits until the process prints HEARD again. */
export function hearing(child: ChildProcess): () => Promise<void> {
  let heard = 0
  const waiting: (() => void)[] = []
  child.stderr?.on('data', (text: string) => {
    heard += text.split('HEARD').length - 1
    for (const go of waiting.splice(0)) go()
  })
  return async () => {
    const before = heard
    while (heard === before) await new Promise<void>(go => waiting.push(go))
  }
}

/** The stderr of a program without the lines of `TELLING`. */
export const withoutTelling = (stderr: string): string => stderr.replaceAll('HEARD\n', '')
