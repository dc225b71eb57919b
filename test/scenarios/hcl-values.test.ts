import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'
import { asRows } from '../support/warned.ts'

const files = (code: string, rest = '') => ({
  'sets/a.yaml': `variableSets: { a: { terraform: { v: { hcl: ${JSON.stringify(code)}${rest} } } } }\n`,
})
const held = (value: string, hcl = true) => ({
  sets: [{ name: 'a', variables: [{ key: 'v', category: 'terraform', value, hcl }] }] as const,
})

describe('code that is no literal value', () => {
  test.each([
    'eu-west-1',
    '10.0.0.0/16',
    'var.x',
    '',
    'a = 1',
    '{a}',
    '[a b]',
    "'x'",
    '"${x}"',
    'file("a")',
    '1 + 1',
  ])('is an error of every command before anything is written: %j', async code => {
    const place = await aPlace(files(code))
    for (const argv of [['validate'], ['plan'], ['apply', '--auto-approve'], ['drift']]) {
      const ran = await place.setpoint(argv)
      expect([ran.code, ran.stderr]).toEqual([
        1,
        expect.stringContaining('sets/a.yaml:1:40  error invalid-hcl\n  The HCL '),
      ])
    }
    expect(place.live()).toEqual([])
  })

  test('of a base is an error at the line of the base', async () => {
    const place = await aPlace({
      'sets/a.yaml': 'bases:\n  b:\n    terraform:\n      v: { hcl: eu }\nvariableSets:\n  a: { from: b }\n',
    })
    for (const command of ['validate', 'plan'])
      expect((await place.setpoint([command])).stderr).toContain('sets/a.yaml:4:12  error invalid-hcl')
  })

  test('is a warning if the service has exactly it, and the rest of the variable can change', async () => {
    const place = await aPlace(files('1 + 1'), held('1 + 1'))
    const same = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringContaining(
        asRows(
          'sets/a.yaml:1:40  warning invalid-hcl\n  The HCL has an operator. The service already has this value.\n',
        ),
      ),
    ])
    place.write(files('1 + 1', ', description: sum'))
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(place.live()).toEqual(['a  terraform/v=hcl:1 + 1#sum'])
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('is an error if the service has other code, or the same text as a string', async () => {
    for (const seed of [held('1 + 2'), held('1 + 1', false), { sets: [{ name: 'a' }] }]) {
      const place = await aPlace(files('1 + 1'), seed)
      const before = place.live()
      expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('error invalid-hcl'),
      })
      expect(place.live()).toEqual(before)
    }
  })

  test('in a commit before this change does not prevent a plan of the correction', async () => {
    const place = await aPlace(files('1 + 1'), held('1 + 1'))
    place.write(files('2'))
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(place.live()).toEqual(['a  terraform/v=hcl:2'])
  })
})

describe('an export never writes what the loader refuses', () => {
  test.each(['eu-west-1', '"${x}"', '1 + 1', '[1', ''])('%j', async code => {
    const place = await aPlace({}, held(code))
    for (const argv of [
      ['export', '--out', 'sets'],
      ['init', 'acme', '-C', 'repo'],
    ]) {
      place.write({ 'repo/.gitkeep': '' })
      const { code: exit, stderr } = await place.setpoint(argv)
      expect([exit, stderr]).toEqual([
        0,
        expect.stringContaining('terraform/v of "a" is written without its value'),
      ])
    }
    expect(readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')).toContain('v:\n        external: true')
    for (const argv of [['validate'], ['plan', '--detailed-exitcode']])
      expect((await place.setpoint(argv)).code).toBe(0)
  })
})
