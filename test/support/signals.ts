import type { ChildProcess } from 'node:child_process'

const preload = (script: string): string => `--import data:text/javascript,${encodeURIComponent(script)}`

/** Says on stderr, before the program itself hears of it, that a signal has arrived. An option of Node. */
export const TELLING = preload(
  "import { writeSync } from 'node:fs'; for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => writeSync(2, 'HEARD\\n'))",
)

/** The patience of five seconds after the first signal never ends, however busy the machine is. An option of Node. */
export const PATIENT = preload(
  'const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms === 5000 ? 2 ** 30 : ms, ...rest)',
)

/** Says on stderr that the program listens to signals. An option of Node. */
export const READY = preload(
  "import { writeSync } from 'node:fs'; process.on('newListener', name => name === 'SIGTERM' && setImmediate(() => writeSync(2, 'HEARD\\n')))",
)

/** Sends signals to a process that is `TELLING`, one after the other: each is heard before the promise resolves. */
export function sender(child: ChildProcess): (name: NodeJS.Signals) => Promise<void> {
  const hears = hearing(child)
  return async name => {
    const heard = hears()
    child.kill(name)
    await heard
  }
}

/** Waits for the next time that a process says HEARD. */
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

/** What a program that tells of its signals has written itself. */
export const withoutTelling = (stderr: string): string => stderr.replaceAll('HEARD\n', '')
