import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type VariableSeed } from '../../src/sandbox/index.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

/** Secrets that are HCL code: the service never shows them, and never changes their flag. */
const LIVE = { key: 'networks', category: 'terraform', value: '["10.0.0.0/8"]' }
const SECRET_CODE = { ...LIVE, hcl: true, sensitive: true }

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
    text: () => readFileSync(path, 'utf8'),
  }
}

const SAYS_CODE = '{ secret: NETWORKS, hcl: true }'
const SILENT = '{ secret: NETWORKS }'

test('`hcl: true` beside a secret sends its text as HCL code', async () => {
  const { setpoint, stored } = await aPlace(SAYS_CODE)
  expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
  expect(stored()).toMatchObject({ hcl: true, sensitive: true, value: '["10.9.0.0/16"]' })
  expect((await setpoint('plan')).stdout).toContain('No changes.')
})

test('a secret that is HCL code is adopted unchanged if the file says so', async () => {
  const { setpoint } = await aPlace(SAYS_CODE, SECRET_CODE)
  const { stdout, stderr } = await setpoint('plan')
  expect([stdout.match(/^No changes\..*$/m)?.[0], stdout.includes('warning'), stderr]).toEqual([
    'No changes. 1 set equal.',
    false,
    '',
  ])
})

test('where the file does not say so, its line has a warning, and following that keeps the secret', async () => {
  const { setpoint } = await aPlace(SILENT, SECRET_CODE)
  const { stdout } = await setpoint('plan')
  expect(stdout).toContain(`sets/net.yaml:4:7  warning hcl-of-secret
  "terraform/networks" of "net" is HCL in the service but not in the file. The plan replaces it with plain text.
  To keep it HCL, write \`hcl: true\` beside \`secret\`.
`)
  expect(stdout).toContain('replaced: hcl of a sensitive variable cannot change in place')
})

test('beside `external` it says what the flag is to be; left out, the service keeps its own', async () => {
  const silent = await aPlace('{ external: true }', { ...LIVE, hcl: true })
  expect((await silent.setpoint('plan')).stdout).toContain('No changes.')
  const { setpoint, stored } = await aPlace('{ external: true, hcl: true }', LIVE)
  expect((await setpoint('plan')).stdout).toContain('hcl: false -> true')
  expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
  expect(stored()).toMatchObject({ hcl: true, value: LIVE.value })
  expect((await setpoint('plan')).stdout).toContain('No changes.')
})

test('of a sensitive external variable nobody can change it, and that is reported', async () => {
  const { setpoint } = await aPlace('{ external: true, hcl: true }', { ...LIVE, sensitive: true })
  const { stdout } = await setpoint('plan')
  expect(stdout).toContain(`sets/net.yaml:4:7  warning hcl-of-secret
  "terraform/networks" of "net" is sensitive and not HCL in the service. That cannot change without its value.
  Write \`secret: NAME\` to replace it, or remove \`hcl\`.
`)
  expect(stdout).toContain('No changes.')
})

test('export --update takes it into the file', async () => {
  const { setpoint, text } = await aPlace(SILENT, SECRET_CODE)
  expect((await setpoint('export', '--update', 'net')).code).toBe(0)
  expect(text()).toContain('secret: NETWORKS')
  expect(text()).toContain('hcl: true')
  const { stdout, stderr } = await setpoint('plan')
  expect([stdout.match(/^No changes\..*$/m)?.[0], stdout.includes('warning'), stderr]).toEqual([
    'No changes. 1 set equal.',
    false,
    '',
  ])
})
