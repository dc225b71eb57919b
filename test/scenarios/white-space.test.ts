import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'
import { asRows } from '../support/warned.ts'

const FILE = `variableSets:
  values:
    env:
      TRAIL: { value: "x  " }
`
const SAID = asRows(`sets/a.yaml:4:7  warning stored-otherwise
  The service has "TRAIL" in "values" without the whitespace at its end: "x" instead of "x  ".
`)
const traits = { storedValues: 'trimmed' } as const
const AUTO = ['apply', '--auto-approve']

describe.each([
  ['with an owner', 'owner: us\n', 0],
  ['without an owner', '', 2],
])('a service that drops whitespace at the ends of values, %s', (_, owner, left) => {
  const aService = async () => {
    const place = await aPlace({ 'sets/a.yaml': FILE }, { traits })
    place.write({ 'setpoint.yaml': `organization: acme\n${owner}` })
    return place
  }

  test('an apply ends with 0, and each plan names the text to write until the file has it', async () => {
    const place = await aService()
    const first = await place.setpoint(AUTO)
    expect(first.code).toBe(0)
    expect(first.stderr + first.stdout).toContain('Write "x".')
    expect(first.stderr + first.stdout).not.toContain('run the same apply again')
    const plan = await place.setpoint(['plan', '--detailed-exitcode'])
    expect(plan.code).toBe(left)
    expect(plan.stdout + plan.stderr).toContain(SAID)
    expect((await place.setpoint(AUTO)).code).toBe(0)
    place.write({ 'sets/a.yaml': FILE.replace('x  ', 'x') })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('drift ends with 0 and the warning, and still finds another value', async () => {
    const place = await aService()
    expect((await place.setpoint(AUTO)).code).toBe(0)
    const drift = await place.setpoint(['drift'])
    expect(drift.code).toBe(0)
    expect(drift.stdout + drift.stderr).toContain(SAID)
    place.write({ 'sets/a.yaml': FILE.replace('x  ', 'y  ') })
    expect((await place.setpoint(['drift'])).code).toBe(2)
  })
})

test('an apply that expects no drift is not refused because of whitespace', async () => {
  const place = await aPlace({ 'sets/a.yaml': FILE }, { traits })
  place.write({ 'setpoint.yaml': 'organization: acme\nowner: us\n' })
  expect((await place.setpoint(AUTO)).code).toBe(0)
  place.write({ 'sets/a.yaml': `${FILE}      OTHER: 1\n` })
  const { code, stdout } = await place.setpoint([...AUTO, '--expect-no-drift'])
  expect(code).toBe(0)
  expect(stdout).toContain('Applied: 1 created.')
})

describe('export --update takes over a value that the service stored in another form', () => {
  test.each([
    ['without whitespace', traits, '"x  "', 'x'],
    ['with other line endings', { storedValues: 'Unix line endings' } as const, '"a\\r\\nb"', '"a\\nb"'],
  ])('%s, with an inventory and without', async (_, service, sent, held) => {
    for (const owner of ['owner: us\n', '']) {
      // No line endings are allowed in an environment variable.
      const form = FILE.replace('env:', 'terraform:')
      const file = form.replace('"x  "', sent)
      const place = await aPlace({ 'sets/a.yaml': file }, { traits: service })
      place.write({ 'setpoint.yaml': `organization: acme\n${owner}` })
      expect((await place.setpoint(AUTO)).code).toBe(0)
      const updated = await place.setpoint(['export', '--update', 'values'])
      expect(updated.code).toBe(0)
      expect(updated.stdout).toContain('  values: ~ terraform/TRAIL\nA plan of these sets has no changes.\n')
      expect(readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')).toBe(form.replace('"x  "', held))
      expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0, stderr: '' })
      expect((await place.setpoint(['export', '--update', 'values'])).stdout).toContain('No file differs.')
    }
  })
})
