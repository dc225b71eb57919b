import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { start } from '../support/child.ts'
import { git, write } from '../support/hostile-repository.ts'
import { aDirectory, run } from '../support/program.ts'

/** Unusable paths, each with another error of the system. */
const LONG_NAME = 'a'.repeat(300)
const LONG_PATH = 'a/'.repeat(3_000)
const ODD = ['loop', 'loop/x', LONG_NAME, `${LONG_NAME}/x`, LONG_PATH, 'setpoint.yaml/x']

/** A repository with circular links. */
function aRepository(): string {
  const root = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': 'variableSets: { a: {} }\n',
  })
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Begin')
  symlinkSync('pool', join(root, 'loop'))
  symlinkSync('loop', join(root, 'pool'))
  return root
}

/** The expected error with its code and place. Nothing may be thrown. */
async function errorOf(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stderr } = await run(argv, { cwd, env })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^(?:\S+:\d+:\d+ {2})?error [a-z-]+\n {2}\S/m)
  expect(stderr).not.toMatch(/^ +at /m)
  return stderr
}

describe('an unusable path', () => {
  test.each(ODD.map(path => [path.slice(0, 20), path] as const))(
    'in the files is an error at its line (%s…)',
    async (_, path) => {
      const root = aRepository()
      write(root, { 'sets/a.yaml': `variableSets: { a: { env: { A: { file: ../${path} } } } }\n` })
      expect(await errorOf(root, ['validate'])).toContain('sets/a.yaml:1:40  error unreadable-file')
      write(root, { 'sets/a.yaml': 'variableSets: { a: {} }\n' })
      for (const pattern of [path, `${path}/*.yaml`]) {
        write(root, { 'setpoint.yaml': `organization: acme\nsets: ${pattern}\n` })
        expect(await errorOf(root, ['validate'])).toMatch(
          /setpoint\.yaml:2:7 {2}error (?:no-set-files|wrong-value|outside-repository)/,
        )
      }
    },
  )

  test('of a set file is an error with that path', async () => {
    const root = aRepository()
    symlinkSync('../loop', join(root, 'sets/b.yaml'))
    expect(await errorOf(root, ['validate'])).toContain('sets/b.yaml:1:1  error unreadable-file')
    write(root, { 'setpoint.yaml': 'organization: acme\nsets: .\n' })
    expect(await errorOf(root, ['validate'])).toContain('To read all files in it, write `./**/*.yaml`.')
  })

  test.each([
    ['validate', '-C'],
    ['validate', '--config'],
    ['plan', '--sandbox', '--base', 'HEAD', '-C'],
    ['plan', '--sandbox', '--secrets'],
    ['plan', '--sandbox', '--out'],
    ['plan', '--snapshot'],
    ['plan', '--sandbox', '--report', 'json='],
    ['apply', '--sandbox'],
    ['show'],
    ['comment'],
    ['secrets', '--secrets'],
    ['snapshot', '--sandbox', '--out'],
    ['export', 'acme', '--terraform-state'],
    ['sandbox', '--port', '0', '--data'],
    ['sandbox', '--port', '0', '--seed'],
    ['sandbox', '--port', '0', '--faults'],
    ['demo'],
  ])('as an argument is an error (%s %s %s %s)', async (...argv) => {
    const root = aRepository()
    const flag = argv.filter(word => word !== undefined)
    for (const path of ['loop', 'loop/x', LONG_PATH]) {
      const last = flag.at(-1) ?? ''
      const words = last.endsWith('=') ? [...flag.slice(0, -1), `${last}${path}`] : [...flag, path]
      await errorOf(root, words, { SETPOINT_SANDBOX_FILE: join(root, 'box') })
    }
  })

  test('in the environment is an error', async () => {
    const root = aRepository()
    for (const path of ODD)
      await errorOf(root, ['plan', '--sandbox'], { SETPOINT_SANDBOX_FILE: join(root, path) })
  })
})

test('init does not block on a pipe or read an endless device', async () => {
  const outside = aDirectory()
  execFileSync('mkfifo', [join(outside, 'pipe')])
  const root = aDirectory()
  symlinkSync(join(outside, 'pipe'), join(root, 'package-lock.json'))
  symlinkSync('/dev/zero', join(root, '.gitignore'))
  const { code, stderr } = await start(['init', 'acme', '--sandbox', '--pipeline', 'github'], { cwd: root })
    .ended
  expect([code, stderr]).toEqual([0, expect.stringContaining('Add .setpoint/ to .gitignore')])
})
