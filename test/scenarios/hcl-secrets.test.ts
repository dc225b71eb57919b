import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type VariableSeed } from '../../src/sandbox/index.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { asRows } from '../support/warned.ts'

/** Secrets that are HCL code: the service never returns them and never changes their `hcl`. */
const LIVE = { key: 'networks', category: 'terraform', value: '["10.0.0.0/8"]' }
const SECRET_HCL = { ...LIVE, hcl: true, sensitive: true }

async function aPlace(variable: string, ...live: readonly VariableSeed[]) {
  const sandbox = await createSandbox({
    seed: { organizations: [{ name: 'acme' }], sets: [{ name: 'net', variables: live }] },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
  const env = {
    SETPOINT_ADDRESS: url,
    SETPOINT_TOKEN: sandbox.token,
    SETPOINT_SECRET_NETWORKS: '["10.9.0.0/16"]',
  }
  const path = join(cwd, 'sets/net.yaml')
  mkdirSync(join(cwd, 'sets'))
  writeFileSync(path, `variableSets:\n  net:\n    terraform:\n      networks: ${variable}\n`)
  return {
    setpoint: (...argv: string[]): Promise<Ran> => run(argv, { cwd, env }),
    stored: () => sandbox.snapshot({ sensitive: true }).sets?.[0]?.variables?.[0],
  }
}

const MARKED = '{ secret: NETWORKS, hcl: true }'

test('`hcl: true` beside a secret sends its value as HCL', async () => {
  const { setpoint, stored } = await aPlace(MARKED)
  expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
  expect(stored()).toMatchObject({ hcl: true, sensitive: true, value: '["10.9.0.0/16"]' })
  expect((await setpoint('plan')).stdout).toContain('No changes.')
})

test('an HCL secret is adopted unchanged if the file marks it as HCL', async () => {
  const { setpoint } = await aPlace(MARKED, SECRET_HCL)
  const { stdout, stderr } = await setpoint('plan')
  expect([stdout.match(/^No changes\..*$/m)?.[0], stdout.includes('warning'), stderr]).toEqual([
    'No changes. 1 set equal.',
    false,
    '',
  ])
})

test('`hcl` beside `external` is applied, and without it the service keeps its own', async () => {
  const external = await aPlace('{ external: true }', { ...LIVE, hcl: true })
  expect((await external.setpoint('plan')).stdout).toContain('No changes.')
  const { setpoint, stored } = await aPlace('{ external: true, hcl: true }', LIVE)
  expect((await setpoint('plan')).stdout).toContain('hcl: false -> true')
  expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
  expect(stored()).toMatchObject({ hcl: true, value: LIVE.value })
  expect((await setpoint('plan')).stdout).toContain('No changes.')
})

test('`hcl` of a sensitive external variable cannot change, and a warning says so', async () => {
  const { setpoint } = await aPlace('{ external: true, hcl: true }', { ...LIVE, sensitive: true })
  const { stdout } = await setpoint('plan')
  expect(stdout).toContain(
    asRows(`sets/net.yaml:4:7  warning hcl-of-secret
  "terraform/networks" of "net" is sensitive and not HCL in the service. That cannot change without its value.
  Write \`{ secret: NAME, hcl: true }\` to replace it, or remove \`hcl\`.
`),
  )
  expect(stdout).toContain('No changes.')
})
