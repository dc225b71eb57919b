import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { type Ended, start } from '../support/child.ts'
import { aRepository, aTrap, FILES, git, runIn, traps, write } from '../support/hostile-repository.ts'
import { aDirectory, type Ran } from '../support/program.ts'

/** A credential that a pipeline left in the checkout, and that must not be printed. */
const CREDENTIAL = 'AUTHORIZATION: basic credential-of-the-checkout'

const reading = (file: string): string =>
  `variableSets:\n  a:\n    env:\n      A: { file: ${JSON.stringify(file)}, accept: [looks-like-a-secret] }\n`

/** A checkout with a set file that reads `file`. The credential is in that file and in `.git/config`. */
function reads(file: string, files: Readonly<Record<string, string>> = {}): string {
  const root = aRepository({
    'infra/setpoint.yaml': 'organization: acme\n',
    'infra/sets/a.yaml': reading(file),
    ...files,
  })
  write(root, { 'infra/sets/a.yaml': reading(file) })
  appendFileSync(join(root, '.git/config'), `[http "https://forge.example"]\n  extraheader = ${CREDENTIAL}\n`)
  return root
}

const validate = (root: string, ...args: readonly string[]): Promise<Ran> =>
  runIn(join(root, 'infra'), ['validate', '--resolved', ...args])

/** Refused at its line, without any of the file's contents in the output. */
function refused({ code, stdout, stderr }: Ran | Ended, diagnostic: string): void {
  const lines = stderr.replace(/\n {2}/g, '  ')
  expect([code, lines]).toEqual([1, expect.stringContaining(diagnostic)])
  expect(stdout + stderr).not.toContain(CREDENTIAL)
}

const NOT_TRACKED = 'infra/sets/a.yaml:4:18  error untracked-file  Git does not track '

