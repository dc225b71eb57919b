import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Sink } from '../../src/cli/io.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { run } from './program.ts'

/** Whoever reads a document has told Git who they are. */
const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'commit.gpgsign=false']

export interface ShellOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The real values for `export NAME=…` that a document cannot know: an address, a token. */
  readonly standIns?: Readonly<Record<string, string>>
  /** Commands that are not run. */
  readonly leftOut?: readonly string[]
  /** A service in place of the network. */
  readonly transport?: Transport
}

/** Runs one line of a document and returns what a terminal would show. */
export interface Shell {
  readonly run: (line: string) => Promise<string>
  /** Exit code of the last command. */
  readonly code: () => number
}

/** The arguments that a real shell makes of a printed command of setpoint. */
export const shellWords = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

/**
 * The part of a shell that the documents use: `&&`, quotes, `>`, `$?`, `export`, `cp a/* b/`, `mv`, `cat`, `git`; `setpoint` itself runs in
 * this process. Questions are answered with yes. Anything else throws, so that a document cannot show a command that never ran.
 */
export function createShell(options: ShellOptions): Shell {
  const { cwd, env = {}, standIns = {}, leftOut = [], transport } = options
  const variables: Record<string, string> = { ...env }
  let last = 0

  async function runOne(command: string): Promise<string> {
    if (leftOut.includes(command)) return ''
    const { words, target } = wordsOf(command, last)
    const given: Record<string, string> = {}
    while (/^[A-Z_]+=/.test(words[0] ?? '')) Object.assign(given, assignment(words.shift() ?? ''))
    const [program, ...rest] = words
    if (program === 'setpoint') return await setpoint(rest, { ...variables, ...given }, target)
    last = 0
    switch (program) {
      case 'npm':
        // `npm run demo` builds first; here the sources run.
        if (rest.join(' ') !== 'run demo') break
        return await setpoint(['demo'], variables, target)
      case 'git':
        execFileSync('git', [...IDENTITY, ...rest], { cwd, stdio: 'pipe' })
        return ''
      case 'export':
        for (const word of rest) Object.assign(variables, assignment(word))
        return ''
      case 'echo':
        return `${rest.join(' ')}\n`
      case 'cat':
        return rest.map(path => readFileSync(join(cwd, path), 'utf8')).join('')
      case 'cp':
        copy(rest)
        return ''
      case 'mv':
        renameSync(join(cwd, rest[0] ?? ''), join(cwd, rest[1] ?? ''))
        return ''
    }
    throw new Error(`this shell does not support: ${command}`)
  }

  function assignment(word: string): Record<string, string> {
    const at = word.indexOf('=')
    const name = word.slice(0, at)
    return { [name]: standIns[name] ?? word.slice(at + 1) }
  }

  function copy([from = '', to = '']: readonly string[]): void {
    const folder = from.replace(/\/\*$/, '')
    const names = from === folder ? [basename(from)] : readdirSync(join(cwd, folder))
    for (const name of names)
      copyFileSync(join(cwd, from === folder ? from : join(folder, name)), join(cwd, to, name))
  }

  async function setpoint(
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    target: string | undefined,
  ): Promise<string> {
    const screen: string[] = []
    const file: string[] = []
    const sink = (to: string[]): Sink => ({
      write: text => void to.push(text),
      terminal: false,
      columns: 120,
    })
    const ask = async (question: string): Promise<string> => {
      screen.push(`${question}yes\n`)
      return 'yes'
    }
    const stdout = sink(target === undefined ? screen : file)
    const service = transport === undefined ? {} : { transport }
    const io = { stdout, stderr: sink(screen), input: () => ({ ask }), ...service }
    last = (await run(argv, { cwd, env, io })).code
    if (target !== undefined) writeFileSync(join(cwd, target), file.join(''))
    return screen.join('')
  }

  return {
    run: async line => {
      let shown = ''
      for (const command of line.split(' && ')) {
        shown += await runOne(command.trim())
        if (last !== 0) break
      }
      return shown
    },
    code: () => last,
  }
}

/** The words of a command without their quotes, and the file of `> file`. */
function wordsOf(command: string, last: number): { words: string[]; target?: string } {
  const words = [...command.replace(/\s+#\s.*$/, '').matchAll(/'[^']*'|(?:"[^"]*"|[^\s"'])+/g)].map(
    ([word]) =>
      word.startsWith("'") ? word.slice(1, -1) : word.replaceAll('"', '').replaceAll('$?', String(last)),
  )
  const at = words.indexOf('>')
  if (at === -1) return { words }
  const [, target] = words.splice(at, 2)
  return target === undefined ? { words } : { words, target }
}
