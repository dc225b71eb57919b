import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { compile, scratch } from '../compile.mjs'

/** Compiles the tests into a temporary directory, and plays the scenarios against a server. */
const directory = scratch(`${process.pid}/servers`)
process.once('exit', () => rmSync(dirname(directory), { recursive: true, force: true }))
// The first signal ends the play, which then deletes what it made; the second one ends the tool.
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130)
    process.stderr.write('Stopping: deleting what was made. Once more to end at once.\n')
    stop.abort()
  })
compile(directory)
const { main } = await import(`${directory}/test/proof/servers/main.js`)
process.exitCode = await main(process.argv.slice(2), stop.signal)
