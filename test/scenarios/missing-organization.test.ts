import { expect, test } from 'vitest'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

const OTF = { server: 'otf' } as const
const OTHER = { ...ONE, 'setpoint.yaml': 'organization: acmee\n' }

/** Such a service lists no sets of an organization that does not exist, as of one that is empty. */
test.each([
  [['plan']],
  [['drift']],
  [['apply', '--auto-approve']],
  [['snapshot', '--out', 'snapshot.json']],
  [['export', '--out', 'exported']],
  [['init', 'acmee', '--owner', 'me']],
])('an organization that does not exist is said by %s, also if its lists are empty', async argv => {
  const { 'setpoint.yaml': configuration, ...sets } = OTHER
  const isInit = argv[0] === 'init'
  const place = await aPlace(isInit ? {} : { ...sets, 'setpoint.yaml': configuration }, { profile: OTF })
  const ran = await place.setpoint([...argv, '--verbose'], isInit ? { cwd: aDirectory() } : {})
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(`error missing-organization
  The service shows no organization "acmee", and no workspaces or variable sets in it.
  Check the name in setpoint.yaml, and the address. If it exists, check the permissions of the token.
`)
  expect(ran.stderr).not.toMatch(/^POST/m)
})

test.each([
  ['a service that answers everything', {}],
  ['the server OTF', OTF],
])('an organization without sets that exists takes one more read: %s', async (_, profile) => {
  const place = await aPlace(ONE, { profile })
  const asked = async (...argv: string[]) => {
    const { code, stderr } = await place.setpoint([...argv, '--verbose'])
    return [code, stderr.match(/^GET \/api\/v2\/organizations\/acme 200/gm)?.length]
  }
  expect(await asked('plan')).toEqual([0, 1])
  expect(await asked('apply', '--auto-approve')).toEqual([0, 1])
  place.write({ 'sets/a.yaml': 'variableSets: { a: { env: { A: 1 } }, b: {} }\n' })
  expect(await asked('apply', '--auto-approve')).toEqual([0, undefined])
})
