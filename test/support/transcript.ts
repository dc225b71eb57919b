import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createShell, type ShellOptions } from './shell.ts'

/** A fenced block of a Markdown document. */
export interface Fence {
  readonly language: string
  readonly body: string
}

/** The first command in a new sandbox says what it made. */
const MADE = /^The sandbox made .*\n/

const FENCE = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm

export const fencesOf = (document: string): Fence[] =>
  [...document.matchAll(FENCE)].map(([, , language = '', body = '']) => ({ language, body }))

/** The commands of a document, in order. */
export const commandsOf = (document: string): string[] =>
  fencesOf(document).flatMap(({ language, body }) => {
    if (language === 'sh') return body.trimEnd().split('\n')
    return language === 'console' ? body.split('\n').flatMap(line => line.match(/^\$ (.*)$/)?.[1] ?? []) : []
  })

/** The file that a block shows: its first line is `# path`. */
export const fileNameOf = ({ body }: Fence): string | undefined => body.match(/^# (\S+\.ya?ml)\n/)?.[1]

/**
 * Runs a document in `cwd`, and returns the document with the real output. A `yaml` block with the first line `# path` is
 * written to that path. `$` lines of a `console` block run, and their output replaces the text below them. Lines of an `sh`
 * block run and show nothing. A command that fails is a mistake, unless `$ echo $?` follows. Output that begins with exactly
 * the plan that was shown last has `…` in its place, if that plan has changes.
 */
export async function replay(document: string, options: ShellOptions): Promise<string> {
  const shell = createShell(options)
  let result = ''
  let at = 0
  let digest: string | undefined
  let plan = ''
  let failed: string | undefined

  async function runLine(line: string): Promise<string> {
    const command = withDigest(line)
    const shown = await runUnseen(command)
    digest = shown.match(/^BLOCKED .* --approve ([0-9a-f]{64})$/m)?.[1] ?? digest
    const isRepeated = plan !== '' && shown.startsWith(plan)
    const short = isRepeated ? `…\n${shown.slice(plan.length)}` : shown
    if (/^setpoint plan\b/.test(command))
      plan = shown.includes('\nNo changes.') ? '' : shown.replace(MADE, '')
    return `$ ${command}\n${short}`
  }

  /** Uses the digest of the last blocked plan, because the digest in the document may be of an older plan. */
  const withDigest = (line: string): string =>
    line.replace(/(--approve )[0-9a-f]{64}\b/, (all, flag) => (digest ? flag + digest : all))

  async function runUnseen(command: string): Promise<string> {
    if (failed !== undefined && command !== 'echo $?') throw new Error(`exit ${shell.code()}: ${failed}`)
    const shown = await shell.run(command)
    failed = shell.code() === 0 ? undefined : `${command}\n${shown}`
    return shown
  }

  for (const match of document.matchAll(FENCE)) {
    const [whole, ticks, language = '', body = ''] = match
    const file = fileNameOf({ language, body })
    let shown = whole
    if (language === 'yaml' && file !== undefined) write(join(options.cwd, file), body)
    if (language === 'sh') {
      const lines = body.trimEnd().split('\n').map(withDigest)
      for (const line of lines) await runUnseen(line)
      shown = `${ticks}sh\n${lines.join('\n')}\n${ticks}`
    }
    if (language === 'console') {
      const lines = body.split('\n').filter(line => line.startsWith('$ '))
      shown = `${ticks}console\n`
      for (const line of lines) shown += await runLine(line.slice(2))
      shown += ticks
    }
    result += document.slice(at, match.index) + shown
    at = match.index + whole.length
  }
  if (failed !== undefined) throw new Error(`exit ${shell.code()}: ${failed}`)
  return result + document.slice(at)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Compares a document with its real output. UPDATE_GOLDEN=1 updates the document. */
export function expectDocument(path: string, wanted: string): void {
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, wanted)
  expect(readFileSync(path, 'utf8')).toBe(wanted)
}

const EXAMPLE = /^<!-- example: ([\w-]+) -->\n([\s\S]*?)^<!-- \/example -->$/gm

/** The names of the examples of a page: each runs in a directory of its own, from `<!-- example: NAME -->` to its end. */
export const examplesOf = (document: string): string[] =>
  [...document.matchAll(EXAMPLE)].map(([, name = '']) => name)

/** The text of one example of a page. */
export function exampleIn(path: string, name: string): string {
  const found = [...readFileSync(path, 'utf8').matchAll(EXAMPLE)].find(([, title]) => title === name)
  if (found === undefined) throw new RangeError(`${path} has no example "${name}".`)
  return found[2] ?? ''
}

/** Compares one example of a page with its real output, which `run` makes of its text. */
export async function expectExample(
  path: string,
  name: string,
  run: (text: string) => Promise<string>,
): Promise<void> {
  const wanted = await run(exampleIn(path, name))
  const page = readFileSync(path, 'utf8')
  expectDocument(
    path,
    page.replace(EXAMPLE, (whole, title, text) =>
      title === name ? whole.replace(text, () => wanted) : whole,
    ),
  )
}