describe('a value from a file', () => {
  test('may be any file of a commit, whose files are written to a directory that Git does not track', async () => {
    const root = aRepository()
    const directory = join(root, 'written/commit')
    write(directory, {
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': reading('../text'),
      text: 'x',
    })
    const load = (more: object) => loadDesired({ directory, environment: process.env, ...more })
    expect((await load({})).diagnostics.map(({ code }) => code)).toEqual(['untracked-file'])
    expect((await load({ root: directory })).diagnostics).toEqual([])
  })

  test.each([
    '../../.git/config',
    '../.././x/../.git/config',
    '../link',
    '../more/config',
    '../../.GIT/config',
    '../inner/.git/config',
    '../../.git',
  ])('is never a file of Git (%s)', async file => {
    const root = reads(file)
    symlinkSync('../.git/config', join(root, 'infra/link'))
    symlinkSync('../.git', join(root, 'infra/more'))
    write(root, { '.GIT/config': CREDENTIAL, 'infra/inner/.git/config': CREDENTIAL })
    if (file.endsWith('.git'))
      refused(
        await validate(root),
        'infra/sets/a.yaml:4:18  error unreadable-file  "../../.git" is not a regular file',
      )
    else
      refused(
        await validate(root),
        `infra/sets/a.yaml:4:18  error outside-repository  "${file}" belongs to Git itself`,
      )
  })

  test.each([
    ['validate'],
    ['plan', '--sandbox'],
    ['plan', '--sandbox', '--base', 'HEAD'],
    ['apply', '--sandbox', '--auto-approve'],
    ['drift', '--sandbox'],
    ['explain', '--sandbox', 'w'],
    ['export', '--sandbox', '--update', 'a'],
    ['snapshot', '--sandbox'],
    ['secrets'],
  ])('is never a file of Git, in any command (%s)', async (...argv) => {
    const root = reads('../../.git/config')
    refused(await runIn(join(root, 'infra'), argv), 'error outside-repository')
  })

  test('must be in a file that Git tracks; git add is enough', async () => {
    const root = reads('../ca.pem')
    write(root, { 'infra/ca.pem': CREDENTIAL })
    const ended = await validate(root)
    refused(ended, `${NOT_TRACKED}"../ca.pem" in this repository.`)
    const hint = /run `(git add \S+)`/m.exec(ended.stderr)?.[1]
    expect(hint).toBe('git add :/infra/ca.pem')
    // It works from any directory.
    execFileSync('bash', ['-c', String(hint)], { cwd: join(root, 'infra/sets') })
    expect(await validate(root)).toMatchObject({ code: 0, stdout: expect.stringContaining(CREDENTIAL) })
    git(root, 'rm', '-q', '--cached', 'infra/ca.pem')
    refused(await validate(root), NOT_TRACKED)
  })

  test('is never in a file that Git ignores, directly or through a link', async () => {
    const root = reads('../link', { '.gitignore': '.env\n' })
    write(root, { '.env': CREDENTIAL })
    symlinkSync('../.env', join(root, 'infra/link'))
    git(root, 'add', '.')
    refused(await validate(root), NOT_TRACKED)
    const linked = reads('../link', { 'infra/ca.pem': 'a certificate' })
    symlinkSync('ca.pem', join(linked, 'infra/link'))
    expect(await validate(linked)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a certificate'),
    })
  })

  test('is never in a nested repository, such as a submodule or a clone', async () => {
    const other = aRepository({ 'infra/sets/a.yaml': CREDENTIAL })
    const root = reads('../module/infra/sets/a.yaml')
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'infra/module')
    refused(await validate(root), `${NOT_TRACKED}"../module/infra/sets/a.yaml"`)
    const beside = reads('../clone/infra/sets/a.yaml')
    git(beside, 'clone', '-q', other, 'infra/clone')
    refused(await validate(beside), NOT_TRACKED)
  })

  test('can be in a file with any name that Git tracks', async () => {
    const names = [
      'a b.pem',
      'ä→😀.pem',
      '"quoted".pem',
      "it's.pem",
      'new\nline.pem',
      'tab\t.pem',
      '*.pem',
      ':(top)x',
    ]
    for (const name of names) {
      const root = reads(`../${name}`, { [`infra/${name}`]: 'a certificate' })
      expect(await validate(root)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('a certificate'),
      })
    }
    const root = reads('../z.pem', { 'infra/*.pem': '' })
    write(root, { 'infra/z.pem': CREDENTIAL })
    refused(await validate(root), NOT_TRACKED)
  })

  test('needs Git only inside a repository, where missing Git is an error', async () => {
    const alone = aDirectory({
      'infra/setpoint.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': reading('../ca.pem'),
      'infra/ca.pem': 'a certificate',
    })
    const env = { PATH: aDirectory() }
    const argv = ['validate', '--resolved', '-C', 'infra']
    expect(await runIn(alone, argv, env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a certificate'),
    })
    const root = reads('../ca.pem', { 'infra/ca.pem': 'a certificate' })
    const without = await runIn(root, argv, env)
    refused(
      without,
      'error untracked-file  Git cannot say whether it tracks "../ca.pem": git is not in the PATH',
    )
    rmSync(join(root, '.git'), { recursive: true })
    mkdirSync(join(root, '.git'))
    refused(await validate(root), 'Git cannot say whether it tracks "../ca.pem": fatal: not a git repository')
  })

  test('in a linked work tree is checked there', async () => {
    const root = reads('../ca.pem', { 'infra/ca.pem': 'a certificate' })
    const linked = join(aDirectory(), 'linked')
    git(root, 'worktree', 'add', '-q', '--detach', linked)
    expect(await validate(linked)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a certificate'),
    })
    git(linked, 'rm', '-q', '--cached', 'infra/ca.pem')
    refused(await validate(linked), NOT_TRACKED)
    expect((await validate(root)).code).toBe(0)
  })

  test('starts Git once, and not at all if no value is from a file', async () => {
    const place = aDirectory()
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(place, 'git'), `#!/bin/sh\necho started >> ${place}/log\nexec ${real} "$@"\n`)
    chmodSync(join(place, 'git'), 0o755)
    const env = { PATH: `${place}:${process.env.PATH}` }
    const log = (): string => (existsSync(join(place, 'log')) ? readFileSync(join(place, 'log'), 'utf8') : '')
    const root = aRepository()
    const argv = ['validate', '-C', 'infra']
    expect((await runIn(root, argv, env)).code).toBe(0)
    expect(log()).toBe('')
    const many = Array.from({ length: 40 }, (_, at) => `      A${at}: { file: ../ca.pem }\n`).join('')
    write(root, {
      'infra/sets/a.yaml': `variableSets:\n  a:\n    env:\n${many}`,
      'infra/sets/b.yaml': 'variableSets:\n  b:\n    env:\n      A: { file: ../ca.pem }\n',
      'infra/ca.pem': 'a certificate',
    })
    git(root, 'add', '.')
    expect((await runIn(root, argv, env)).code).toBe(0)
    expect(log()).toBe('started\n')
  })

  test('runs no program from the Git configuration of the checkout', async () => {
    const { command, sprung } = aTrap()
    const root = reads('../ca.pem', { 'infra/ca.pem': 'a certificate', '.gitattributes': '* filter=trap\n' })
    // An index that has used the file system monitor before.
    git(root, 'update-index', '--force-write-index')
    appendFileSync(join(root, '.git/config'), traps(command))
    expect((await validate(root)).code).toBe(0)
    expect(sprung()).toBe(false)
  })
})

