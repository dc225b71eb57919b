import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { describe, expect, test } from 'vitest'
import { type OpenSecretsOptions, openSecrets, type RunSecrets } from '../../src/secrets/open.ts'
import { aDirectory } from '../support/program.ts'
import { titled } from '../support/skipped.ts'

const isRoot = getuid?.() === 0

type Files = Readonly<Record<string, string>>

interface Opened {
  readonly cwd: string
  readonly secrets: RunSecrets | undefined
  readonly said: readonly string[]
}

async function open(
  source: string | undefined,
  { files = {}, env = {}, ...other }: { files?: Files; env?: Files } & Partial<OpenSecretsOptions> = {},
): Promise<Opened> {
  const cwd = other.cwd ?? aDirectory(files)
  const { value, diagnostics } = await openSecrets(source, {
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [`SETPOINT_SECRET_${name}`, text])),
    ...other,
    cwd,
  })
  return { cwd, secrets: value, said: diagnostics.map(({ code, message }) => `${code} ${message}`) }
}

/** Each name with its value and the place where it was found. */
const found = ({ secrets }: Opened, ...names: readonly string[]) =>
  names.map(name => `${name}: ${secrets?.secretOf(name)?.reveal()} ${secrets?.sourceOf(name)}`)

const problems = ({ secrets }: Opened) =>
  secrets?.problems().map(({ severity, code, message }) => `${severity} ${code} ${message}`)

describe('sources of secrets', () => {
  test('without --secrets, only the environment is used', async () => {
    const opened = await open(undefined, { env: { A: 'env' }, files: { A: 'file', '.env': 'B=file' } })
    expect(found(opened, 'A', 'B')).toEqual(['A: env environment', 'B: undefined undefined'])
  })

  test('the source comes first, then the environment', async () => {
    const opened = await open('s.env', {
      files: { 's.env': 'A=file\nB=file\n' },
      env: { B: 'env', C: 'env' },
    })
    expect(found(opened, 'A', 'B', 'C', 'D')).toEqual([
      'A: file source',
      'B: file source',
      'C: env environment',
      'D: undefined undefined',
    ])
  })

  test('all values of a run are those of the environment, and of the source as far as it can be listed', async () => {
    const files = { 's/A': 'file', 's/B': 'file', 's/C': 'file', 's.env': 'A=file\nB=file\nC=file\n' }
    const allOf = async (source: string | undefined) =>
      (await open(source, { files, env: { B: 'env', D: 'env' } })).secrets
        ?.all(['A'])
        .map(([name, value]) => `${name}: ${value.reveal()}`)
        .toSorted()
    expect(await allOf(undefined)).toEqual(['B: env', 'D: env'])
    expect(await allOf('s.env')).toEqual(['A: file', 'B: env', 'B: file', 'C: file', 'D: env'])
    // Nobody asks for C, and a directory may have thousands of files.
    expect(await allOf('s')).toEqual(['A: file', 'B: env', 'B: file', 'D: env'])
  })

  test('an empty value counts as missing in both, unless it is allowed', async () => {
    const opened = await open('s.env', { files: { 's.env': 'A=\nB=\n' }, env: { A: 'env', C: '' } })
    expect(found(opened, 'A', 'B', 'C')).toEqual([
      'A: env environment',
      'B: undefined undefined',
      'C: undefined undefined',
    ])
    const allowed = (name: string) => [
      opened.secrets?.secretOf(name, true)?.reveal(),
      opened.secrets?.sourceOf(name, true),
    ]
    expect(['A', 'B', 'C', 'D'].map(allowed)).toEqual([
      ['', 'source'],
      ['', 'source'],
      ['', 'environment'],
      [undefined, undefined],
    ])
  })

  test('names such as toString or __proto__ have no special meaning', async () => {
    const opened = await open('s.json', { files: { 's.json': '{"toString": "x"}' } })
    expect(found(opened, 'toString', 'constructor', '__proto__')).toEqual([
      'toString: x source',
      'constructor: undefined undefined',
      '__proto__: undefined undefined',
    ])
  })
})

