import { describe, expect, test } from 'vitest'
import { aPlace, type Place } from '../support/place.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: us\n',
  'sets/a.yaml':
    'variableSets: { a: { env: { A: { secret: { name: S, version: "1" } }, B: { secret: T } } } }\n',
}
const SECRETS = { SETPOINT_SECRET_S: 'one', SETPOINT_SECRET_T: 'two' }
const KEY = { SETPOINT_FINGERPRINT_KEY: 'k'.repeat(32) }

/** Written without a key, which is added later. */
async function written(): Promise<Place> {
  const place = await aPlace(FILES)
  expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })).code).toBe(0)
  return place
}

const totalsIn = (text: string): string[] =>
  text.split('\n').filter(line => /^(?:Secrets|Inventory) /.test(line))

const entries = (place: Place): string =>
  JSON.stringify(place.sandbox.snapshot().sets?.find(({ name }) => name.startsWith('setpoint-inventory-')))

const planned = async (place: Place, env: Readonly<Record<string, string>>) => {
  const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode', '--verbose'], { env })
  return [code, ...totalsIn(stdout)]
}

const NOT_VERIFIED =
  'Secrets    1 same version, value not verified, 1 not verified (no version, no proof by a key)'

describe('a fingerprint key that is added after a secret was written', () => {
  test('does not report a secret as the same without comparing its value, and says what can be recorded', async () => {
    const place = await written()
    const rotated = { ...SECRETS, SETPOINT_SECRET_S: 'rotated', ...KEY }
    expect(await planned(place, SECRETS)).toEqual([
      0,
      'Secrets  1 same, 1 not verified (no version, no proof by a key)',
    ])
    expect(await planned(place, rotated)).toEqual([
      0,
      NOT_VERIFIED,
      'Inventory  2 fingerprints to record, 1 request',
    ])
  })

  test('is used to record fingerprints only in a confirmed apply', async () => {
    const place = await written()
    const before = entries(place)
    const env = { ...SECRETS, ...KEY }
    await place.setpoint(['plan'], { env })
    await place.setpoint(['drift'], { env })
    expect(await place.setpoint(['apply'], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There is no terminal to ask for confirmation.'),
    })
    expect((await place.setpoint(['apply'], { env, answers: ['no'] })).code).toBe(4)
    expect(entries(place)).toBe(before)
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('No other changes. The inventory is up to date.')
    expect(entries(place)).not.toBe(before)
  })

  test('verifies nothing that was written before, and detects the next change', async () => {
    const place = await written()
    const env = { ...SECRETS, ...KEY }
    await place.setpoint(['apply', '--auto-approve'], { env })
    expect(await planned(place, env)).toEqual([
      0,
      'Secrets  1 same version, value not verified, 1 not verified (no version, no proof by a key)',
    ])
    const rotated = { ...env, SETPOINT_SECRET_S: 'rotated', SETPOINT_SECRET_T: 'turned' }
    expect(await planned(place, rotated)).toEqual([2, 'Secrets    2 to write', 'Inventory  1 request'])
    await place.setpoint(['apply', '--auto-approve'], { env: rotated })
    expect(await planned(place, rotated)).toEqual([0, 'Secrets  2 same'])
    expect(place.live().join()).toContain('rotated')
  })

  test('does not change the digest', async () => {
    const place = await written()
    const digestWith = async (env: Readonly<Record<string, string>>) =>
      JSON.parse((await place.setpoint(['plan', '--format', 'json'], { env })).stdout).digest
    const reviewed = await digestWith({})
    expect(await digestWith({ ...SECRETS, ...KEY })).toBe(reviewed)
    const before = entries(place)
    const { code } = await place.setpoint(['apply', '--approve', reviewed], { env: { ...SECRETS, ...KEY } })
    expect({ code, same: entries(place) === before }).toEqual({ code: 0, same: false })
  })
})

test('an apply that only adds a set to the inventory asks for confirmation', async () => {
  const place = await aPlace(
    { 'setpoint.yaml': FILES['setpoint.yaml'], 'sets/a.yaml': 'variableSets: { a: {} }\n' },
    { sets: [{ name: 'a' }] },
  )
  const { code, stdout, stderr } = await place.setpoint(['apply'])
  expect({ code, live: place.live() }).toEqual({ code: 4, live: ['a'] })
  expect(stdout).toContain('Inventory  adds a, 1 request')
  expect(stderr).toContain('There is no terminal to ask for confirmation.')
  expect((await place.setpoint(['apply'], { answers: ['yes'] })).code).toBe(0)
  expect(place.sandbox.snapshot().sets?.map(({ name }) => name)).toContain('setpoint-inventory-us')
})
