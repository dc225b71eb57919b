import { describe, expect, test } from 'vitest'
import { aPlace, type Place, SEED } from '../support/place.ts'

const NAMES = Array.from({ length: 40 }, (_, at) => `shop-${String(at).padStart(2, '0')}`)
/** Forty workspaces in two projects. */
const WORKSPACES = {
  ...SEED,
  projects: [{ name: 'shop' }, { name: 'pay' }],
  workspaces: NAMES.map((name, at) => ({ name, project: at < 20 ? 'shop' : 'pay' })),
}
const FILES = (base: string) => ({
  'setpoint.yaml': 'organization: acme\nowner: us\n',
  'sets/base.yaml': `variableSets:\n  base:\n${base}    env: { REGION: eu, TOKEN: { secret: TOKEN } }\n`,
})
const ENV = { SETPOINT_SECRET_TOKEN: 'T0ken' }

async function applied(base: string): Promise<Place> {
  const place = await aPlace(FILES(base))
  place.sandbox.restore(WORKSPACES)
  const first = await place.setpoint(['apply', '--auto-approve'], { env: ENV })
  if (first.code !== 0) throw new Error(first.stdout + first.stderr)
  return place
}

describe.each([
  ['the line `global: true` is deleted', '    global: true\n', ''],
  ['`projects: []` is written', '    projects: [shop, pay]\n', '    projects: []\n'],
  ['another project is written', '    projects: [shop]\n', '    projects: [pay]\n'],
])('%s', (_, before, after) => {
  test('the apply is refused until exactly this plan is approved', async () => {
    const place = await applied(before)
    place.write(FILES(after))
    const refused = await place.setpoint(['apply', '--auto-approve'], { env: ENV })
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(
      /"base" no longer reaches .*, and \d0 workspaces lose .*, which nothing else gives/,
    )
    const { digest } = JSON.parse(
      (await place.setpoint(['plan', '--format', 'json', '--out', 'plan.json'], { env: ENV })).stdout,
    )
    expect((await place.setpoint(['apply', 'plan.json', '--approve', digest], { env: ENV })).code).toBe(0)
  })
})

test('`global` that becomes all projects blocks nothing', async () => {
  const place = await applied('    global: true\n')
  place.write(FILES('    projects: [shop, pay]\n'))
  expect((await place.setpoint(['apply', '--auto-approve'], { env: ENV })).code).toBe(0)
})
