import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, type Place, TO_FINISH } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd })

const CONFIGURATION = 'organization: acme\nowner: net\nprune: true\n'
const GROUPS = 'groups: { both: { workspaces: { w: ws-wwwwwwwwwwwwwwww, x: ws-xxxxxxxxxxxxxxxx } } }\n'
const RULE = `rules:
  no-global:
    for: set
    require: '!set.global'
    message: Nothing is global here.
    level: warn
`
const FILES = {
  'setpoint.yaml': CONFIGURATION,
  'sets/a.yaml': 'variableSets: { a: { env: { A: 1 }, workspaces: [w] } }\n',
  'sets/deep/b.yaml': 'variableSets: { b: { global: true, env: { B: 1 } } }\n',
  'rules/global.yaml': RULE,
}

/** The same repository with the other ending everywhere. */
function renameAll({ cwd }: Place, ending: 'yml' | 'yaml' = 'yml'): void {
  for (const path of Object.keys(FILES))
    renameSync(join(cwd, path), join(cwd, path.replace(/\.yaml$/, `.${ending}`)))
}

describe('.yml and .yaml are the same ending, of every file', () => {
  test('a repository with the other ending has the same plan, to the digest', async () => {
    const place = await aPlace(FILES)
    const reported = async () => {
      const { stdout } = await place.setpoint(['plan', '--format', 'json'])
      const { steps, hits, digest } = JSON.parse(stdout)
      expect(hits).toHaveLength(1)
      return { steps: steps.length, digest }
    }
    const before = await reported()
    renameAll(place)
    expect(await reported()).toEqual(before)
  })

  test('after the rename an apply deletes nothing, though it prunes', async () => {
    const place = await aPlace({ ...FILES, 'rules/global.yaml': '' }).then(one => {
      renameSync(join(one.cwd, 'rules'), join(one.cwd, 'unused'))
      return one
    })
    const files = ['setpoint', 'sets/a', 'sets/deep/b']
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    const live = place.live()
    git(place.cwd, 'init', '-q', '-b', 'main')
    git(place.cwd, 'add', '-A')
    git(place.cwd, 'commit', '-qm', 'before')
    for (const file of files) renameSync(join(place.cwd, `${file}.yaml`), join(place.cwd, `${file}.yml`))
    for (const more of [[], ['--base', 'HEAD'], ['--base', 'HEAD', '--only-this-change', '--auto-approve']]) {
      const command = more.length > 2 ? 'apply' : 'plan'
      const { code, stdout, stderr } = await place.setpoint([command, ...more])
      expect([more, code, stderr.replace(TO_FINISH, '')]).toEqual([more, 0, ''])
      expect(stdout).toContain('No changes.')
    }
    expect(place.live()).toEqual(live)
  })

  test('a directory below the configuration finds it, and so do its relatives', async () => {
    const place = await aPlace(FILES)
    git(place.cwd, 'init', '-q')
    renameAll(place)
    const below = await place.setpoint(['validate'], { cwd: join(place.cwd, 'sets/deep') })
    expect([below.code, below.stderr]).toEqual([
      0,
      'Using ../../setpoint.yml. Paths of files below are relative to ../../.\n',
    ])
    const named = await place.setpoint(['validate', '--config', '*/../setpoint.yaml'])
    expect(named.code).toBe(1)
    const many = await place.setpoint(['validate', '--config', 'setpoint.y*ml'])
    expect(many.code).toBe(0)
  })

  test('files are written back into the file that is there', async () => {
    const place = await aPlace({ 'setpoint.yml': CONFIGURATION, 'sets/a.yml': FILES['sets/a.yaml'] })
    renameSync(join(place.cwd, 'setpoint.yaml'), join(place.cwd, 'unused'))
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    place.change([{ name: 'a', workspaces: ['w'], variables: [{ key: 'A', category: 'env', value: '2' }] }])
    const { code } = await place.setpoint(['export', '--update', 'a'])
    expect([code, readFileSync(join(place.cwd, 'sets/a.yml'), 'utf8')]).toEqual([
      0,
      'variableSets: { a: { env: { A: "2" }, workspaces: [w] } }\n',
    ])
  })

  test('groups.yml is read like groups.yaml', async () => {
    const cwd = aDirectory({
      'setpoint.yml': 'organization: acme\n',
      'groups.yml': GROUPS,
      'sets/a.yml': 'variableSets: { a: { workspaces: ["group:both"], env: { A: 1 } } }\n',
    })
    const { code, stdout } = await run(['plan', '--sandbox'], { cwd })
    expect([code, stdout]).toEqual([0, expect.stringContaining('+ 2 workspaces')])
  })

  test('rules of --rules are in force with both endings', async () => {
    const rules = aDirectory({ 'policy.yml': RULE })
    const place = await aPlace({ 'sets/b.yaml': FILES['sets/deep/b.yaml'] })
    const { stdout } = await place.setpoint(['plan', '--rules', rules])
    expect(stdout).toContain('Nothing is global here.')
  })
})

describe('two configurations in one directory', () => {
  test('are an error with a place in every command, and its remedy works', async () => {
    const place = await aPlace({ ...FILES, 'setpoint.yml': CONFIGURATION })
    for (const command of [['validate'], ['plan'], ['apply', '--auto-approve'], ['drift'], ['groups']]) {
      const { code, stdout, stderr } = await place.setpoint(command)
      expect([command, code, stdout + stderr]).toEqual([
        command,
        1,
        expect.stringContaining(
          'setpoint.yml:1:1  error no-configuration\n  This directory has two configurations, setpoint.yaml and setpoint.yml.\n  Remove one of the two.\n',
        ),
      ])
    }
    expect(place.live()).toEqual([])
    renameSync(join(place.cwd, 'setpoint.yml'), join(place.cwd, 'other'))
    expect((await place.setpoint(['validate'])).code).toBe(0)
  })

  test('are not made by init', async () => {
    const cwd = aDirectory({ 'setpoint.yml': CONFIGURATION })
    const { code, stderr } = await run(['init', 'acme', '--sandbox'], { cwd })
    expect([code, stderr]).toEqual([1, expect.stringContaining('This file exists already: ')])
    expect(stderr).toContain('setpoint.yml')
  })
})
