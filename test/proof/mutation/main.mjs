import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { compile, scratch } from '../compile.mjs'

/** Compiles the tests into a temporary directory, and judges a suite by mutations. */
const directory = scratch(`${process.pid}/mutation`)
process.once('exit', () => rmSync(dirname(directory), { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
compile(directory)
const { main } = await import(`${directory}/test/proof/mutation/main.js`)
process.exitCode = await main(process.argv.slice(2))
