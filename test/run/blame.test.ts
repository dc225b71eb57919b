import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Explanation, ValueLine } from '../../src/plan/effective/explanation.ts'
import { aTrap, git, traps, write } from '../support/hostile-repository.ts'
import { aDirectory, run } from '../support/program.ts'
import { type Authorship, aYear, WORKSPACE } from './year.ts'

async function blamed(root: string, workspace = WORKSPACE): Promise<Map<string, readonly ValueLine[]>> {
  const argv = ['explain', workspace, '--sandbox', '--from', 'files', '--blame', '--format', 'json']
  const { code, stdout, stderr } = await run(argv, { cwd: join(root, 'infra') })
  if (code !== 0) throw new Error(stderr)
  const { variables } = JSON.parse(stdout) as Explanation
  return new Map(variables.map(({ key, after }) => [key.replace(/^\w+\//, ''), after?.blame ?? []]))
}

const authorshipOf = (
  lines: readonly ValueLine[],
  ...parts: readonly ValueLine['part'][]
): Authorship | undefined => {
  const line = lines.find(({ part }) => parts.includes(part))
  return line && { author: line.author ?? line.state, date: line.date ?? '' }
}

describe('a year of history', () => {
  const seed = Number(process.env.SETPOINT_SEED)
  test.each([seed, seed + 1, seed + 2])(
    'every value has the author of its last change (seed %i)',
    async seed => {
      const year = aYear(seed, 300)
      const found = await blamed(year.root)
      const clean = ({ author, date }: Authorship): Authorship => ({
        author: author.replaceAll('<', ''),
        date,
      })
      const expected = new Map([...year.values].map(([key, by]) => [key, clean(by)]))
      const got = new Map(
        [...found].map(([key, lines]) => [
          key,
          authorshipOf(lines, 'file') ?? authorshipOf(lines, 'value', 'base'),
        ]),
      )
      expect(Object.fromEntries([...got].toSorted())).toEqual(Object.fromEntries([...expected].toSorted()))
      for (const [key, by] of year.named)
        expect([key, authorshipOf(found.get(key) ?? [], 'value')]).toEqual([key, clean(by)])
      expect(year.values.size).toBeGreaterThan(40)
      for (const [key, by] of year.included)
        expect([key, authorshipOf(found.get(key) ?? [], 'from')]).toEqual([key, clean(by)])
    },
  )
})

const AT = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T09:30:00+01:00`

/** Commits everything as this author, on this day of a month. */
function commit(root: string, author: string, day: number): string {
  git(root, 'add', '--all')
  git(
    root,
    'commit',
    '--quiet',
    '--allow-empty-message',
    `--author=${author} <${author}@example.test>`,
    `--date=${AT(day)}`,
    '-m',
    '',
  )
  return git(root, 'rev-parse', 'HEAD').trim()
}

const SETPOINT = {
  'infra/setpoint.yaml': 'organization: acme\n',
}
const SET = '  app:\n    workspaces: [prod]\n    env:\n      LEVEL: info\n'

function aRepository(
  files: Readonly<Record<string, string>> = { 'infra/sets/a.yaml': `variableSets:\n${SET}` },
): string {
  const root = aDirectory({ ...SETPOINT, ...files })
  git(root, 'init', '-q', '-b', 'main')
  commit(root, 'Ada', 1)
  return root
}

const explain = (root: string, ...args: readonly string[]) =>
  run(['explain', 'prod', '--sandbox', '--blame', ...args], { cwd: join(root, 'infra') })

describe('what counts as a change', () => {
  const changed: Readonly<Record<string, readonly [string, string]>> = {
    'a new value': ['LEVEL: info', 'LEVEL: debug'],
    'another kind of value': ['LEVEL: info', 'LEVEL: { secret: LEVEL }'],
  }
  test.each(Object.entries(changed))('%s does', async (_, [from, to]) => {
    const root = aRepository()
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace(from, to)}` })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Bo', date: AT(2) }])
  })

  const unchanged: Readonly<Record<string, (text: string) => string>> = {
    'another indentation': text => text.replaceAll('  ', '      '),
    quotes: text => text.replace('info', '"info"'),
    'a map in place of the short form': text => text.replace('info', '{ value: info, description: Loud. }'),
    'another set before it': text => text.replace('  app', '  aaa: { env: { LEVEL: info } }\n  app'),
    'a rename with `previousNames`': text => text.replace('  app:\n', '  web:\n    previousNames: [app]\n'),
    'CRLF line endings': text => text.replaceAll('\n', '\r\n'),
    'another order of keys': text =>
      text.replace('    workspaces: [prod]\n', '').concat('    workspaces: [prod]\n'),
  }
  test.each(Object.entries(unchanged))('%s does not', async (_, edit) => {
    const root = aRepository()
    write(root, { 'infra/sets/a.yaml': edit(`variableSets:\n${SET}`) })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Ada', date: AT(1) }])
  })

  test('a new name without `previousNames` is a new set, and so is a copy', async () => {
    const root = aRepository()
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('app', 'web')}` })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Bo' }])
    write(root, {
      'infra/sets/a.yaml': `variableSets:\n${SET.replace('app', 'web').replace('[prod]', '[]')}`,
      'infra/sets/b.yaml': `variableSets:\n${SET.replace('app', 'copy')}`,
    })
    commit(root, 'Cy', 3)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Cy' }])
  })

  test('a set of the same name in the files of another organization is another set', async () => {
    const root = aRepository({ 'other/sets/a.yaml': `variableSets:\n${SET}` })
    write(root, {
      'infra/sets/a.yaml': `variableSets:\n${SET}`,
      'other/sets/a.yaml': `# More.\nvariableSets:\n${SET}`,
    })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Bo' }])
  })

  test('an invalid version of a file is skipped', async () => {
    const root = aRepository()
    write(root, { 'infra/sets/a.yaml': `variableSets: [\n${SET}` })
    commit(root, 'Bo', 2)
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET}` })
    commit(root, 'Cy', 3)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Ada' }])
  })

  test('a renamed base with the same value does not change the author of the value', async () => {
    const base = 'bases:\n  net: { env: { REGION: eu-west-1 } }\n'
    const root = aRepository({ 'infra/sets/a.yaml': `variableSets:\n${SET}    from: net\n${base}` })
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET}    from: web\n${base.replace('net', 'web')}` })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('REGION')).toMatchObject([
      { author: 'Ada' },
      { part: 'from', author: 'Bo' },
    ])
  })

  test('a submodule with the name of a set file is ignored', async () => {
    const root = aRepository()
    git(root, 'rm', '-q', 'infra/sets/a.yaml')
    write(root, { 'infra/sets/b.yaml': `variableSets:\n${SET}` })
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},infra/sets/x.yaml`)
    git(root, 'add', 'infra/sets/b.yaml')
    git(root, 'commit', '-qm', 'Bo')
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Ada' }])
  })

  test('a value that a merge commit chooses has the author of the merge commit', async () => {
    const root = aRepository()
    git(root, 'checkout', '-qb', 'side')
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'debug')}` })
    commit(root, 'Bo', 2)
    git(root, 'checkout', '-q', 'main')
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'warn')}` })
    commit(root, 'Cy', 3)
    git(root, 'merge', '-q', '--no-commit', '-s', 'ours', 'side')
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'error')}` })
    commit(root, 'Dai', 4)
    expect((await blamed(root)).get('LEVEL')).toMatchObject([{ author: 'Dai' }])
  })

  test('a merge of a renamed file and a changed value keeps the author of the change', async () => {
    const root = aRepository({ 'infra/sets/a.yaml': `variableSets:\n${SET}      NEXT: "1"\n` })
    git(root, 'checkout', '-qb', 'side')
    git(root, 'mv', 'infra/sets/a.yaml', 'infra/sets/b.yaml')
    commit(root, 'Bo', 2)
    git(root, 'checkout', '-q', 'main')
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'warn')}      NEXT: "1"\n` })
    commit(root, 'Cy', 3)
    git(root, 'merge', '-q', '--no-commit', 'side')
    commit(root, 'Dai', 4)
    const found = await blamed(root)
    expect(found.get('LEVEL')).toMatchObject([{ path: 'infra/sets/b.yaml', author: 'Cy' }])
    expect(found.get('NEXT')).toMatchObject([{ author: 'Ada' }])
  })
})

describe('the output', () => {
  const BASE = 'bases:\n  net:\n    env:\n      REGION: eu-west-1\n'
  const FILES = {
    'infra/sets/base.yaml': BASE,
    'infra/ca.pem': 'one\n',
    'infra/sets/a.yaml': `variableSets:\n${SET}    terraform:\n      ca: { file: ../ca.pem }\n      key: { secret: KEY }\n`,
  }

  test('has the lines of the value, its base, the `from` and its file, each with its commit', async () => {
    const root = aRepository(FILES)
    write(root, {
      'infra/sets/a.yaml': FILES['infra/sets/a.yaml'].replace('  app:\n', '  app:\n    from: net\n'),
    })
    const second = commit(root, 'Bo', 2)
    write(root, { 'infra/sets/base.yaml': BASE.replace('1', '3') })
    const third = commit(root, 'Cy Example', 3)
    write(root, { 'infra/ca.pem': 'two\n' })
    const fourth = commit(root, 'Dai', 4)
    write(root, {
      'infra/sets/a.yaml': readFileSync(join(root, 'infra/sets/a.yaml'), 'utf8').replace('info', 'warn'),
    })
    const first = git(root, 'rev-list', '--max-parents=0', 'HEAD').trim()
    const short = (id: string): string => id.slice(0, 12)
    const { stdout } = await explain(root, '--from', 'files')
    expect(stdout.split('\n').slice(3)).toEqual([
      '  env LEVEL      warn            app (the workspace, rank 11)',
      '      infra/sets/a.yaml:6  not committed yet',
      '  env REGION     eu-west-3       app (the workspace, rank 11)',
      `      infra/sets/base.yaml:4 (in the base)     ${short(third)}  2026-03-03  Cy Example`,
      `      infra/sets/a.yaml:3 (includes the base)  ${short(second)}  2026-03-02  Bo`,
      '  terraform ca   (4 characters)  app (the workspace, rank 11)',
      `      infra/sets/a.yaml:8      ${short(first)}  2026-03-01  Ada`,
      `      infra/ca.pem (the file)  ${short(fourth)}  2026-03-04  Dai`,
      '  terraform key  (secret)        app (the workspace, rank 11)',
      `      infra/sets/a.yaml:9  ${short(first)}  2026-03-01  Ada`,
      '',
    ])
  })

  test('has no history of values that are not from the files, or that are removed', async () => {
    const root = aRepository()
    const journal = join(aDirectory(), 'journal')
    const other = aDirectory({
      ...SETPOINT,
      'infra/sets/a.yaml':
        'variableSets:\n  theirs: { workspaces: [prod], env: { THEIRS: "1" } }\n  app: { workspaces: [prod], env: { GONE: "1" } }\n',
    })
    const env = { SETPOINT_SANDBOX_FILE: journal }
    await run(['apply', '--sandbox', '--auto-approve'], { cwd: join(other, 'infra'), env })
    const argv = ['explain', 'prod', '--sandbox', '--blame']
    const { stdout } = await run(argv, { cwd: join(root, 'infra'), env })
    expect(stdout.split('\n').slice(3)).toEqual([
      '- env GONE    1     app (the workspace, rank 11)',
      '+ env LEVEL   info  app (the workspace, rank 11)',
      expect.stringMatching(/^ {6}infra\/sets\/a\.yaml:5 {2}\w{12} {2}2026-03-01 {2}Ada$/),
      '  env THEIRS  1     theirs (the workspace, rank 11)',
      '      not from these files',
      '',
    ])
  })

  test('has a separate history for the content of a file', async () => {
    const root = aRepository(FILES)
    write(root, { 'infra/ca.pem': 'two\n' })
    const lines = (await blamed(root)).get('ca')
    expect(lines).toMatchObject([{ state: 'committed' }, { part: 'file', state: 'uncommitted' }])
    git(root, 'mv', 'infra/ca.pem', 'infra/cb.pem')
    write(root, {
      'infra/cb.pem': 'one\n',
      'infra/sets/a.yaml': FILES['infra/sets/a.yaml'].replace('ca.pem', 'cb.pem'),
    })
    commit(root, 'Bo', 2)
    expect((await blamed(root)).get('ca')).toMatchObject([{ author: 'Bo' }, { part: 'file', author: 'Ada' }])
  })

  test('says "not committed" before the first commit', async () => {
    const root = aDirectory({ ...SETPOINT, 'infra/sets/a.yaml': `variableSets:\n${SET}` })
    git(root, 'init', '-q')
    expect((await blamed(root)).get('LEVEL')).toEqual([
      { part: 'value', path: 'infra/sets/a.yaml', line: 5, state: 'uncommitted' },
    ])
  })

  test('says "unknown" if a shallow clone lacks the commit', async () => {
    const origin = aRepository({ 'infra/sets/a.yaml': `variableSets:\n${SET}      NEXT: "1"\n` })
    write(origin, { 'infra/sets/a.yaml': `variableSets:\n${SET}      NEXT: "2"\n` })
    commit(origin, 'Bo', 2)
    write(origin, { other: '' })
    commit(origin, 'Cy', 3)
    const shallow = join(aDirectory(), 'clone')
    git(origin, 'clone', '-q', '--depth=2', `file://${origin}`, shallow)
    const found = await blamed(shallow)
    expect(found.get('LEVEL')).toEqual([{ part: 'value', path: 'infra/sets/a.yaml', line: 5, state: 'cut' }])
    expect(found.get('NEXT')).toMatchObject([{ state: 'cut' }])
    expect((await explain(shallow)).stdout).toContain(
      'infra/sets/a.yaml:5  unknown: this clone does not have the commit',
    )
    git(shallow, 'fetch', '-q', '--unshallow')
    expect((await blamed(shallow)).get('NEXT')).toMatchObject([{ author: 'Bo' }])
  })

  test('is an error without a repository, without git, with `--from live`, and for a Stack', async () => {
    const root = aDirectory({ ...SETPOINT, 'infra/sets/a.yaml': `variableSets:\n${SET}` })
    expect((await explain(root)).stderr).toMatch(
      /error no-history\n {2}`--blame` needs git and a repository with its history: there is no work tree around/,
    )
    const none = await run(['explain', 'prod', '--sandbox', '--blame'], {
      cwd: join(aRepository(), 'infra'),
      env: { PATH: aDirectory() },
    })
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('with its history: git is not in the PATH.'),
    ])
    const live = await explain(aRepository(), '--from', 'live')
    expect([live.code, live.stderr]).toEqual([
      1,
      expect.stringContaining('`--blame` shows the history of the files, which `--from live` excludes.'),
    ])
    const stack = await run(['explain', 'st-0000000000000001', '--sandbox', '--blame'], {
      cwd: join(aRepository(), 'infra'),
    })
    expect([stack.code, stack.stderr]).toEqual([1, expect.stringContaining('`--blame` is for workspaces')])
  })

  test('matches the schema as JSON', async () => {
    const root = aRepository(FILES)
    const { stdout } = await explain(root, '--format', 'json')
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../schemas/explanation.schema.json'), 'utf8'),
    )
    const closed = JSON.parse(
      JSON.stringify(schema).replaceAll('"properties":', '"additionalProperties":false,"properties":'),
    )
    const validate = new Ajv2020({ strict: true }).compile(closed)
    expect(validate(JSON.parse(stdout)) || validate.errors).toBe(true)
  })
})

