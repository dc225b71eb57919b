import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { aPlace, TO_FINISH } from '../support/place.ts'

const TEXT = 'postgres-password-2026'
const FILES = {
  'sets/a.yaml': 'variableSets: { a: { env: { PASSWORD: { secret: PASSWORD }, SHOWN: other } } }\n',
}
const SETS = [
  {
    name: 'a',
    variables: [
      { key: 'URL', category: 'env', value: `postgres://me:${TEXT}@host` },
      { key: 'SHOWN', category: 'env', value: TEXT },
    ],
  },
]
const env = { SETPOINT_SECRET_PASSWORD: TEXT }
const WITH = { env }
const aReadableOne = () => aPlace(FILES, { sets: SETS })
const digestIn = (json: string): string => /"digest": "([0-9a-f]{64})"/.exec(json)?.[1] ?? 'none'

describe('a readable value in the service that is a secret of this run', () => {
  test('is shown only by plans that do not know the secret', async () => {
    const place = await aReadableOne()
    expect((await place.setpoint(['plan', '--format', 'json'])).stdout).toContain(TEXT)
    for (const format of FORMATS)
      expect((await place.setpoint(['plan', '--format', format], WITH)).stdout).not.toContain(TEXT)
  })

  test.each([
    ['with', 'without'],
    ['without', 'with'],
    ['with', 'with'],
  ])('does not prevent the apply of a plan file made %s secrets and reviewed %s', async (made, reviewed) => {
    const place = await aReadableOne()
    const planned = await place.setpoint(['plan', '--out', 'plan.json'], made === 'with' ? WITH : {})
    expect(planned.code).toBe(0)
    expect(readFileSync(join(place.cwd, 'plan.json'), 'utf8').includes(TEXT)).toBe(made === 'without')
    const shown = await place.setpoint(['show', 'plan.json'], reviewed === 'with' ? WITH : {})
    expect(shown.code).toBe(0)
    const applied = await place.setpoint(['apply', 'plan.json'], WITH)
    expect({ ...applied, stdout: applied.stdout.includes(TEXT) }).toEqual({
      code: 0,
      stdout: false,
      stderr: '',
    })
  })

  test.each([
    ['with', WITH],
    ['without', {}],
  ])('does not prevent the approval of a digest from a plan %s secrets', async (_, other) => {
    const place = await aReadableOne()
    const { stdout } = await place.setpoint(['plan', '--format', 'json'], other)
    const applied = await place.setpoint(['apply', '--approve', digestIn(stdout)], WITH)
    expect([applied.code, applied.stderr.replace(TO_FINISH, '')]).toEqual([0, ''])
    expect(applied.stdout + applied.stderr).not.toContain(TEXT)
  })

  test('does not hide changes since the review', async () => {
    const place = await aReadableOne()
    await place.setpoint(['plan', '--out', 'plan.json'], WITH)
    const [set] = SETS
    const moved = set?.variables.map(one => ({ ...one, description: 'moved' })) ?? []
    place.change([{ name: 'a', variables: moved }])
    const refused = await place.setpoint(['apply', 'plan.json'], {
      env: { ...env, SETPOINT_TOKEN: place.sandbox.token },
    })
    expect(refused.code).toBe(4)
    expect(refused.stderr + refused.stdout).not.toContain(TEXT)
  })

  test('does not hide the same text where a file contains it in clear', async () => {
    const place = await aPlace({
      'sets/a.yaml': `variableSets: { production: { env: { STAGE: { secret: STAGE }, NAME: x } } }\n`,
    })
    const { stdout } = await place.setpoint(['plan'], { env: { SETPOINT_SECRET_STAGE: 'production' } })
    expect(stdout).toContain('+ production ')
  })
})
