import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEMO_MARK } from '../../src/cli/commands/demo-command.ts'
import { TERRAFORM_RC } from '../../src/run/commands/output-files.ts'
import { startShell } from '../support/child.ts'
import { git, write } from '../support/hostile-repository.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

/** Every way to name a file that a run writes. */
const OUTPUTS: readonly (readonly [name: string, wordsFor: (path: string) => readonly string[]])[] = [
  ['plan --out', path => ['plan', '--sandbox', '--out', path]],
  ['plan --report markdown', path => ['plan', '--sandbox', '--report', `markdown=${path}`]],
  ['plan --report html', path => ['plan', '--sandbox', '--report', `html=${path}`]],
  ['plan --report text', path => ['plan', '--sandbox', '--report', `text=${path}`]],
  ['plan --report json', path => ['plan', '--sandbox', '--report', `json=${path}`]],
  ['plan --report gitlab', path => ['plan', '--sandbox', '--report', `gitlab=${path}`]],
  ['plan --report metrics', path => ['plan', '--sandbox', '--report', `metrics=${path}`]],
  ['apply --report', path => ['apply', '--sandbox', '--auto-approve', '--report', `markdown=${path}`]],
  ['drift --report', path => ['drift', '--sandbox', '--report', `markdown=${path}`]],
  ['several --report', path => ['drift', '--sandbox', '--config', '*.yaml', '--report', `json=${path}`]],
  ['snapshot --out', path => ['snapshot', '--sandbox', '--out', path]],
]

const STATES: typeof OUTPUTS = [
  ['sandbox --data', path => ['sandbox', '--data', path]],
  ['sandbox --terraform-rc', path => ['sandbox', '--terraform-rc', path]],
]

const SET = 'variableSets: { a: { env: { A: 1 } } }\n'
const FILES = {
  'setpoint.yaml': 'organization: acme\nsets: [sets/**/*.yaml, team/?.yaml]\ngroups: [groups/*.yaml]\n',
  'sets/a.yaml': SET,
  'groups/g.yaml': 'groups: { all: { workspaces: { w: ws-aaaaaaaaaaaaaaaa } } }\n',
  'team/b.yaml': 'variableSets: { b: { env: { B: 1 } } }\n',
  'rules/r.yaml': 'rules: { r: { for: plan, require: "true", message: m, level: warn } }\n',
  'rules/tests/t.yaml': 'cases: { c: { after: {}, expect: [] } }\n',
  'README.md': '# The repository\n',
  'plan.json': '{"checksum":"a","digest":"b"}\n',
  'deep/down/x': '',
}

/** A repository in which everything of FILES is tracked. */
function aRepository(): string {
  const root = aDirectory(FILES)
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Begin')
  return root
}

