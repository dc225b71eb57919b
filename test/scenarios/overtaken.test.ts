import { expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'
import { run } from '../support/program.ts'

const sets = (a: number): string => `variableSets: { s: { env: { A: ${a}, B: 1 } } }\n`

/** docs/bad-days.md, "Two applies at once": another value right behind each of ours. */
const withAnother =
  (transport: Transport): Transport =>
  async (request, signal) => {
    const response = await transport(request, signal)
    if (request.method !== 'PATCH' || request.body === undefined) return response
    await transport({ ...request, body: request.body.replace('"value":"2"', '"value":"3"') }, signal)
    return response
  }

test('an apply whose value somebody else overwrites says so, and does not propose to overwrite it', async () => {
  const { cwd, sandbox, setpoint, write, live } = await aPlace({ 'sets/a.yaml': sets(1) })
  expect((await setpoint(['apply', '--auto-approve'])).code).toBe(0)
  write({ 'sets/a.yaml': sets(2) })
  const io = { sandbox: { ...sandbox, transport: withAnother(sandbox.transport) } }
  const { code, stdout } = await run(['apply', '--sandbox', '--auto-approve'], { cwd, io })
  expect([code, live()]).toEqual([3, ['s  env/A=3 env/B=1']])
  expect(stdout).toContain(
    'it was written, and the closing read shows another value: the read is late, or somebody else wrote it meanwhile',
  )
  expect(stdout).toContain(
    'Next: find out who else writes these variables (another apply, or somebody by hand), then review what is left, then apply it: setpoint plan',
  )
  expect(stdout).not.toContain('run the same apply again')
})
