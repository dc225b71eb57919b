import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a directory and those above it that are missing. Node's own recursive way never ends below `/proc`. */
export function makeDirectory(path: string): void {
  const missing: string[] = []
  for (let at = path; !isThere(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  for (const directory of missing.reverse()) make(directory)
}

function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch {
    return false
  }
}

/** Nothing where somebody else was faster. */
function make(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