describe('a file from which a run reads secrets', () => {
  const SECRETS = `TOKEN=${CREDENTIAL}\n`
  const plan = ['plan', '--sandbox', '-C', 'infra', '--secrets']

  test.each(['../vault.env', '../links/vault'])('is never read as a value (--secrets %s)', async source => {
    const root = reads('../../vault.env', { 'vault.env': SECRETS })
    git(root, 'rm', '-q', '--cached', 'vault.env')
    write(root, { 'links/x': '' })
    symlinkSync('../vault.env', join(root, 'links/vault'))
    const diagnostic =
      'infra/sets/a.yaml:4:18  error secret-file  This run takes secrets from "../../vault.env".'
    refused(await runIn(root, [...plan, source]), diagnostic)
  })

  const TRACKED = 'Git tracks it in this repository: everyone who reads the repository has these secrets.'

  test.each([
    ['a file', '../vault.env'],
    ['a link to it', '../links/vault'],
    ['the path of a link to a directory', '../linked/vault.env'],
    ['a link out of the repository', '../links/outside'],
    ['a directory with such files', 'vaults'],
    ['another spelling', './../infra/..//vault.env'],
    ['a file of a repository inside', '../inner/own.env'],
  ])('is never one that Git tracks: %s', async (_, source) => {
    const root = aRepository({ ...FILES, 'vault.env': SECRETS, 'infra/vaults/TOKEN': CREDENTIAL })
    mkdirSync(join(root, 'links'))
    symlinkSync('../vault.env', join(root, 'links/vault'))
    symlinkSync(join(aDirectory({ file: SECRETS }), 'file'), join(root, 'links/outside'))
    symlinkSync('.', join(root, 'linked'))
    git(root, 'add', 'links', 'linked')
    const inner = aRepository({ 'own.env': SECRETS })
    cpSync(inner, join(root, 'inner'), { recursive: true })
    for (const command of ['plan', 'apply', 'drift', 'affected', 'secrets']) {
      const { code, stdout, stderr } = await runIn(root, [
        command,
        ...(command === 'secrets' ? [] : ['--sandbox']),
        ...['-C', 'infra', '--secrets', source],
      ])
      expect([command, code, stdout, stderr]).toEqual([
        command,
        1,
        '',
        expect.stringContaining(`error secret-file\n  --secrets "${source}": ${TRACKED}\n`),
      ])
      expect(stderr).not.toContain(CREDENTIAL)
    }
  })

  test('the remedy of the error works as it is printed', async () => {
    const root = aRepository({ ...FILES, 'infra/vault of ours.env': SECRETS })
    const run = () => runIn(root, [...plan, 'vault of ours.env'])
    const command = /, and run: (git rm .*)$/m.exec((await run()).stderr)?.[1] ?? ''
    expect(command).toBe("git rm --cached -- 'vault of ours.env'")
    execFileSync('sh', ['-c', command], { cwd: join(root, 'infra') })
    expect((await run()).code).toBe(0)
  })

  test('may be untracked, and need not be there for a run without it', async () => {
    const root = aRepository()
    write(root, { 'infra/.env': SECRETS, '.gitignore': '.env\n' })
    expect((await runIn(root, [...plan, '.env'])).code).toBe(0)
  })

  test('is never read as a set file', async () => {
    const root = aRepository()
    write(root, { 'infra/sets/vault.yaml': `${CREDENTIAL}\n` })
    const ended = await runIn(root, [...plan, 'sets/vault.yaml'])
    refused(ended, 'infra/sets/vault.yaml:1:1  error secret-file')
  })

  test('is also a credentials file, which is never read as a value', async () => {
    const root = reads('../.terraformrc', { 'infra/.terraformrc': CREDENTIAL })
    const argv = ['plan', '--sandbox', '-C', 'infra']
    refused(await runIn(root, argv, { HOME: join(root, 'infra') }), 'error secret-file')
    const env = { TF_CLI_CONFIG_FILE: 'infra/.terraformrc' }
    // Relative to the directory of the process.
    refused(await start(argv, { cwd: root, env }).ended, 'error secret-file')
    // Otherwise it is an ordinary file.
    expect((await runIn(root, argv)).code).toBe(0)
  })
})

