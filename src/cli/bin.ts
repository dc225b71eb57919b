#!/usr/bin/env node
import { readFileSync } from 'node:fs'

/**
 * The entry: as little as the version needs. All else is loaded once there is a cache of compiled code, because only what is
 * loaded after that is kept in it.
 */
const packageFile = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
const version = String(/"version":\s*"([^"]+)"/.exec(packageFile)?.[1])
const [first] = process.argv.slice(2)

if (first === '--version' || first === '-V') process.stdout.write(`${version}\n`)
else void start()

async function start(): Promise<void> {
  cacheCompiledCode()
  const { runProgram } = await import('./run-program.ts')
  await runProgram(version)
}

/**
 * Node 22.1 and later keep what they compiled for the next start. Where users share a machine, the platform's own choice,
 * a folder of all of them in the place of temporary files, may be another user's: ours is under the home directory.
 * `NODE_COMPILE_CACHE` names another, and `NODE_DISABLE_COMPILE_CACHE` switches it off.
 */
function cacheCompiledCode(): void {
  const library: object = process.getBuiltinModule('node:module')
  if (!('enableCompileCache' in library) || typeof library.enableCompileCache !== 'function') return
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const { homedir } = process.getBuiltinModule('node:os')
  const folder = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : `${homedir()}/.cache`
  library.enableCompileCache(NODE_COMPILE_CACHE || `${folder}/setpoint`)
}
