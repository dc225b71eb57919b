import { expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'

const FORBIDDEN = 'organization: acme\nguards: { gaps: forbid }\n'
const BASE = {
  name: 'base',
  global: true,
  variables: [{ key: 'A', category: 'env', value: '1' }],
} as const
const MOVED_SETS = 'variableSets: { base: { global: true }, proxy: { global: true, env: { A: 1 } } }\n'
const FILES = { 'setpoint.yaml': FORBIDDEN, 'sets/a.yaml': MOVED_SETS }

test('a plan with a gap is refused if `guards.gaps` forbids it, and applied with --approve', async () => {
  const place = await aPlace(FILES, { sets: [BASE] })
  const planned = await place.setpoint(['plan', '--format', 'json'])
  const { blocks, digest, review } = JSON.parse(planned.stdout)
  expect(blocks).toMatchObject([{ code: 'opens-gap', source: { path: 'sets/a.yaml', line: 1 } }])
  expect(review.map(({ kind }: { kind: string }) => kind)).toContain('gap')
  const refused = await place.setpoint(['apply', '--auto-approve'])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('neither the old nor the new one, and guards.gaps forbids it.')
  expect(place.live()).toEqual(['base  global  env/A=1'])
  expect((await place.setpoint(['apply', '--approve', digest])).code).toBe(0)
  expect(place.live()).toEqual(['base  global', 'proxy  global  env/A=1'])
})

test('a plan without a gap is applied', async () => {
  const place = await aPlace(
    { ...FILES, 'sets/a.yaml': 'variableSets: { base: { global: true, env: { A: 2 } } }\n' },
    { sets: [BASE] },
  )
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
})

test('a change that removes the guard is still checked by the guard of the base, and reported as loosening it', async () => {
  const { execFileSync } = await import('node:child_process')
  const place = await aPlace(
    { ...FILES, 'sets/a.yaml': 'variableSets: { base: { global: true, env: { A: 1 } } }\n' },
    { sets: [BASE] },
  )
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: place.cwd })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'base')
  place.write({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': MOVED_SETS })
  const planned = await place.setpoint(['plan', '--base', 'main', '--format', 'json'])
  const { blocks, facts } = JSON.parse(planned.stdout)
  expect(blocks.map(({ code }: { code: string }) => code)).toEqual(['opens-gap'])
  expect(facts.base.loosened).toEqual([{ setting: 'guards.gaps', base: 'forbid', head: 'allow' }])
})

test('a gap that the service does not let us see is an error where gaps are forbidden', async () => {
  const [W, P] = ['ws-AAAAAAAAAAAAAAA1', 'prj-AAAAAAAAAAAAAAA1'] as const
  const moved = `variableSets: { base: { projects: [${P}] }, proxy: { workspaces: [${W}], env: { A: 1 } } }\n`
  const places = {
    workspaces: [{ id: W, name: 'one', project: 'two' }],
    projects: [{ id: P, name: 'two' }],
    sets: [
      { ...BASE, global: false, projects: [P] },
      { name: 'proxy', workspaces: [W] },
    ],
  }
  const files = { 'setpoint.yaml': FORBIDDEN, 'sets/a.yaml': moved }
  const silent = await aPlace(files, { traits: { lookUps: 'no' } })
  silent.sandbox.restore({ organizations: [{ name: 'acme' }], ...places })
  for (const command of [['plan'], ['apply', '--auto-approve']]) {
    const { code, stdout, stderr } = await silent.setpoint(command)
    expect([
      code,
      (stdout + stderr).match(/error {2}unknown-audience\n {6}guards\.gaps forbids gaps/g),
    ]).toEqual([1, expect.any(Array)])
  }
  expect(silent.live()[0]).toMatch(/^base {2}env\/A=1/)
  const telling = await aPlace(files)
  telling.sandbox.restore({ organizations: [{ name: 'acme' }], ...places })
  expect((await telling.setpoint(['plan'])).code).toBe(0)
})
