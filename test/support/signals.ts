import type { ChildProcess } from 'node:child_process'

const preload = (script: string): string => `--import data:text/javascript,${encodeURIComponent(script)}`

/** Prints on stderr that a signal has arrived, before the program handles it. An option of Node. */
export const TELLING = preload(
  "import { writeSync } from 'node:fs'; for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => writeSync(2, 'HEARD\\n'))",
)

/** The wait of five seconds after the first signal never ends, however busy the machine is. An option of Node. */
export const PATIENT = preload(
  'const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms === 5000 ? 2 ** 30 : ms, ...rest)',
)

/** Prints on stderr that the program listens to signals. An option of Node. */
export const READY = preload(
  "import { writeSync } from 'node:fs'; process.on('newListener', name => name === 'SIGTERM' && setImmediate(() => writeSync(2, 'HEARD\\n')))",
)

/** Sends signals to a process with `TELLING`, one after the other. The promise resolves after the process has received it. */
export function sender(child: ChildProcess): (name: NodeJS.Signals) => Promise<void> {
  const hears = hearing(child)
  return async name => {
    const heard = hears()
    child.kill(name)
    await heard
  }
}

/** Waits until a process prints HEARD again. */
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
