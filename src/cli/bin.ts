#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { packageVersion } from './package-files.ts'

/**
 * The entry: as little as the version needs. All else is loaded once there is a cache of compiled code, because only what is
 * loaded after that is kept in it.
 */
const version = packageVersion()
const [first] = process.argv.slice(2)
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

if (first === '--version' || first === '-V') say(version)
else void start()

/** Without the stream, which takes as long to open as all else that is done here. */
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
  // The first process of a container gets no signal that it does not listen to, and loading takes a moment.
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

/** `undefined` where neither the environment nor the system knows one: a container that runs as a number without a name. */
function homeDirectory(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir()
  } catch {
    return undefined
  }
}

/**
 * Node 22.1 and later keep what they compiled for the next start. Where users share a machine, the platform's own choice,
 * a folder of all of them in the place of temporary files, may be another user's: ours is under the home directory.
 * `NODE_COMPILE_CACHE` names another, and `NODE_DISABLE_COMPILE_CACHE` switches it off.
 */
function cacheCompiledCode(home: string | undefined): void {
  const library: object = process.getBuiltinModule('node:module')
  if (!('enableCompileCache' in library) || typeof library.enableCompileCache !== 'function') return
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const folder = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : home && `${home}/.cache`
  const cache = NODE_COMPILE_CACHE || (folder && `${folder}/setpoint`)
  if (cache) library.enableCompileCache(cache)
}
