import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, type Place } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

const KEY = { 'setpoint.yaml': 'organization: acme\ndirectory: names.yaml\n', 'names.yaml': 'a: [broken\n' }
const FILE = { 'directory.yaml': 'organization: other\nworkspaces: { w: ws-nobody }\n' }
const SETS = { 'sets/a.yaml': 'variableSets: { a: { workspaces: [w], env: { A: 1 } } }\n' }

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd })

function commit({ cwd }: Place, message: string): void {
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-qm', message)
}

describe('the directory file of earlier versions', () => {
  test.each([
    ['a key', KEY, 'setpoint.yaml:2:12'],
    ['a file', FILE, 'directory.yaml:1:1'],
    ['both', { ...KEY, ...FILE }, 'setpoint.yaml:2:12'],
  ])('is one warning, and is not read: %s', async (_, files, at) => {
    const place = await aPlace({ ...SETS, ...files })
    for (const command of [
      ['validate'],
      ['plan'],
      ['apply', '--auto-approve'],
      ['export', '--update', 'a'],
    ]) {
      const { code, stdout, stderr } = await place.setpoint(command)
      const said = [...(stdout + stderr).matchAll(/^(\S+) {2}warning no-longer-read$/gm)].map(
        ([, one]) => one,
      )
      expect({ command, code, said }).toEqual({ command, code: 0, said: [at] })
    }
    expect(place.live()).toEqual(['a  env/A=1  -> w'])
  })

  test('is no set file, whatever the patterns match', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\nsets: "*.yaml"\n',
      ...FILE,
      'a.yaml': SETS['sets/a.yaml'],
    })
    expect((await place.setpoint(['plan'])).code).toBe(0)
  })

  test('is valid in a base, in a head and in older commits', async () => {
    const place = await aPlace({ ...SETS, ...KEY })
    git(place.cwd, 'init', '-q', '-b', 'main')
    commit(place, 'as earlier versions wrote it')
    place.write({ 'setpoint.yaml': 'organization: acme\n', 'names.yaml': '# gone\n' })
    commit(place, 'without it')
    const now = await place.setpoint(['plan', '--base', 'HEAD^'])
    expect([now.code, now.stderr]).toEqual([0, ''])
    expect(now.stdout).toContain('+ a')
    const { code, stdout } = await place.setpoint(['explain', 'w', '--blame'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('env A')])
    place.write(KEY)
    const back = await place.setpoint(['plan', '--base', 'HEAD'])
    expect([back.code, back.stderr.match(/warning .*/g)]).toEqual([0, ['warning no-longer-read']])
    expect((back.stdout + back.stderr).match(/no-longer-read/g)).toHaveLength(1)
  })
})

describe('a pull request cannot say who is in which project', () => {
  const W = 'ws-AAAAAAAAAAAAAAA1'
  const TRUTH = {
    organizations: [{ name: 'acme' }],
    projects: [{ name: 'prod-shop' }, { name: 'test-shop' }],
    workspaces: [
      { id: W, name: 'shop-test', project: 'test-shop' },
      { name: 'shop-prod', project: 'prod-shop' },
    ],
    sets: [
      { name: 'level', projects: ['test-shop'], variables: [{ key: 'LEVEL', category: 'env', value: '1' }] },
    ],
  } as const
  const LIE = {
    'directory.yaml': `organization: acme\nworkspaces: { shop-test: { id: ${W}, project: prod-shop } }\n`,
  }
  const ASSIGNED = {
    'sets/a.yaml':
      'variableSets:\n  prod-shop: { workspaces: [shop-test], env: { TOKEN: { secret: TOKEN } } }\n  level: { projects: [test-shop], env: { LEVEL: 2 } }\n',
  }
  const rule = (text: string) => `rules:\n  r: { ${text}, level: block, message: No. }\n`
  const env = { SETPOINT_SECRET_TOKEN: 'only-for-this-test' }

  test.each([
    ['exposure', 'for: exposure, require: \'exposure.projects.all(p, p.startsWith("prod-"))\''],
    ['set', 'for: set, require: \'set.workspaces.all(w, w.project.startsWith("prod-"))\''],
    ['effect', 'for: effect, when: effect.key == "LEVEL", require: "effect.count == 0"'],
    ['plan', 'for: plan, require: plan.affected == 0'],
  ])('to a rule for %s, in the repository, outside of it, and in a plan from a snapshot', async (_, text) => {
    const place = await aPlace({ ...ASSIGNED, ...LIE, 'rules/a.yaml': rule(text) })
    place.sandbox.restore(TRUTH)
    const blocks = async (...args: readonly string[]) => {
      const { stdout } = await place.setpoint(['plan', '--format', 'json', ...args])
      return JSON.parse(stdout).blocks.map(({ code }: { readonly code: string }) => code)
    }
    expect(await blocks()).toContain('violates-rule')
    await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    expect(await blocks('--snapshot', 'snapshot.json')).toContain('violates-rule')
    const outside = aDirectory({ 'a.yaml': rule(text) })
    place.write({ 'rules/a.yaml': rule('for: plan, require: "true"').replace(' r:', ' other:') })
    expect(await blocks('--rules', outside)).toContain('violates-rule')
    expect((await place.setpoint(['apply', '--auto-approve', '--rules', outside], { env })).code).toBe(4)
    expect(place.live()).toHaveLength(1)
  })

  test('to the guard that forbids gaps, and to reports', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\nguards: { gaps: forbid }\n',
      'sets/a.yaml':
        'variableSets:\n  level: { projects: [test-shop], env: { LEVEL: { secret: TOKEN } } }\n  other: {}\n',
      ...LIE,
    })
    place.sandbox.restore({
      ...TRUTH,
      sets: [
        {
          name: 'level',
          projects: ['test-shop'],
          variables: [{ key: 'LEVEL', category: 'env', value: '1', sensitive: true }],
        },
        { name: 'other' },
      ],
    })
    place.write({
      'sets/a.yaml': 'variableSets:\n  level: { projects: [test-shop], env: { LEVEL: "1" } }\n  other: {}\n',
    })
    const { stdout } = await place.setpoint(['plan', '--format', 'json'])
    const { blocks } = JSON.parse(stdout)
    expect(blocks.map(({ code }: { readonly code: string }) => code)).toContain('opens-gap')
    const text = await place.setpoint(['plan', '--report', 'markdown=plan.md', '--report', 'html=plan.html'])
    expect(text.stdout).toContain('workspace shop-test')
    for (const file of ['plan.md', 'plan.html']) {
      const report = readFileSync(join(place.cwd, file), 'utf8')
      expect([report.includes('shop-test'), report.includes('prod-shop')]).toEqual([true, false])
    }
  })
})
