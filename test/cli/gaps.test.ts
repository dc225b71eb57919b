import { expect, test } from 'vitest'
import { aPlace } from './place.ts'

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
