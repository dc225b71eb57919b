import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, start } from '../support/child.ts'
import { aRepository, aTrap, FILES, git, set, traps, write } from '../support/hostile-repository.ts'
import { aDirectory } from '../support/program.ts'

const SECRETS = { SETPOINT_TOKEN: 'token-of-the-job', SETPOINT_SECRET_A: 'secret-of-the-job' }
const plan = (cwd: string, ...args: readonly string[]): Promise<Ended> =>
  start(['plan', '--sandbox', '--format', 'json', ...args], {
    cwd,
    env: { ...SECRETS, SETPOINT_SANDBOX_FILE: join(aDirectory(), 'sandbox') },
  }).ended

const refOf = ({ stdout, stderr }: Ended): unknown => {
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { facts: { base?: { ref: string } } }).facts.base?.ref
}

const ATTRIBUTES = '* filter=trap diff=trap text eol=crlf ident\n'

describe('git in a malicious repository', () => {
  test.each([
    ['-C', ['-C', 'infra'], ''],
    ['in its own directory', [], 'infra'],
  ])('a bare repository in a pull request is not used as a repository (%s)', async (_, args, below) => {
    const { command, sprung } = aTrap()
    const root = aRepository()
    const bare = join(root, 'infra')
    // Git would use this directory of the pull request as a repository.
    for (const part of ['HEAD', 'config', 'objects', 'refs'])
      execFileSync('cp', ['-r', join(root, '.git', part), bare])
    write(root, { 'infra/.gitattributes': ATTRIBUTES })
    appendFileSync(join(bare, 'config'), `${traps(command)}[core]\n  bare = false\n  worktree = .\n`)
    git(
      root,
      'update-ref',
      'refs/heads/main',
      git(root, 'commit-tree', '-m', 'Its own', 'HEAD^{tree}').trim(),
    )
    const ended = await plan(join(root, below), ...args, '--base', 'main')
    expect(refOf(ended)).toBe('main')
    expect(JSON.parse(ended.stdout).facts.base.commit).toBe(git(root, 'rev-parse', 'main').trim())
    expect(sprung()).toBe(false)
  })

  test('no program from the Git configuration of the checkout is run', async () => {
    const { command, sprung } = aTrap()
    const root = aRepository({ ...FILES, '.gitattributes': ATTRIBUTES })
    appendFileSync(join(root, '.git/config'), traps(command))
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      execFileSync('cp', [command, join(root, '.git/hooks', hook)])
    const ended = await plan(root, '-C', 'infra', '--base', 'main')
    expect(refOf(ended)).toBe('main')
    expect(sprung()).toBe(false)
  })

  test('the environment of git contains no secret of the job', async () => {
    const root = aRepository()
    const place = aDirectory()
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(place, 'git'), `#!/bin/sh\nenv >> ${place}/seen\nexec ${real} "$@"\n`)
    chmodSync(join(place, 'git'), 0o755)
    const { ended } = start(['plan', '--sandbox', '--format', 'json', '-C', 'infra', '--base', 'main'], {
      cwd: root,
      env: { ...SECRETS, PATH: `${place}:${process.env.PATH}`, GIT_DIR: '/nowhere', GIT_CONFIG_COUNT: '1' },
    })
    expect(refOf(await ended)).toBe('main')
    const names = readFileSync(join(place, 'seen'), 'utf8').match(/^[A-Za-z_]\w*(?==)/gm) ?? []
    expect([...new Set(names)].filter(name => !/^(?:GIT_|_$|PWD$|SHLVL$|OLDPWD$)/.test(name)).sort()).toEqual(
      ['LC_ALL', 'PATH'],
    )
    expect(names).not.toContain('GIT_CONFIG_COUNT')
  })

  test('a program named git in the checkout is not started', async () => {
    const { command, sprung } = aTrap()
    const root = aRepository()
    write(root, { 'node_modules/.bin/x': '' })
    execFileSync('cp', [command, join(root, 'node_modules/.bin/git')])
    execFileSync('cp', [command, join(root, 'infra/git')])
    const PATH = `${root}/node_modules/.bin:.::${process.env.PATH}`
    const argv = ['plan', '--sandbox', '--format', 'json', '--base', 'main']
    const { ended } = start(argv, { cwd: join(root, 'infra'), env: { PATH } })
    expect(refOf(await ended)).toBe('main')
    expect(sprung()).toBe(false)
  })

  test('missing objects of a clone are not fetched, and are reported', async () => {
    const { command, sprung } = aTrap()
    const root = aRepository()
    const blob = git(root, 'rev-parse', 'main:infra/sets/a.yaml').trim()
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    appendFileSync(join(root, '.git/config'), traps(command))
    const { code, stdout, stderr } = await plan(root, '-C', 'infra', '--base', 'main')
    expect([code, JSON.parse(stdout).kind]).toEqual([1, 'failure'])
    expect(stderr).toContain(
      'The files of "main" cannot be read: this clone lacks "infra/sets/a.yaml".\n  Clone without --filter, so that the clone has every file of that commit. Setpoint fetches nothing.',
    )
    expect(sprung()).toBe(false)
  })

  test.each([
    '-x',
    '-c core.fsmonitor=x',
    'main:infra/setpoint.yaml',
    ':/nothing of the kind',
    '@{-1}',
    'main..main',
    'a b\nc',
  ])('%j is not accepted as a commit, and not passed to git as a flag', async ref => {
    const root = aRepository()
    const { code, stderr } = await plan(root, '-C', 'infra', `--base=${ref}`)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error unknown-base-commit\n {2}This clone has no commit "/)
    expect(git(root, 'status', '--porcelain')).toBe(' M infra/sets/a.yaml\n')
  })

  test.each(['HEAD~1', 'HEAD^', 'HEAD~2', 'main'])(
    'the command of the hint fetches what --base %s needs in a clone of one commit',
    async ref => {
      const root = aRepository()
      for (const at of [1, 2]) git(root, 'commit', '-q', '--allow-empty', '-m', `${at}`)
      const clone = aDirectory()
      git(clone, 'clone', '-q', '--depth=1', `file://${root}`, 'clone')
      const there = join(clone, 'clone')
      const { stderr } = await plan(there, '-C', 'infra', '--base', ref === 'main' ? 'origin/gone' : ref)
      const [, fetch = '', next = ref] = /(git fetch [^,\n]*?)(?:, then --base (\S+))?\n/.exec(stderr) ?? []
      execFileSync('sh', ['-c', fetch], { cwd: there, stdio: 'pipe' })
      expect(refOf(await plan(there, '-C', 'infra', '--base', next))).toBe(next)
    },
  )

  test('replaced objects and grafts do not change the content of a commit', async () => {
    const root = aRepository()
    const [old] = git(root, 'rev-parse', 'main:infra/sets/a.yaml').split('\n')
    write(root, { other: set('us-east-1') })
    git(root, 'replace', String(old), git(root, 'hash-object', '-w', 'other').trim())
    write(root, { 'infra/sets/a.yaml': set('us-east-1'), '.git/info/grafts': '' })
    const { stdout } = await plan(root, '-C', 'infra', '--base', 'main')
    // The base has another region than this change.
    expect(JSON.parse(stdout).facts.origins).toMatchObject([{ items: { set: 'this-change' } }])
  })

  test('a commit with paths out of its directory is refused', async () => {
    const root = aRepository()
    const blob = git(root, 'hash-object', '-w', 'infra/sets/a.yaml').trim()
    const bytes = Buffer.from(blob, 'hex')
    for (const name of ['..', '.git', '.GIT']) {
      const inner = tree(root, `100644 x\0`, bytes)
      const outer = tree(root, `40000 ${name}\0`, Buffer.from(inner, 'hex'))
      const commit = git(root, 'commit-tree', '-m', 'Out', outer).trim()
      const { code, stderr } = await plan(root, '-C', 'infra', '--base', commit)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`it contains the path "${name}/x"`)])
    }
  })

  test('a symbolic link in a commit is not followed', async () => {
    const outside = aDirectory({ 'a.yaml': set('outside') })
    const root = aRepository()
    rmSync(join(root, 'infra/sets/a.yaml'))
    rmdirSync(join(root, 'infra/sets'))
    symlinkSync(outside, join(root, 'infra/sets'))
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'A link')
    rmSync(join(root, 'infra/sets'))
    write(root, { 'infra/sets/a.yaml': set('eu-west-1') })
    const { stdout, stderr } = await plan(root, '-C', 'infra', '--base', 'main')
    expect(stderr).toContain('broken-base')
    expect(stdout).not.toContain('outside"')
  })
})

