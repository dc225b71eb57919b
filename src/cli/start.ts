import { writeFileSync } from 'node:fs'
import { packageVersion } from '../run/package-files.ts'

/**
 * The entry loads only what `--version` needs. The rest is imported after the cache of compiled code is on, because the cache
 * keeps only later imports.
 */
const version = packageVersion()
const [first] = process.argv.slice(2)
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

if (first === '--version' || first === '-V') say(version)
else void start()

/** Writes without opening the stream, which takes as long as everything else here. */
function say(text: string): void {
  try {
    writeFileSync(1, `${text}\n`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'error'
    process.stderr.write(`setpoint: the output could not be written (${code})\n`)
    process.exitCode = 1
  }
}

async function start(): Promise<void> {
  const home = homeDirectory()
  // A container's first process gets only signals that it listens to, and loading the program takes a moment.
  const early: ('SIGINT' | 'SIGTERM')[] = []
  const note = (signal: 'SIGINT' | 'SIGTERM') => void early.push(signal)
  for (const signal of SIGNALS) process.on(signal, note)
  cacheCompiledCode(home)
  const { runProgram } = await import('./run-program.ts')
  await runProgram(version, home, () => {
    for (const signal of SIGNALS) process.off(signal, note)
    return early
  })
}

/** `undefined` if neither the environment nor the system knows it, as for a container user with a number and no name. */
function homeDirectory(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir()
  } catch {
    return undefined
  }
}

/**
 * Node 22.1 and later cache compiled code for the next start. The platform's default directory is shared by all users of the
 * machine, so ours is below the home directory. `NODE_COMPILE_CACHE` sets another one, and `NODE_DISABLE_COMPILE_CACHE` turns
 * the cache off.
 */
function cacheCompiledCode(home: string | undefined): void {
  const library: object = process.getBuiltinModule('node:module')
  if (!('enableCompileCache' in library) || typeof library.enableCompileCache !== 'function') return
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const folder = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : home && `${home}/.cache`
  const cache = NODE_COMPILE_CACHE || (folder && `${folder}/setpoint`)
  if (cache) library.enableCompileCache(cache)
}
