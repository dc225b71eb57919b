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
  'Secrets  1 same, 1 not verified (no version and no fingerprint key; to send one, write a new version)'

describe('a fingerprint key that is added after a secret was written', () => {
  const rotated = { ...SECRETS, SETPOINT_SECRET_S: 'rotated', SETPOINT_SECRET_T: 'turned', ...KEY }

  test('proves nothing of that write, and is no reason to write the inventory', async () => {
    const place = await written()
    expect(await planned(place, SECRETS)).toEqual([0, NOT_VERIFIED])
    expect(await planned(place, rotated)).toEqual([0, NOT_VERIFIED])
    const before = entries(place)
    expect((await place.setpoint(['apply'], { env: rotated })).stdout).toContain('No changes.')
    expect(entries(place)).toBe(before)
  })

  test('detects a changed value after the next write, and does not change the digest', async () => {
    const place = await written()
    const env = { ...SECRETS, ...KEY }
    expect((await place.setpoint(['apply', '--auto-approve', '--rewrite', 'a'], { env })).code).toBe(0)
    expect(await planned(place, env)).toEqual([0, 'Secrets  2 same'])
    const digestWith = async (given: Readonly<Record<string, string>>) =>
      JSON.parse((await place.setpoint(['plan', '--format', 'json'], { env: given })).stdout).digest
    expect(await planned(place, rotated)).toEqual([2, 'Secrets    2 to write', 'Inventory  1 request'])
    const reviewed = await digestWith({})
    expect(await digestWith(rotated)).toBe(reviewed)
    expect((await place.setpoint(['apply', '--approve', reviewed], { env: rotated })).code).toBe(0)
    expect(await planned(place, rotated)).toEqual([0, 'Secrets  2 same'])
    expect(place.live().join()).toContain('rotated')
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

test.each(['k'.repeat(31), ' '.repeat(40), `${'k'.repeat(31)}\n`])(
  'a key that can be guessed is refused: %j',
  async key => {
    const place = await aPlace(FILES)
    const env = { ...SECRETS, SETPOINT_FINGERPRINT_KEY: key }
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'], { env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('error bad-usage\n  SETPOINT_FINGERPRINT_KEY has fewer than 32 characters.\n'),
    ])
    expect(place.live()).toEqual([])
  },
)
