import { expect, test } from 'vitest'
import { aPlace } from './place.ts'

const MOVES = {
  'sets/a.yaml': 'variableSets:\n  a: { project: p, env: { S: { secret: S }, E: { external: true } } }\n',
}
const HELD = {
  sets: [{ name: 'a', variables: [{ key: 'S', value: 'old', category: 'env', sensitive: true }] }],
} as const

test('a plan that changes the owner of a set requires its digest, and every secret before the first write', async () => {
  const place = await aPlace(MOVES, HELD)
  const before = place.live()
  const { digest, blocks } = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
  expect(blocks.map(({ code }: { code: string }) => code)).toEqual(['replaces-set'])
  const secret = { env: { SETPOINT_SECRET_S: 'new' } }
  expect((await place.setpoint(['apply', '--auto-approve'], secret)).code).toBe(4)
  const without = await place.setpoint(['apply', '--approve', digest])
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining('sets/a.yaml:2:27  error missing-secret'),
  ])
  expect(place.live()).toEqual(before)
  expect((await place.setpoint(['apply', '--approve', digest], secret)).code).toBe(0)
  expect(place.live()).toEqual(['a  of project p  env/S=(new)'])
})

test('an external value is lost when a set changes its owner, so the plan is blocked', async () => {
  const files = { 'sets/a.yaml': 'variableSets: { a: { project: p, env: { S: { external: true } } } }\n' }
  const place = await aPlace(files, HELD)
  const { blocks } = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
  expect(blocks.map(({ code }: { code: string }) => code)).toEqual(['replaces-set', 'loses-secret'])
})

test('a workspace outside of the project of a set is warned about if the directory file has its project', async () => {
  const place = await aPlace({
    'setpoint.yaml': 'organization: acme\ndirectory: directory.yaml\n',
    'sets/a.yaml': 'variableSets:\n  a: { project: p, workspaces: [w, x] }\n',
  })
  await place.setpoint(['directory'])
  expect((await place.setpoint(['plan'])).stdout).not.toContain('outside-project')
  place.sandbox.restore({
    organizations: [{ name: 'acme' }],
    projects: [{ name: 'p' }, { name: 'q' }],
    workspaces: [
      { name: 'w', project: 'p' },
      { name: 'x', project: 'q' },
    ],
  })
  await place.setpoint(['directory'])
  expect((await place.setpoint(['plan'])).stdout).toMatch(
    /^sets\/a\.yaml:2:3 {2}warning outside-project\n {2}"a" belongs to the project "p" but is assigned outside of it: workspace "x"\./m,
  )
})

test('a set of a project cannot be global', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  a: { project: p, global: true }\n' })
  const { code, stderr } = await place.setpoint(['validate'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('error global-with-project')])
})
