import { type Stats, statSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { type ReadResult, readInside, realPath } from '../config/read.ts'
import { decode } from '../config/source-file.ts'
import { type Checked, type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import { Findings, type Wording } from '../model/findings.ts'
import { valueProblem } from './fault.ts'

/** Where a source is looked for, and what comes after it. */
export interface OpenSecretsOptions {
  readonly cwd: string
  /** `all` of the standard input; absent where nothing is piped into it. */
  readonly input?: () => { readonly all?: () => Promise<string> }
  /** Asked where the source does not have a name. */
  readonly environment: (name: string) => string | undefined
}

/** The secrets of a run. A text is read out only when it is asked for. */
export interface RunSecrets {
  /** The empty text counts as missing, in each of the two places, unless `allowEmpty`. */
  readonly textOf: (name: string, allowEmpty?: boolean) => string | undefined
  readonly placeOf: (name: string, allowEmpty?: boolean) => 'source' | 'environment' | undefined
  /** Every text that this run knows: all of a file, and of a directory or the environment what has one of these names. */
  readonly texts: (names: readonly string[]) => readonly (readonly [name: string, text: string])[]
  /** What was asked for, is in the source, and could not be read there. The environment never stands in for it. */
  readonly problems: () => readonly Diagnostic[]
}

/** Larger sources are not read. */
const LARGEST_SOURCE = 8 * 1024 * 1024

const STANDARD_INPUT = 'standard input'

/**
 * Opens what `--secrets` names: a file, a directory, or `-` for the standard input; without it the environment alone.
 * What is wrong with it is told without quoting any of it.
 */
export async function openSecrets(
  written: string | undefined,
  surroundings: OpenSecretsOptions,
): Promise<Checked<RunSecrets>> {
  const findings = new Findings()
  const source = await openSource(written, surroundings, findings)
  const diagnostics = findings.sorted()
  return {
    value: hasErrors(diagnostics) ? undefined : runSecrets(source, surroundings, written ?? ''),
    diagnostics,
  }
}

interface SecretStore {
  readonly find: (name: string) => SecretLookup
  /** What it holds beside what it is asked for. */
  readonly all: ReadonlyMap<string, string>
}

async function openSource(
  written: string | undefined,
  { cwd, input }: OpenSecretsOptions,
  findings: Findings,
): Promise<SecretStore> {
  if (written === undefined) return nothing
  if (written === '-') return fromMap(await readInput(input, findings))
  const path = resolve(cwd, written)
  const status = statusOf(path)
  const real = realPath(path)
  if (status?.isDirectory() && real !== undefined)
    return { find: name => textInDirectory(real, name), all: new Map() }
  // Asked before it is opened, for opening a device may already do something.
  const result: ReadResult =
    status === undefined || status.isFile()
      ? readInside(parse(path).root, path, LARGEST_SOURCE)
      : { problem: 'not-a-file' }
  if (!('problem' in result)) return fromMap(await textsIn(written, result.bytes, findings))
  const [code, message, hint] = PROBLEMS[result.problem]
  findings.error(code, undefined, `--secrets: ${quoted(written)} ${message}.`, hint)
  return nothing
}

const nothing: SecretStore = { find: () => undefined, all: new Map() }

/** The reader of sources brings the YAML package along, which most runs do without. */
async function textsIn(
  path: string,
  bytes: Uint8Array,
  findings: Findings,
): Promise<ReadonlyMap<string, string>> {
  const { readTexts } = await import('./texts.ts')
  return readTexts(path, bytes, findings)
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function fromMap(texts: ReadonlyMap<string, string>): SecretStore {
  const find = (name: string): SecretLookup => {
    const text = texts.get(name)
    return text === undefined ? undefined : { text }
  }
  return { find, all: texts }
}

async function readInput(
  input: OpenSecretsOptions['input'],
  findings: Findings,
): Promise<ReadonlyMap<string, string>> {
  const text = await input?.().all?.().catch(unreadable)
  if (text === undefined)
    findings.error('bad-usage', undefined, '--secrets -: nothing is piped into standard input.', PIPE)
  else if (text === false)
    findings.error('unreadable-file', undefined, '--secrets -: standard input cannot be read.')
  else if (Buffer.byteLength(text) > LARGEST_SOURCE)
    findings.error('file-limit', undefined, `--secrets -: standard input ${TOO_LARGE}.`)
  // What stands in for bytes that are no character: a value with it is not the value that was meant.
  else if (text.includes('\ufffd'))
    findings.error('unreadable-file', undefined, '--secrets -: standard input is not UTF-8 text.')
  else return await textsIn(STANDARD_INPUT, Buffer.from(text), findings)
  return new Map()
}

/** A failure of the system; a bug goes on. */
function unreadable(error: unknown): false {
  if (error instanceof Error && 'syscall' in error) return false
  throw error
}

const TOO_LARGE = `is larger than ${LARGEST_SOURCE} bytes`
const PIPE = 'Pipe secrets in: `sops -d secrets.yaml | setpoint apply --secrets -`.'
const PROBLEMS: Readonly<Record<Extract<ReadResult, { problem: string }>['problem'], Wording>> = {
  missing: ['unreadable-file', 'does not exist'],
  outside: ['unreadable-file', 'cannot be read'],
  unreadable: ['unreadable-file', 'cannot be read'],
  'not-a-file': ['unreadable-file', 'is neither a regular file nor a directory', PIPE],
  'too-large': ['file-limit', TOO_LARGE],
}
const quoted = (text: string): string => JSON.stringify(text)

function runSecrets(source: SecretStore, { environment }: OpenSecretsOptions, written: string): RunSecrets {
  const problems = new Map<string, Diagnostic>()
  const find = (name: string, allowEmpty = false) => {
    const counts = (text: string | undefined): text is string =>
      text !== undefined && (text !== '' || allowEmpty)
    const found = source.find(name)
    if (found !== undefined && 'problem' in found) {
      problems.set(name, problemOf(name, found, written))
      return undefined
    }
    if (counts(found?.text)) return { text: found.text, place: 'source' } as const
    const text = environment(name)
    return counts(text) ? ({ text, place: 'environment' } as const) : undefined
  }
  return {
    textOf: (name, allowEmpty) => find(name, allowEmpty)?.text,
    placeOf: (name, allowEmpty) => find(name, allowEmpty)?.place,
    texts: names => [
      ...source.all,
      ...names.flatMap(name => {
        const found = source.find(name)
        const texts = [found !== undefined && 'text' in found ? found.text : undefined, environment(name)]
        return texts.flatMap(text => (text === undefined ? [] : [[name, text] as const]))
      }),
    ],
    problems: () => [...problems.values()],
  }
}

const problemOf = (
  name: string,
  { problem, hint }: Extract<SecretLookup, { problem: string }>,
  written: string,
): Diagnostic => ({
  severity: 'error',
  code: 'unreadable-file',
  message: `${name} in ${quoted(written)} cannot be used. ${problem}`,
  ...(hint === undefined ? {} : { hint }),
})

/** What a source says of one name: its text, why it cannot be had, or nothing. */
type SecretLookup =
  | { readonly text: string }
  | { readonly problem: string; readonly hint?: string }
  | undefined

/** A secret is a value of a variable; the known real service takes 256 KB (docs/service.md 11.2). */
const LARGEST_TEXT = 1024 * 1024

/** Names of secrets as the schema of set files has them: no dot, so no hidden file and no way out. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * A directory with one file a name, as secrets are mounted into a container; `root` is its real path. A file is read
 * when its name is asked for. Links are followed inside the directory: a mount points each name at `..data/NAME`.
 */
function textInDirectory(root: string, name: string): SecretLookup {
  if (!NAME.test(name)) return undefined
  const result = readInside(root, join(root, name), LARGEST_TEXT)
  if ('problem' in result)
    return result.problem === 'missing'
      ? undefined
      : { problem: `Its file ${FILE_PROBLEMS[result.problem]}.` }
  const text = decode(result.bytes)
  if (text === undefined) return { problem: 'Its file is not UTF-8 text.', hint: 'Encode it as base64.' }
  const value = text.replace(/\r?\n$/, '')
  const fault = valueProblem(value)
  return fault === undefined
    ? { text: value }
    : { problem: fault.message, ...(fault.hint === undefined ? {} : { hint: fault.hint }) }
}

const FILE_PROBLEMS: Readonly<
  Record<Exclude<Extract<ReadResult, { problem: string }>['problem'], 'missing'>, string>
> = {
  outside: 'is a link that leads outside the directory',
  'not-a-file': 'is not a regular file',
  'too-large': `is larger than ${LARGEST_TEXT} bytes`,
  unreadable: 'cannot be read',
}
