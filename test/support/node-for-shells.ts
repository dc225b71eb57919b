import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { run } from './run.ts'

const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))

/** The built program. */
export const PROGRAM = resolve(import.meta.dirname, '../../dist/bundle/setpoint.js')
/** A `setpoint.js` in its place. */
export const INSTALLED_PROGRAM = `require(${JSON.stringify(PROGRAM)})`

/**
 * Runs the program in this process for shells: most of the time of a job went into starting Node. A client sends a line with the
 * name of a directory that holds `words` (each ends with a NUL) and `environment`; this writes `out`, `err`, and answers with the exit code.
 */
const server = createServer(socket => {
  socket.setEncoding('utf8').once('data', async (line: string) => {
    const directory = line.trimEnd()
    const listIn = (name: string): string[] =>
      readFileSync(join(directory, name), 'utf8').split('\0').slice(0, -1)
    const [cwd = '', ...words] = listIn('words')
    const env = Object.fromEntries(listIn('environment').map(one => one.split(/=(.*)/s).slice(0, 2)))
    try {
      const { code, stdout, stderr } = await run(words, { cwd, env, io: { version, now: () => new Date() } })
      writeFileSync(join(directory, 'out'), stdout)
      writeFileSync(join(directory, 'err'), stderr)
      socket.write(`${code}\n`)
    } finally {
      // If the program throws, the shell must not wait for ever: without a code it fails.
      socket.end()
    }
  })
})
const port = await new Promise<number>((done, fail) => {
  server.once('error', fail)
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    done(typeof address === 'object' && address !== null ? address.port : 0)
  })
})
server.unref()

/**
 * A `node` for PATH, in which the program is that of this process. Everything else is a real one, and so is the program if a
 * variable changes Node itself.
 */
export const NODE_FOR_SHELLS = `#!/bin/bash
if [ -n "$NODE_OPTIONS$NODE_EXTRA_CA_CERTS" ] || ! [ -f "$1" ] || ! [[ "$1" -ef '${PROGRAM}' || "$(< "$1")" = '${INSTALLED_PROGRAM}' ]]; then
  exec '${process.execPath}' "$@"
fi
shift
directory=$(mktemp -d)
printf '%s\\0' "$PWD" "$@" > "$directory/words"
env -0 > "$directory/environment"
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$directory" >&3
read -r code <&3 || exit 70
cat "$directory/out"
cat "$directory/err" >&2
rm -rf "$directory"
exit "$code"
`