describe('a file', () => {
  test('is found relative to the current directory, by its absolute path, and through a link', async () => {
    const { cwd } = await open(undefined, { files: { 'in/s.yaml': 'A: b\n' } })
    symlinkSync('in/s.yaml', join(cwd, 'link'))
    for (const source of ['in/s.yaml', join(cwd, 'in/s.yaml'), 'in/../link'])
      expect(found(await open(source, { cwd }), 'A')).toEqual(['A: b source'])
  })

  test('that is malformed is reported with its place, and gives no secrets', async () => {
    const files = { 's.env': 'A=b\nhunter2\n' }
    const { value, diagnostics } = await openSecrets('./s.env', {
      cwd: aDirectory(files),
      env: { SETPOINT_SECRET_A: 'x' },
    })
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'secret-syntax',
        message: 'This line is not NAME=value.',
        hint: "Put a value of several lines in single quotes: NAME='value'. A comment begins with #.",
        source: { path: './s.env', line: 2, column: 1 },
      },
    ])
  })

  test('that does not exist, is no regular file, or is too large is refused', async () => {
    const cwd = aDirectory()
    writeFileSync(join(cwd, 'large'), 'A=b\n')
    truncateSync(join(cwd, 'large'), 8 * 1024 * 1024 + 1)
    execFileSync('mkfifo', [join(cwd, 'fifo')])
    symlinkSync('nowhere', join(cwd, 'broken'))
    const said = async (source: string) => (await open(source, { cwd })).said
    expect(await said('none')).toEqual(['unreadable-file --secrets: The source does not exist.'])
    expect(await said('broken')).toEqual(['unreadable-file --secrets: The source does not exist.'])
    expect(await said('large')).toEqual(['file-limit --secrets: "large" is larger than 8388608 bytes.'])
    expect(await said('fifo')).toEqual([
      'unreadable-file --secrets: "fifo" is neither a regular file nor a directory.',
    ])
    expect(await said('/dev/null')).toEqual([
      'unreadable-file --secrets: "/dev/null" is neither a regular file nor a directory.',
    ])
  })

  test.skipIf(isRoot)(
    titled('without read permission is refused', isRoot, 'root may read every file'),
    async () => {
      const cwd = aDirectory({ s: 'A=b\n' })
      chmodSync(join(cwd, 's'), 0)
      expect((await open('s', { cwd })).said).toEqual(['unreadable-file --secrets: "s" cannot be read'])
    },
  )
})

describe('standard input', () => {
  const piped = (text: string) => ({ input: () => ({ all: async () => text }) })

  test.each([
    ['JSON', '{"A": "b"}'],
    ['YAML', 'A: b\n'],
    ['dotenv', 'A=b\n'],
  ])('may contain %s', async (_, text) => {
    expect(found(await open('-', piped(text)), 'A')).toEqual(['A: b source'])
  })

  test('is named as the place of an error', async () => {
    const { diagnostics } = await openSecrets('-', {
      cwd: '.',
      env: {},
      ...piped('A: [hunter2]'),
    })
    expect(diagnostics.map(({ source }) => source)).toEqual([{ path: 'standard input', line: 1, column: 4 }])
  })

  test('that is a terminal, fails, is empty, too large or not UTF-8 is refused', async () => {
    expect((await open('-')).said).toEqual(['bad-usage --secrets -: nothing is piped into standard input.'])
    const broken = await open('-', {
      input: () => ({
        all: () => Promise.reject(Object.assign(new Error('EIO hunter2'), { syscall: 'read' })),
      }),
    })
    expect(broken.said).toEqual(['unreadable-file --secrets -: standard input cannot be read.'])
    expect((await open('-', piped(''))).said).toEqual(['missing-key The source of secrets is empty.'])
    expect((await open('-', piped('x'.repeat(8 * 1024 * 1024 + 1)))).said).toEqual([
      'file-limit --secrets -: standard input is larger than 8388608 bytes.',
    ])
    expect((await open('-', piped('A=\ufffd'))).said).toEqual([
      'unreadable-file --secrets -: standard input is not UTF-8 text.',
    ])
  })

  test('is not read without --secrets -', async () => {
    const input = () => ({ all: (): Promise<string> => Promise.reject(new Error('read')) })
    expect((await open(undefined, { input })).said).toEqual([])
  })
})

