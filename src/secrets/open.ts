import { join, parse, resolve } from 'node:path'
import { type ReadProblem, type ReadResult, readInside, realPath, statusOf } from '../config/read.ts'
import { decode } from '../config/source-file.ts'
import { type Checked, type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { Findings, type Wording } from '../model/findings.ts'
import { type ReadSecret, SECRET_PREFIX, Secret, type ValueProblem } from '../model/secret.ts'
import { readSecretFile } from './texts.ts'

/** Where secrets come from. */
export interface OpenSecretsOptions {
  readonly cwd: string
  /** `all` reads standard input; absent if nothing is piped into it. */
  readonly input?: () => { readonly all?: () => Promise<string> }
  /** Used if the source does not have a name. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The secrets of a run. A value is read only on request. */
export interface RunSecrets {
  readonly secretOf: ReadSecret
  readonly sourceOf: (name: string, allowEmpty?: boolean) => 'source' | 'environment' | undefined
  /** Every value that this run knows: all of a file, all of the environment, and those with these names of a directory. */
  readonly all: (names: readonly string[]) => readonly (readonly [name: string, value: Secret])[]
  /** Requested secrets that are in the source and cannot be read. The environment never replaces them. */
  readonly problems: () => readonly Diagnostic[]
}

/** Larger sources are not read. */
const LARGEST_SOURCE = 8 * 1024 * 1024

/**
 * Opens the source that `--secrets` names: a file, a directory, or `-` for standard input; without it, only the environment is
 * used. Mistakes are reported without quoting the source.
 */
export async function openSecrets(
  written: string | undefined,
  options: OpenSecretsOptions,
): Promise<Checked<RunSecrets>> {
  const findings = new Findings()
  const source = await openSource(written, options, findings)
  const diagnostics = findings.sorted()
  const value = hasErrors(diagnostics) ? undefined : runSecrets(source, options.env, written)
  return { value, diagnostics }
}

/** The secrets of a run without `--secrets`. */
export const secretsFromEnvironment = (env: OpenSecretsOptions['env']): RunSecrets => runSecrets(NOTHING, env)

/** All values of a source, or how to find one by its name in a source that is not read as a whole. */
type SecretSource = ReadonlyMap<string, Secret> | ((name: string) => SecretLookup)

async function openSource(
  written: string | undefined,
  { cwd, input }: OpenSecretsOptions,
  findings: Findings,
): Promise<SecretSource> {
  if (written === undefined) return NOTHING
  if (written === '-') return await readInput(input, findings)
  const path = resolve(cwd, written)
  const status = statusOf(path)
  const real = realPath(path)
  if (status?.isDirectory() && real !== undefined) return name => secretInDirectory(real, name)
  // Checked before it is opened, because opening a device may already have an effect.
  const result: ReadResult =
    status === undefined || status.isFile()
      ? readInside(parse(path).root, path, LARGEST_SOURCE)
      : { problem: 'not-a-file' }
  if (!('problem' in result)) return readSecretFile(written, result.bytes, findings)
  const [code, message, hint] = PROBLEMS[result.problem]
  // What there is not may be a secret itself, in place of a path.
  const named = status === undefined ? 'The source' : JSON.stringify(written)
  findings.error(code, `--secrets: ${named} ${message}.`, hint)
  return NOTHING
}

const NOTHING: ReadonlyMap<string, Secret> = new Map()

async function readInput(
  input: OpenSecretsOptions['input'],
  findings: Findings,
): Promise<ReadonlyMap<string, Secret>> {
  const text = await input?.().all?.().catch(unreadable)
  if (text === undefined)
    findings.error('bad-usage', '--secrets -: nothing is piped into standard input.', PIPE)
  else if (text === false) findings.error('unreadable-file', '--secrets -: standard input cannot be read.')
  else if (Buffer.byteLength(text) > LARGEST_SOURCE)
    findings.error('file-limit', `--secrets -: standard input ${TOO_LARGE}.`)
  // The replacement for invalid bytes: a value that contains it is not the intended one.
  else if (text.includes('\ufffd'))
    findings.error('unreadable-file', '--secrets -: standard input is not UTF-8 text.')
  else return readSecretFile('standard input', Buffer.from(text), findings)
  return NOTHING
}

/** `false` for a failure of the system; anything else is a bug, and thrown. */
function unreadable(error: unknown): false {
  if (error instanceof Error && 'syscall' in error) return false
  throw error
}

const TOO_LARGE = `is larger than ${LARGEST_SOURCE} bytes`
const PIPE = 'Pipe secrets in: `sops -d secrets.yaml | setpoint apply --secrets -`.'
const NOT_A_VALUE =
  'Pass the path of a file or a directory, or - for standard input. Never pass a secret itself: other programs can read the arguments of a command.'
const PROBLEMS: Readonly<Record<ReadProblem, Wording>> = {
  missing: ['unreadable-file', 'does not exist', NOT_A_VALUE],
  outside: ['unreadable-file', 'cannot be read', undefined],
  unreadable: ['unreadable-file', 'cannot be read', undefined],
  'not-a-file': ['unreadable-file', 'is neither a regular file nor a directory', PIPE],
  'too-large': ['file-limit', TOO_LARGE, undefined],
}

function runSecrets(source: SecretSource, env: OpenSecretsOptions['env'], written?: string): RunSecrets {
  const problems = new Map<string, Diagnostic>()
  const environment = inEnvironment(env)
  const inSource = (name: string): SecretLookup =>
    typeof source === 'function' ? source(name) : source.get(name)
  const find = (name: string, allowEmpty = false) => {
    const found = inSource(name)
    if (found !== undefined && !(found instanceof Secret)) {
      const message = `${name} in ${JSON.stringify(written)} cannot be used. ${found.message}`
      problems.set(name, mistake('unreadable-file', message, found.hint))
      return undefined
    }
    const candidates = [
      { from: 'source', value: found },
      { from: 'environment', value: environment.get(name) },
    ] as const
    return candidates.find(({ value }) => value !== undefined && (allowEmpty || !value.isEmpty))
  }
  return {
    secretOf: (name, allowEmpty) => find(name, allowEmpty)?.value,
    sourceOf: (name, allowEmpty) => find(name, allowEmpty)?.from,
    all: names => [
      ...(typeof source === 'function' ? inDirectory(source, [...names, ...environment.keys()]) : source),
      ...environment,
    ],
    problems: () => [...problems.values()],
  }
}

const inEnvironment = (env: OpenSecretsOptions['env']): ReadonlyMap<string, Secret> =>
  new Map(
    Object.entries(env).flatMap(([name, text]) =>
      name.startsWith(SECRET_PREFIX) && text !== undefined
        ? [[name.slice(SECRET_PREFIX.length), new Secret(text)]]
        : [],
    ),
  )

const inDirectory = (
  source: (name: string) => SecretLookup,
  names: readonly string[],
): (readonly [name: string, value: Secret])[] =>
  [...new Set(names)].flatMap(name => {
    const found = source(name)
    return found instanceof Secret ? [[name, found] as const] : []
  })

/** The result of looking up a name: its value, why it cannot be read, or nothing. */
type SecretLookup = Secret | ValueProblem | undefined

/** Far more than a variable can have: HCP Terraform accepts 256 KB (docs/service.md 11.2). */
const LARGEST_TEXT = 1024 * 1024

/** The names of secrets in the schema of set files. Without dots, they are no hidden files and cannot leave the directory. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Looks up a name in a directory with one file for each name, as secrets are mounted into a container; `root` is its real path.
 * Links are followed inside the directory, because a mount links each name to `..data/NAME`.
 */
function secretInDirectory(root: string, name: string): SecretLookup {
  if (!NAME.test(name)) return undefined
  const result = readInside(root, join(root, name), LARGEST_TEXT)
  if ('problem' in result) {
    const problem = FILE_PROBLEMS[result.problem]
    return problem === undefined ? undefined : { message: `Its file ${problem}.` }
  }
  const text = decode(result.bytes)
  if (text === undefined) return { message: 'Its file is not UTF-8 text.', hint: 'Encode it as base64.' }
  const value = new Secret(text.replace(/\r?\n$/, ''))
  return value.problem ?? value
}

const FILE_PROBLEMS: Readonly<Record<ReadProblem, string | undefined>> = {
  missing: undefined,
  outside: 'is a link that leads outside the directory',
  'not-a-file': 'is not a regular file',
  'too-large': `is larger than ${LARGEST_TEXT} bytes`,
  unreadable: 'cannot be read',
}
