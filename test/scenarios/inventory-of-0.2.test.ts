import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'

/** What 0.2.0 left in the service after an apply of `files`, with its inventory: byte for byte as it wrote both. */
const RECORDED = join(import.meta.dirname, 'fixtures', 'inventory-of-0.2')

const SECRETS = {
  SETPOINT_SECRET_AWS_KEY: 'aaaa-bbbb-cccc-1111',
  SETPOINT_SECRET_UNVERSIONED: 'dddd-eeee-ffff-2222',
  SETPOINT_SECRET_PAYMENTS_TOKEN: 'gggg-hhhh-iiii-3333',
  SETPOINT_FINGERPRINT_KEY: '0123456789abcdef'.repeat(4),
}

test('an inventory of 0.2 is read: nothing to do, every secret is known, and an apply writes nothing', async () => {
  const cwd = aDirectory({ copyOf: join(RECORDED, 'files') })
  const state = join(aDirectory(), 'state.json')
  copyFileSync(join(RECORDED, 'service.json'), state)
  const env = { ...SECRETS, SETPOINT_SANDBOX_FILE: state }
  const setpoint = (...argv: readonly string[]) => run([...argv, '--sandbox'], { cwd, env })

  const { code, stdout } = await setpoint('plan', '--format', 'json', '--detailed-exitcode')
  const plan = JSON.parse(stdout)
  expect([code, plan.steps, plan.blocks, plan.blocked]).toEqual([0, [], [], false])
  expect(plan.facts).toMatchObject({ equalSets: 4, origins: [] })
  expect(plan.facts.inventory).toMatchObject({ adopted: [], requests: 0 })
  const states: string[] = plan.facts.secrets.map((note: { state: { state: string } }) => note.state.state)
  expect(states).toEqual(['same', 'same', 'same'])
  expect((await setpoint('drift')).code).toBe(0)
  const applied = await setpoint('apply', '--auto-approve')
  expect([applied.code, applied.stdout]).toEqual([
    0,
    expect.stringMatching(/^setpoint plan .* reads?\nNo changes\. /),
  ])
})
