import { expect, test } from 'vitest'
import { aPlace, ONE } from '../support/place.ts'

const OTF = { server: 'otf' } as const
const OTHER = { ...ONE, 'setpoint.yaml': 'organization: acmee\n' }

test('an organization that does not exist is said before the first create, also if its lists are empty', async () => {
  const place = await aPlace(OTHER, { profile: OTF })
  const ran = await place.setpoint(['apply', '--auto-approve', '--verbose'])
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('error missing-organization')
  expect(ran.stderr).toContain('The service shows no organization "acmee"')
  expect(ran.stderr).not.toMatch(/^POST/m)
})

test.each([
  ['a service that answers everything', {}],
  ['the server OTF', OTF],
])('the first set of an organization that exists takes one more read: %s', async (_, profile) => {
  const place = await aPlace(ONE, { profile })
  const first = await place.setpoint(['apply', '--auto-approve', '--verbose'])
  expect([first.code, first.stderr.match(/^GET \/api\/v2\/organizations\/acme 200/gm)?.length]).toEqual([
    0, 1,
  ])
  place.write({ 'sets/a.yaml': 'variableSets: { a: { env: { A: 1 } }, b: {} }\n' })
  const second = await place.setpoint(['apply', '--auto-approve', '--verbose'])
  expect([second.code, second.stderr.match(/^GET \/api\/v2\/organizations\/acme 200/gm)]).toEqual([0, null])
})
