import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Family } from '../proof/family.ts'
import { ROOT } from '../proof/place.ts'
import { inFolder, pathOf, start, wrongWith } from './program.ts'

/** One way in which a user gets the program. */
interface Task {
  readonly way: keyof typeof WAYS
}

interface Found {
  readonly broken: readonly string[]
}

const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const WAYS = {
  binary: {
    promise:
      'the single executable ends with the documented exit codes and does the first guide of the README and the demo, with no Node on its PATH',
    run: (): Promise<string[]> =>
      inFolder(async folder => {
        const script = `const { writeBinary } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'scripts/binary.mjs')).href)})
await writeBinary(${JSON.stringify(join(folder, 'binary'))})`
        const built = await start(execPath, ['--input-type=module', '-e', script], {
          cwd: folder,
          env: process.env,
        })
        if (built.code !== 0) return [`it cannot be built: ${built.output}`]
        return await wrongWith(
          { file: join(folder, 'binary/setpoint'), path: pathOf(join(folder, 'bin'), ['git']) },
          version,
        )
      }),
  },
}

/** Built or packed as a release does it, and used as its users do. */
const delivery: Family<Task, Found> = {
  name: 'delivery',
  proves: [],
  // Nothing of it for a sample: it takes as long as many tests.
  tasks: size => (size === 'sample' ? [] : (Object.keys(WAYS) as Task['way'][]).map(way => ({ way }))),
  seconds: () => 20,
  run: async ({ way }) => ({ broken: await WAYS[way].run() }),
  conclude: done => ({
    figures: [['ways to get the program', done.length]],
    promises: done.map(({ task: { way }, found: { broken } }) => ({ promise: WAYS[way].promise, broken })),
    section: done.map(({ task: { way } }) => `- ${WAYS[way].promise}`).join('\n'),
  }),
}

export default delivery