describe('a directory', () => {
  /** A directory as a container mounts secrets: each name is a link to `..data`, which is a link to the current version. */
  function mount(versions: Readonly<Record<string, Files>>, current: string): string {
    const cwd = aDirectory()
    for (const [version, files] of Object.entries(versions)) {
      mkdirSync(join(cwd, version))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, version, name), text)
    }
    symlinkSync(current, join(cwd, '..data'))
    for (const name of Object.keys(versions[current] ?? {})) symlinkSync(`..data/${name}`, join(cwd, name))
    return cwd
  }

  test('contains one file per name, which is read when it is needed, in the current version of a mount', async () => {
    const cwd = mount({ '..1': { A: 'old' }, '..2': { A: 'new' } }, '..1')
    const opened = await open(cwd)
    expect(found(opened, 'A')).toEqual(['A: old source'])
    symlinkSync('..2', join(cwd, '..next'))
    renameSync(join(cwd, '..next'), join(cwd, '..data'))
    expect(found(opened, 'A')).toEqual(['A: new source'])
  })

  test('is relative to the current directory, and the environment is used for missing files', async () => {
    const opened = await open('in', { files: { 'in/A': 'b' }, env: { A: 'env', B: 'env' } })
    expect(found(opened, 'A', 'B')).toEqual(['A: b source', 'B: env environment'])
  })

  test('one final newline of a file is ignored, and other whitespace is kept', async () => {
    const files = { A: 'b\n', B: 'b\r\n', C: 'b\n\n', D: ' b', E: 'x\ny', F: '\n', G: '' }
    const { secrets } = await open('.', { files })
    expect(Object.keys(files).map(name => secrets?.secretOf(name)?.reveal())).toEqual([
      'b',
      'b',
      'b\n',
      ' b',
      'x\ny',
      undefined,
      undefined,
    ])
  })

  test('ignores dot files and invalid names', async () => {
    const opened = await open('in', { files: { 'in/.A': 'x', 'in/a-b': 'x', outside: 'x', 'in/sub/A': 'x' } })
    expect(found(opened, '.A', 'a-b', '../outside', 'sub/A', '..data', '')).toEqual(
      ['.A', 'a-b', '../outside', 'sub/A', '..data', ''].map(name => `${name}: undefined undefined`),
    )
    expect(problems(opened)).toEqual([])
  })

  test('an unreadable file is reported, and the environment is not used instead', async () => {
    const cwd = aDirectory({
      'in/LATIN': '',
      'in/SEALED': 'ENC[AES256_GCM,data:x]',
      'in/SUB/x': '',
      outside: 'hunter2',
    })
    writeFileSync(join(cwd, 'in/LATIN'), Buffer.from([0x68, 0xfc]))
    writeFileSync(join(cwd, 'in/LARGE'), '')
    truncateSync(join(cwd, 'in/LARGE'), 1024 * 1024 + 1)
    execFileSync('mkfifo', [join(cwd, 'in/FIFO')])
    symlinkSync('../outside', join(cwd, 'in/OUTSIDE'))
    symlinkSync('/dev/zero', join(cwd, 'in/DEVICE'))
    symlinkSync('nowhere', join(cwd, 'in/GONE'))
    const names = ['LATIN', 'SEALED', 'SUB', 'LARGE', 'FIFO', 'OUTSIDE', 'DEVICE']
    const opened = await openSecrets('in', {
      cwd,
      env: Object.fromEntries([...names, 'GONE'].map(name => [`SETPOINT_SECRET_${name}`, 'env'])),
    })
    expect(names.map(name => opened.value?.secretOf(name)?.reveal())).toEqual(names.map(() => undefined))
    expect(opened.value?.secretOf('GONE')?.reveal()).toBe('env')
    expect(opened.value?.problems().map(({ message }) => message)).toEqual([
      'LATIN in "in" cannot be used. Its file is not UTF-8 text.',
      'SEALED in "in" cannot be used. The value is still encrypted by SOPS.',
      'SUB in "in" cannot be used. Its file is not a regular file.',
      'LARGE in "in" cannot be used. Its file is larger than 1048576 bytes.',
      'FIFO in "in" cannot be used. Its file is not a regular file.',
      'OUTSIDE in "in" cannot be used. Its file is a link that leads outside the directory.',
      'DEVICE in "in" cannot be used. Its file is a link that leads outside the directory.',
    ])
    // A second lookup does not report the problem again.
    opened.value?.secretOf('LATIN')
    expect(opened.value?.problems()).toHaveLength(names.length)
  })
})