describe('a malicious repository', () => {
  test('runs no program, and does not change the reported author', async () => {
    const { command, sprung } = aTrap()
    const root = aRepository({
      'infra/sets/a.yaml': `variableSets:\n${SET}`,
      '.gitattributes': '* filter=trap diff=trap text eol=crlf ident\n',
    })
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'warn')}` })
    const second = commit(root, 'Bo', 2)
    write(root, {
      '.mailmap': 'Mallory <mallory@example.test> <Bo@example.test>\n',
      '.git/ignored': `${second}\n`,
      '.git/order': 'x\n',
    })
    appendFileSync(
      join(root, '.git/config'),
      `${traps(command)}
[blame]
  ignoreRevsFile = ${join(root, '.git/ignored')}
[mailmap]
  file = ${join(root, '.mailmap')}
[log]
  showSignature = true
  mailmap = true
[gpg]
  program = ${command}
[diff]
  orderFile = /dev/zero
  renames = copies
  noprefix = true
[i18n]
  logOutputEncoding = UTF-16
[alias]
  rev-list = !${command}
  diff-tree = !${command}
  ls-tree = !${command}
`,
    )
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      execFileSync('cp', [command, join(root, '.git/hooks', hook)])
    const long = 'x'.repeat(200)
    git(root, 'update-ref', `refs/heads/${long}/${long}`, second)
    git(root, 'update-ref', 'refs/heads/HEAD', git(root, 'rev-list', '--max-parents=0', 'main').trim())
    // Other commits and objects instead of the real ones, which git itself would accept.
    const first = git(root, 'rev-list', '--max-parents=0', 'main').trim()
    git(root, 'replace', second, git(root, 'commit-tree', '-p', first, '-m', 'x', `${second}^{tree}`).trim())
    write(root, { '.git/info/grafts': `${second}\n` })
    expect((await blamed(root)).get('LEVEL')).toMatchObject([
      { author: 'Bo', email: 'Bo@example.test', commit: second },
    ])
    expect(sprung()).toBe(false)
  })

  test('cannot inject control characters or commands through author names', async () => {
    const root = aRepository()
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'warn')}` })
    commit(root, `\u001b]0;x\u0007\u202e::error::x @all ${'y'.repeat(5000)}`, 2)
    for (const format of ['text', 'markdown', 'json']) {
      const { code, stdout } = await explain(root, '--format', format)
      expect(code).toBe(0)
      for (const harm of ['\u001b', '\u0007', '\u202e', 'y'.repeat(300)]) expect(stdout).not.toContain(harm)
      expect(stdout).not.toMatch(/^\s*::/m)
      expect(stdout).toContain('error::x')
    }
  })

  test('fetches no missing objects, and the error says what is missing', async () => {
    const { command, sprung } = aTrap()
    const root = aRepository()
    const old = git(root, 'rev-parse', 'HEAD:infra/sets/a.yaml').trim()
    write(root, { 'infra/sets/a.yaml': `variableSets:\n${SET.replace('info', 'warn')}` })
    commit(root, 'Bo', 2)
    rmSync(join(root, '.git/objects', old.slice(0, 2), old.slice(2)), { force: true })
    appendFileSync(join(root, '.git/config'), traps(command))
    const { code, stderr } = await explain(root)
    expect([code, stderr]).toEqual([1, expect.stringContaining('this clone lacks versions of files.')])
    expect(sprung()).toBe(false)
  })
})