const PATH = { PATH: process.env.PATH ?? '' }
const inRoot = (
  root: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> =>
  run(argv, { cwd: root, env: { ...PATH, SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box'), ...env } })

/** Every file below a directory, with what it is. Git's own are left out. */
function everythingIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    name => !/^\.git(?:\/|$)/.test(name),
  )
  return Object.fromEntries(
    names.toSorted().map(name => {
      const status = lstatSync(join(root, name))
      return [name, status.isFile() ? readFileSync(join(root, name), 'utf8') : String(status.mode & 0o170000)]
    }),
  )
}

/** The command is refused before it does anything. Returns what it said. */
async function refused(root: string, argv: readonly string[], why: string, env = {}): Promise<string> {
  const before = everythingIn(root)
  const { code, stdout, stderr } = await inRoot(root, argv, env)
  expect([argv, code, stdout, stderr]).toEqual([
    argv,
    1,
    '',
    expect.stringContaining(`: ${why}.\n  Nothing was read or written. `),
  ])
  expect(stderr).not.toMatch(/\n {4}at /)
  expect(everythingIn(root)).toEqual(before)
  return stderr
}

const PART = (pattern: string) => `it would be part of the configuration (${pattern})`
const TARGETS: readonly (readonly [path: string, why: string])[] = [
  ['setpoint.yaml', PART('setpoint.yaml')],
  ['setpoint.yml', PART('setpoint.yml')],
  ['./deep/../setpoint.yaml', PART('setpoint.yaml')],
  ['sets/a.yaml', PART('sets/**/*.yaml')],
  ['sets/new.yaml', PART('sets/**/*.yaml')],
  ['sets/new.yml', PART('sets/**/*.yaml')],
  ['sets/deep/new.YAML', PART('sets/**/*.yaml')],
  ['team/n.yaml', PART('team/?.yaml')],
  ['groups/g.yaml', PART('groups/*.yaml')],
  ['groups/new.yaml', PART('groups/*.yaml')],
  ['rules/r.yaml', PART('rules/**/*.yaml')],
  ['rules/deep/new.yaml', PART('rules/**/*.yaml')],
  ['rules/tests/t.yaml', PART('rules/**/*.yaml')],
  ['linked/new.yaml', PART('sets/**/*.yaml')],
  ['README.md', 'Git tracks it'],
  ['linked/../README.md', 'Git tracks it'],
  ['plan.json', 'Git tracks it'],
  ['deep/down/x', 'Git tracks it'],
  ['gone.txt', 'Git tracks it'],
  ['.git/config', 'it belongs to the files of Git itself'],
  ['.git/hooks/post-commit', 'it belongs to the files of Git itself'],
  ['elsewhere/.git/x', 'it belongs to the files of Git itself'],
  ['link', 'it is a symbolic link'],
  ['dangling', 'it is a symbolic link'],
  ['deep', 'it exists and is not a file'],
  ['.', 'it exists and is not a file'],
  ['missing/plan.json', 'its directory does not exist'],
  ['README.md/plan.json', 'its directory does not exist'],
  ['outside/x', 'its path contains a symbolic link out of the repository'],
]

describe.each(OUTPUTS)('%s', (_, wordsFor) => {
  test('replaces neither the configuration nor what Git has, by any name', async () => {
    const root = aRepository()
    write(root, { 'gone.txt': 'x', 'elsewhere/.git/HEAD': 'x', 'sets/deep/x': '', 'rules/deep/x': '' })
    git(root, 'add', 'gone.txt')
    rmSync(join(root, 'gone.txt'))
    symlinkSync('sets', join(root, 'linked'))
    symlinkSync('README.md', join(root, 'link'))
    symlinkSync('nowhere', join(root, 'dangling'))
    symlinkSync(aDirectory({ x: 'as it was' }), join(root, 'outside'))
    // The directory itself is one that a repository has in it.
    const several = wordsFor('').includes('--config')
    for (const [path, why] of TARGETS)
      if (!several || !why.startsWith('it would be')) await refused(root, wordsFor(path), why)
  })

  test('replaces no file that is not an earlier one of its kind, and the remedy works', async () => {
    const root = aRepository()
    const foreign = [
      'a note\n',
      '# Heading\n',
      '<!doctype html>\n',
      '{}\n',
      '{"format":"2.0"}\n',
      '{"kind":"plan"}\n',
      '\0\xff',
      ' ',
    ]
    for (const [index, text] of foreign.entries()) {
      const path = `mine-${index}`
      write(root, { [path]: text })
      const before = everythingIn(root)
      const { code, stdout, stderr } = await inRoot(root, wordsFor(path))
      expect([code, stdout]).toEqual([1, ''])
      const other =
        /: it exists, and is not .* that Setpoint wrote\.\n .* such as: (.*)\n/.exec(stderr)?.[1] ?? ''
      expect(everythingIn(root)).toEqual(before)
      // The words that are printed, in the place of those that were typed.
      const typed = [
        ...wordsFor('').filter(word => !/^--(?:out|report)$|^$|=$/.test(word)),
        ...other.split(' '),
      ]
      expect(await inRoot(root, typed)).toMatchObject({ stderr: expect.not.stringContaining('error') })
      expect(statSync(join(root, other.split(/[ =]/).at(-1) ?? '')).size).toBeGreaterThan(0)
    }
  })

  test('replaces its own earlier file, and writes an empty file and a pipe in place', async () => {
    const root = aRepository()
    const written = async (path: string) => {
      const { code, stderr } = await inRoot(root, wordsFor(path))
      expect([code < 3, stderr]).toEqual([true, expect.not.stringContaining('error')])
      return statSync(join(root, path), { bigint: true })
    }
    const first = await written('own')
    writeFileSync(join(root, 'sets/a.yaml'), SET.replace('1', '2'))
    const second = await written('own')
    // A file system may give the number of the removed file again.
    expect(second.mtimeNs > first.mtimeNs).toBe(true)
    writeFileSync(join(root, 'empty'), '', { mode: 0o640 })
    const { ino } = statSync(join(root, 'empty'), { bigint: true })
    const third = await written('empty')
    expect([third.ino, third.mode & 0o777n, third.size > 0]).toEqual([ino, 0o640n, true])
    // Another name of an empty file stays empty.
    writeFileSync(join(root, 'one'), '')
    linkSync(join(root, 'one'), join(root, 'two'))
    await written('two')
    expect(readFileSync(join(root, 'one'), 'utf8')).toBe('')
    execFileSync('mkfifo', [join(root, 'pipe')])
    const { readFile } = process.getBuiltinModule('node:fs')
    const read = new Promise<string>(resolve =>
      readFile(join(root, 'pipe'), 'utf8', (_, text) => resolve(text)),
    )
    await written('pipe')
    expect((await read).length).toBeGreaterThan(0)
    expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true)
    await inRoot(root, wordsFor('/dev/null'))
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

describe.each(STATES)('%s', (_, wordsFor) => {
  test('replaces neither the configuration nor what Git has', async () => {
    const root = aRepository()
    symlinkSync('README.md', join(root, 'link'))
    for (const [path, why] of TARGETS)
      if (existsSync(join(root, path)) && !path.startsWith('linked')) await refused(root, wordsFor(path), why)
  })

  test('replaces no file of somebody else', async () => {
    const root = aRepository()
    write(root, { mine: 'a note\n' })
    const { code, stdout, stderr } = await inRoot(root, wordsFor('mine'))
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/is not (?:a file of|the state of a sandbox)/),
    ])
    expect(readFileSync(join(root, 'mine'), 'utf8')).toBe('a note\n')
  })
})

describe('the state of --sandbox', () => {
  test('that was committed by accident is taken out of Git with the printed command', async () => {
    const root = aRepository()
    const alone = (...argv: string[]) => run(argv, { cwd: root, env: PATH })
    expect((await alone('apply', '--sandbox', '--auto-approve')).code).toBe(0)
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'Everything')
    const { code, stderr } = await alone('drift', '--sandbox')
    const [, words = ''] = /into \.gitignore: git (rm --cached \S+)\n/.exec(stderr) ?? []
    expect([code, words]).toEqual([1, 'rm --cached .setpoint/sandbox'])
    git(root, ...words.split(' '))
    expect((await alone('drift', '--sandbox')).code).toBe(0)
  })

  test.each([
    ['sets/new.yaml', PART('sets/**/*.yaml')],
    ['README.md', 'Git tracks it'],
    ['.git/sandbox', 'it belongs to the files of Git itself'],
    ['link', 'it is a symbolic link'],
  ])('is never kept in %s, and the remedy works', async (path, why) => {
    const root = aRepository()
    symlinkSync('nowhere', join(root, 'link'))
    for (const argv of [
      ['plan'],
      ['apply'],
      ['drift'],
      ['snapshot'],
      ['affected'],
      ['groups'],
      ['export'],
      ['explain', 'w'],
    ]) {
      const said = await refused(root, [...argv, '--sandbox'], why, { SETPOINT_SANDBOX_FILE: path })
      expect(said).toContain('such as: export SETPOINT_SANDBOX_FILE=setpoint-sandbox\n')
    }
    expect(
      (await inRoot(root, ['plan', '--sandbox'], { SETPOINT_SANDBOX_FILE: 'setpoint-sandbox' })).code,
    ).toBe(0)
  })

  test('a state that Git tracks is not replaced', async () => {
    const root = aRepository()
    expect(
      (await inRoot(root, ['apply', '--sandbox', '--auto-approve'], { SETPOINT_SANDBOX_FILE: '' })).code,
    ).toBe(0)
    git(root, 'add', '-f', '.setpoint/sandbox')
    writeFileSync(join(root, 'sets/a.yaml'), SET.replace('1', '2'))
    await refused(root, ['apply', '--sandbox', '--auto-approve'], 'Git tracks it', {
      SETPOINT_SANDBOX_FILE: '',
    })
  })

  test('is no report of the same run', async () => {
    const root = aRepository()
    const env = { SETPOINT_SANDBOX_FILE: 'box' }
    await refused(
      root,
      ['plan', '--sandbox', '--out', 'box'],
      'it is also the file of SETPOINT_SANDBOX_FILE',
      env,
    )
    await refused(
      root,
      ['plan', '--sandbox', '--report', 'json=./deep/../box'],
      'it is also the file of SETPOINT_SANDBOX_FILE',
      env,
    )
  })
})

describe('two outputs', () => {
  test.each([
    ['the same name', 'a', 'a'],
    ['another spelling', 'a', './deep/../a'],
    ['another case, which is the same file on some systems', 'report', 'Report'],
    ['through a link to a directory', 'deep/a', 'linked/a'],
    ['two names of one file', 'one', 'two'],
    ['composed and decomposed letters', '\u00e9', 'e\u0301'],
  ])('are never one file: %s', async (_, first, second) => {
    const root = aRepository()
    symlinkSync('deep', join(root, 'linked'))
    writeFileSync(join(root, 'one'), '')
    linkSync(join(root, 'one'), join(root, 'two'))
    await refused(
      root,
      ['plan', '--sandbox', '--out', first, '--report', `json=${second}`],
      'it is also the file of --out',
    )
    await refused(
      root,
      ['drift', '--sandbox', '--report', `json=${first}`, '--report', `markdown=${second}`],
      'it is also the file of --report json',
    )
    await refused(
      root,
      ['sandbox', '--data', first, '--terraform-rc', second],
      'it is also the file of --data',
    )
  })
})

describe('places with secrets', () => {
  test('are never written to, with or without a file there', async () => {
    const root = aRepository()
    write(root, { 'tokens/acme': 'a-token', 'vault/A': 'x', 'own.env': '', 'home/x': '' })
    writeFileSync(join(root, '.gitignore'), 'tokens\nvault\nown.env\nhome\n')
    const why = 'this run takes secrets or tokens from there'
    const plan = ['plan', '--sandbox', '--out']
    await refused(root, [...plan, 'tokens/acme', '--tokens', 'tokens'], why)
    await refused(root, [...plan, 'tokens/globex', '--tokens', 'tokens'], why)
    await refused(root, [...plan, 'vault/NEW', '--secrets', 'vault'], why)
    await refused(root, [...plan, 'own.env', '--secrets', 'own.env'], why)
    const rc = join(root, 'home/rc')
    await refused(root, [...plan, 'home/rc'], why, { TF_CLI_CONFIG_FILE: rc })
    expect((await inRoot(root, [...plan, 'home/rc'])).code).toBe(0)
  })
})

describe('reports of an earlier run', () => {
  test('are removed before a run that fails, if they are reports', async () => {
    const root = aRepository()
    const argv = ['plan', '--sandbox', '--report', 'markdown=own.md', '--report', 'html=own.html']
    expect((await inRoot(root, argv)).code).toBe(0)
    const before = readFileSync(join(root, 'own.md'), 'utf8')
    writeFileSync(join(root, 'sets/a.yaml'), 'variableSets: [\n')
    expect((await inRoot(root, argv)).code).toBe(1)
    expect(readFileSync(join(root, 'own.md'), 'utf8')).not.toBe(before)
    // One of two is refused: the other one stays, too.
    writeFileSync(join(root, 'own.html'), 'mine\n')
    await refused(root, argv, 'it exists, and is not a report as a page that Setpoint wrote')
  })

  test('what comes there during the run is not replaced', async () => {
    const root = aRepository()
    // The plan has been shown: long after the files were checked.
    const ask = async () => {
      writeFileSync(join(root, 'own.md'), 'of another step\n')
      return 'yes'
    }
    const { code, stderr } = await run(['apply', '--sandbox', '--report', 'markdown=own.md'], {
      cwd: root,
      env: { ...PATH, SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') },
      io: { input: () => ({ ask }) },
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('it exists, and is not a report in Markdown')])
    expect(readFileSync(join(root, 'own.md'), 'utf8')).toBe('of another step\n')
  })
})

describe('the summary of a step', () => {
  test('is appended to, whatever is in it', async () => {
    const root = aRepository()
    const summary = join(aDirectory({ summary: 'of another tool\n' }), 'summary')
    const env = { GITHUB_STEP_SUMMARY: summary }
    for (const _ of [1, 2])
      expect((await inRoot(root, ['plan', '--sandbox', '--report', `markdown=${summary}`], env)).code).toBe(0)
    expect(readFileSync(summary, 'utf8').match(/^of another tool|^<!-- setpoint:acme -->/gm)).toHaveLength(3)
  })
})

describe('an open stream', () => {
  const sh = (root: string, line: string) =>
    startShell(line, { cwd: root, env: { ...PATH, SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') } }).ended

  test('is written to where it stands: a pipe, and a file that the shell opened', async () => {
    const root = aRepository()
    const piped = await sh(root, '$SETPOINT plan --sandbox --quiet --report json=/dev/stdout | tail -1')
    expect(piped.stdout).toBe('}\n')
    writeFileSync(join(root, 'all'), 'before\n')
    const { code } = await sh(root, '$SETPOINT plan --sandbox --out /dev/stdout >> all')
    expect(code).toBe(0)
    const text = readFileSync(join(root, 'all'), 'utf8')
    expect(text).toMatch(/^before\nsetpoint plan [\s\S]*"checksum": "[\s\S]*\n\}\n$/)
    const errors = await sh(root, '$SETPOINT plan --sandbox --quiet --report gitlab=/dev/stderr')
    expect(errors.stderr).toContain('{"create":2,"update":0,"delete":0}')
  })
})

test('files that Setpoint is to change on purpose are changed, although Git tracks them', async () => {
  const root = aRepository()
  const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') }
  expect((await inRoot(root, ['apply', '--sandbox', '--auto-approve'], env)).code).toBe(0)
  writeFileSync(join(root, 'sets/a.yaml'), SET.replace('1', '2'))
  expect((await inRoot(root, ['export', '--sandbox', '--update', 'a'], env)).code).toBe(0)
  expect(readFileSync(join(root, 'sets/a.yaml'), 'utf8')).toContain('"1"')
  expect((await inRoot(root, ['validate', '--fix-schema'])).code).toBe(0)
})

test('a demo replaces none of its own files that Git tracks', async () => {
  const root = aRepository()
  write(root, {
    'setpoint-demo/setpoint.yaml': `${DEMO_MARK}\n`,
    'setpoint-demo/sets/payments.yaml': 'mine\n',
  })
  git(root, 'add', '.')
  const before = everythingIn(root)
  const { code, stdout, stderr } = await inRoot(root, ['demo'])
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('has files that Git tracks.')])
  expect(everythingIn(root)).toEqual(before)
})

test('a repository without git is written to like any directory, and the marks still count', async () => {
  const root = aRepository()
  const env = { PATH: '/nowhere' }
  await refused(
    root,
    ['plan', '--sandbox', '--out', 'README.md'],
    'it exists, and is not a saved plan that Setpoint wrote',
    env,
  )
  expect((await inRoot(root, ['plan', '--sandbox', '--out', 'own.json'], env)).code).toBe(0)
})

test('a file of --terraform-rc is known by its first line', async () => {
  const root = aRepository()
  write(root, { rc: `${TERRAFORM_RC}\nold\n`, other: `x\n${TERRAFORM_RC}\n` })
  await refused(
    root,
    ['sandbox', '--terraform-rc', 'other'],
    'it exists, and is not a file of `setpoint sandbox --terraform-rc` that Setpoint wrote',
  )
})

test.each(OUTPUTS)('%s does not mean stdout by "-", and makes no file of this name', async (_, wordsFor) => {
  const root = aRepository()
  const { code, stdout, stderr } = await inRoot(root, wordsFor('-'))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error bad-usage\n {2}--\S+(?: \w+)? "-": it does not mean stdout here\.\n/)
  expect(existsSync(join(root, '-'))).toBe(false)
})
