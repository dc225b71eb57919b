#!/usr/bin/env node
/**
 * The entry only looks at the version of Node, in the words of an old one: everything else may not even load there. It imports
 * nothing itself, because imports come first.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19)) void import('./start.ts')
else {
  process.stderr.write(
    `setpoint needs Node 20.19 or newer, and of Node 22 at least 22.3. This is Node ${process.versions.node}.\n`,
  )
  process.exitCode = 1
}
