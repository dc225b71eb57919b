import { expect, test } from 'vitest'
import { untilEnd } from '../../../src/run/commands/ending.ts'
import { withDefaults } from '../../../src/run/options.ts'
import type { Run } from '../../../src/run/run.ts'
import { WriteError } from '../../../src/run/write-files.ts'
import { TransportError } from '../../../src/wire/transport.ts'

/** How a command ends that failed with an error, and what was said. */
async function ended(error: Error, signal?: 'SIGINT' | 'SIGTERM') {
  const said: string[] = []
  const run = {
    ...{ env: {}, options: withDefaults({}), told: [], stoppedBy: () => signal },
    redactor: { in: <T>(value: T): T => value },
    listener: {
      diagnostics: (found: readonly { message: string }[]) =>
        void said.push(...found.map(one => one.message)),
      note: (text: string) => void said.push(text),
    },
  } as unknown as Run
  return [await untilEnd(run, () => Promise.reject(error)), ...said]
}

const CUT = new TransportError('cut', { sent: 'no', code: 'ABORTED' })
const UNWRITTEN = new WriteError('/f', 'disk full')

test.each([
  ['the service', CUT, undefined, 1, 'cut.'],
  ['the service, after a signal', CUT, 'SIGINT', 130, 'Interrupted. Nothing was written.\n'],
  ['the service, after another signal', CUT, 'SIGTERM', 143, 'Interrupted. Nothing was written.\n'],
  ['a file', UNWRITTEN, undefined, 1, '/f could not be written (disk full).'],
  ['a file, after a signal', UNWRITTEN, 'SIGINT', 1, '/f could not be written (disk full).'],
] as const)('a failure of %s ends a command', async (_, error, signal, code, said) => {
  expect(await ended(error, signal)).toEqual([{ code }, said])
})

test('a bug is thrown', async () => {
  await expect(ended(new TypeError('a bug'))).rejects.toThrow('a bug')
})