describe('a token', () => {
  const blocks = 'credentials "127.0.0.1:9" { token = "token-of-a-pull-request" }\n'
  const argv = ['plan', '-C', 'infra']
  const env = { SETPOINT_ADDRESS: 'http://127.0.0.1:9' }

  test.each([
    ['in HOME', (root: string) => ({ HOME: root })],
    ['of TF_CLI_CONFIG_FILE', (root: string) => ({ TF_CLI_CONFIG_FILE: join(root, '.terraformrc') })],
  ])('is not read from a file that Git tracks (%s)', async (_, more) => {
    const root = aRepository()
    write(root, { '.terraformrc': blocks })
    git(root, 'add', '-f', '.terraformrc')
    const { code, stdout, stderr } = await runIn(root, argv, { ...env, ...more(root) })
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `error no-token\n  The token comes from "${root}/.terraformrc", which Git tracks in this repository: anyone who changes the files could choose the token.\n  Set SETPOINT_TOKEN, or keep the file out of the repository.\n`,
    ])
    // A file that a pipeline step left behind is used: nothing listens at this address.
    git(root, 'rm', '-q', '--cached', '.terraformrc')
    const other = await runIn(root, [...argv, '--verbose'], { ...env, ...more(root) })
    expect(other.stderr).toContain(`token from ${root}/.terraformrc`)
  })
})

describe('configuration', () => {
  test.each([
    ['sets: .git/*', 'setpoint.yaml:2:7  error outside-repository  ".git" belongs to Git itself'],
    [
      'sets: ../.git/config',
      '.git/config:1:1  error outside-repository  ".git/config" belongs to Git itself',
    ],
    ['sets: ../.git/*', 'infra/setpoint.yaml:2:7  error outside-repository  ".git" belongs to Git itself'],
    ['sets: ../.g?t/*', 'infra/setpoint.yaml:2:7  error outside-repository  ".git" belongs to Git itself'],
    [
      'sets: ../.*/**/config',
      'infra/setpoint.yaml:2:7  error outside-repository  ".git" belongs to Git itself',
    ],
    ['sets: ../**/config', 'infra/setpoint.yaml:2:7  error outside-repository  "infra/more" is a link'],
    ['sets: more/*', 'infra/setpoint.yaml:2:7  error outside-repository  "infra/more" is a link'],
    ['sets: link', 'infra/link:1:1  error outside-repository  "infra/link" belongs to Git itself'],
  ])('is never read from .git (%s)', async (line, diagnostic) => {
    const root = reads('x')
    write(root, {
      'infra/setpoint.yaml': `organization: acme\n${line}\n`,
      'infra/.git/a.yaml': CREDENTIAL,
    })
    if (!line.includes(' .git')) rmSync(join(root, 'infra/.git'), { recursive: true })
    symlinkSync('../.git', join(root, 'infra/more'))
    symlinkSync('../.git/config', join(root, 'infra/link'))
    refused(await runIn(root, ['validate', '-C', 'infra']), diagnostic)
  })
})
