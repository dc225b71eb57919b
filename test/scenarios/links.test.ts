import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEMO_MARK } from '../../src/cli/commands/demo-command.ts'
import { startShell } from '../support/child.ts'
import { aRepository, runIn, write } from '../support/hostile-repository.ts'
import { aDirectory } from '../support/program.ts'

/** Symbolic links of a repository at every place that a run writes to. */
const VICTIM = 'as it was\n'

/** A repository with a link to a directory outside that has one file. */
function linked(link: string, to: '' | '/file'): { readonly root: string; readonly outside: string } {
  const root = aRepository()
  const outside = aDirectory({ file: VICTIM })
  mkdirSync(dirname(join(root, link)), { recursive: true })
  rmSync(join(root, link), { recursive: true, force: true })
  symlinkSync(`${outside}${to}`, join(root, link))
  return { root, outside }
}

const setpoint = (cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runIn(cwd, argv, { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box'), ...env })

const CASES: readonly (readonly [link: string, to: '' | '/file', argv: readonly string[]])[] = [
  ['infra/plan.json', '/file', ['plan', '--sandbox', '--out', 'plan.json']],
  ['infra/out', '', ['plan', '--sandbox', '--out', 'out/plan.json']],
  ['out', '', ['plan', '--sandbox', '--out', '../out/plan.json']],
  ['infra/plan.md', '/file', ['plan', '--sandbox', '--report', 'markdown=plan.md']],
  ['infra/out', '', ['plan', '--sandbox', '--report', 'html=out/plan.html']],
  ['infra/snapshot.json', '/file', ['snapshot', '--sandbox', '--out', 'snapshot.json']],
  ['infra/out', '', ['snapshot', '--sandbox', '--out', 'out/snapshot.json']],
  ['infra/data', '/file', ['sandbox', '--data', 'data']],
  ['infra/out', '', ['sandbox', '--data', 'out/data']],
  ['infra/rc', '/file', ['sandbox', '--terraform-rc', 'rc']],
  ['infra/out', '', ['sandbox', '--terraform-rc', 'out/rc']],
]

describe('a symbolic link out of the repository', () => {
  test.each(CASES)('%s -> outside%s: nothing is written outside (%s)', async (link, to, argv) => {
    const { root, outside } = linked(link, to)
    const { code, stderr } = await setpoint(join(root, 'infra'), argv)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        to === '' ? /its path contains a symbolic link out of the repository/ : /it is a symbolic link/,
      ),
    ])
    expect(stderr).not.toMatch(/\n {4}at /)
    expect(readdirSync(outside)).toEqual(['file'])
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(VICTIM)
    expect(lstatSync(join(root, link)).isSymbolicLink()).toBe(true)
  })

  test.each([
    ['infra/.setpoint', ''],
    ['infra/.setpoint/sandbox', '/file'],
  ] as const)('%s: the sandbox is not stored there', async (link, to) => {
    const { root, outside } = linked(link, to)
    for (const argv of [
      ['plan', '--sandbox'],
      ['apply', '--sandbox', '--auto-approve'],
    ]) {
      const { code, stderr } = await setpoint(join(root, 'infra'), argv, { SETPOINT_SANDBOX_FILE: '' })
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/--sandbox ".setpoint\/sandbox": (?:it is|its path contains) a symbolic link/),
      ])
    }
    const there = { SETPOINT_SANDBOX_FILE: join(root, link, to === '' ? 'x' : '') }
    expect((await setpoint(join(root, 'infra'), ['plan', '--sandbox'], there)).code).toBe(1)
    expect(readdirSync(outside)).toEqual(['file'])
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(VICTIM)
  })

  test.each(['sandbox.tmp', 'sandbox.lock', '.setpoint-.tmp', 'sandbox.lock.1'])(
    'infra/.setpoint/%s: a state of the sandbox is not written through it',
    async name => {
      const { root, outside } = linked(`infra/.setpoint/${name}`, '/file')
      for (const argv of [
        ['plan', '--sandbox'],
        ['apply', '--sandbox', '--auto-approve'],
        ['drift', '--sandbox'],
      ])
        await setpoint(join(root, 'infra'), argv, { SETPOINT_SANDBOX_FILE: '' })
      expect(readdirSync(outside)).toEqual(['file'])
      expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(VICTIM)
    },
  )

  test('is not followed by an export', async () => {
    const { root, outside } = linked('infra/exported', '')
    const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') }
    const run = (...argv: readonly string[]) => setpoint(join(root, 'infra'), argv, env)
    expect((await run('apply', '--sandbox', '--auto-approve')).code).toBe(0)
    const { code, stderr } = await run('export', '--sandbox', '--out', 'exported')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('its path contains a symbolic link out of the repository'),
    ])
    expect(readdirSync(outside)).toEqual(['file'])
  })

  test('is not followed by a demo', async () => {
    const { root, outside } = linked('infra/setpoint-demo', '')
    write(outside, { 'setpoint.yaml': `${DEMO_MARK}\n` })
    const { code, stderr } = await setpoint(join(root, 'infra'), ['demo'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('its path contains a symbolic link out of the repository'),
    ])
    expect(readdirSync(outside)).toEqual(['file', 'setpoint.yaml'])
  })

  test('is not followed by init', async () => {
    const root = aRepository({ 'infra/sets/a.yaml': '' })
    const outside = aDirectory({ file: VICTIM })
    mkdirSync(join(root, 'new'))
    symlinkSync(outside, join(root, 'new/sets'))
    const { code, stderr } = await setpoint(root, ['init', 'acme', '--sandbox', '-C', 'new'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('its path contains a symbolic link out of the repository'),
    ])
    expect(readdirSync(outside)).toEqual(['file'])
    expect(readdirSync(join(root, 'new'))).toEqual(['sets'])
  })
})