/** A tree with one entry that git itself would not create. */
function tree(root: string, head: string, object: Buffer): string {
  return execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    cwd: root,
    input: Buffer.concat([Buffer.from(head), object]),
    encoding: 'utf8',
  }).trim()
}

describe('git in ordinary repositories', () => {
  test('files are read as Git stores them, whatever encoding the attributes name', async () => {
    const root = aRepository()
    write(root, {
      'infra/sets/a.yaml': set('eu-west-1'),
      '.gitattributes': '*.yaml text working-tree-encoding=UTF-16\n',
    })
    const { stdout, stderr } = await plan(root, '-C', 'infra', '--base', 'main')
    expect(JSON.parse(stdout).facts.origins).toMatchObject([{ items: { set: 'before' } }])
    expect(stderr).not.toContain('broken-base')
  })

  test('--base works in a linked work tree, in a submodule and with a detached head', async () => {
    const root = aRepository()
    const linked = join(aDirectory(), 'linked')
    git(root, 'worktree', 'add', '-q', '--detach', linked, 'main')
    write(linked, { 'infra/sets/a.yaml': set('eu-north-1') })
    expect(refOf(await plan(linked, '-C', 'infra', '--base', 'main'))).toBe('main')
    const outer = aRepository({ 'infra/sets/a.yaml': '' })
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', root, 'module')
    const ended = await plan(outer, '-C', 'module/infra', '--base', 'HEAD')
    expect(JSON.parse(ended.stdout).facts.base.commit).toBe(git(root, 'rev-parse', 'main').trim())
  })

  test('many files of any size are read from a base', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`other/${at}.txt`, `${at}`.repeat((at * 997) % 70_000)]),
    )
    const large = { 'infra/sets/b.yaml': `# ${'x'.repeat(9 * 1024 * 1024)}\n` }
    const root = aRepository({ ...FILES, ...files, ...large, 'infra/empty': '' })
    rmSync(join(root, 'infra/sets/b.yaml'))
    const { code, stderr } = await plan(root, '-C', 'infra', '--base', 'main')
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('"infra/sets/b.yaml" is larger than 8388608 bytes'),
    ])
  })

  test('--base without git, or in a directory that only looks like a repository, is an error', async () => {
    const root = aRepository()
    const argv = ['plan', '--sandbox', '-C', 'infra', '--base', 'main']
    const none = await start(argv, { cwd: root, env: { PATH: aDirectory() } }).ended
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('git is not in the PATH.')])
    rmSync(join(root, '.git'), { recursive: true })
    mkdirSync(join(root, '.git'))
    const empty = await start(argv, { cwd: root }).ended
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('not a git repository')])
  })
})