describe('a symbolic link inside the repository', () => {
  test('is not followed into .git', async () => {
    const root = aRepository()
    symlinkSync('.git', join(root, 'out'))
    for (const out of ['out/hooks/post-merge', '.git/hooks/post-merge']) {
      const { code, stderr } = await setpoint(root, [
        'plan',
        '--sandbox',
        '-C',
        'infra',
        '--out',
        `../${out}`,
      ])
      expect([code, stderr]).toEqual([1, expect.stringContaining('it belongs to the files of Git itself')])
    }
    expect(readdirSync(join(root, '.git/hooks'))).not.toContain('post-merge')
  })

  test('is not followed to a file, but to a directory', async () => {
    const root = aRepository({
      'infra/setpoint.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': '',
      README: VICTIM,
    })
    symlinkSync('../README', join(root, 'infra/plan.json'))
    symlinkSync('/dev/stderr', join(root, 'infra/errors.json'))
    symlinkSync('nowhere', join(root, 'infra/dangling'))
    symlinkSync('sets', join(root, 'infra/same'))
    const plan = (out: string) => setpoint(join(root, 'infra'), ['plan', '--sandbox', '--out', out])
    for (const out of ['plan.json', 'errors.json', 'dangling']) {
      const { code, stdout, stderr } = await plan(out)
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringContaining(`--out "${out}": it is a symbolic link.`),
      ])
    }
    expect((await plan('dangling/x')).stderr).toContain('its path contains a broken symbolic link')
    expect((await plan('same/plan.json')).code).toBe(0)
    expect(readFileSync(join(root, 'README'), 'utf8')).toBe(VICTIM)
    expect(JSON.parse(readFileSync(join(root, 'infra/sets/plan.json'), 'utf8'))).toMatchObject({
      organization: 'acme',
    })
  })

  test('to a set file is followed by export --update, and stays a link', async () => {
    const root = aRepository({
      'infra/setpoint.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': '',
      'shared/b.yaml': 'variableSets: { b: { env: { A: "1" } } }\n',
    })
    symlinkSync('../../shared/b.yaml', join(root, 'infra/sets/b.yaml'))
    const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') }
    const run = (...argv: readonly string[]) => setpoint(join(root, 'infra'), argv, env)
    expect((await run('apply', '--sandbox', '--auto-approve')).code).toBe(0)
    write(root, { 'shared/b.yaml': 'variableSets: { b: { env: { A: "2" } } }\n' })
    expect((await run('export', '--sandbox', '--update', 'b')).code).toBe(0)
    expect(readFileSync(join(root, 'shared/b.yaml'), 'utf8')).toContain('A: "1"')
    expect(lstatSync(join(root, 'infra/sets/b.yaml')).isSymbolicLink()).toBe(true)
  })
})

test('a symbolic link of the system, such as /dev/stdout, is followed', async () => {
  const root = aRepository()
  const line = '$SETPOINT plan --sandbox --quiet --out /dev/stdout | cat'
  const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'box') }
  const { stdout } = await startShell(line, { cwd: join(root, 'infra'), env }).ended
  expect(stdout).toContain('"checksum": ')
  expect(lstatSync('/dev/stdout').isSymbolicLink()).toBe(true)
})
