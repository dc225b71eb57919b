import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, parseSeed } from '../src/sandbox/index.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, replay } from './support/transcript.ts'

const FOLDER = resolve(import.meta.dirname, '../examples/07-from-terraform')
const README = join(FOLDER, 'README.md')

test('the example for Terraform exports its state offline, and a plan against the service has no changes', async () => {
  const sandbox = await createSandbox({ seed: parseSeed(readFileSync(join(FOLDER, 'service.yaml'), 'utf8')) })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const standIns = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const cwd = aDirectory({ copyOf: FOLDER })
  expectDocument(README, await replay(readFileSync(README, 'utf8'), { cwd, standIns }))
  const { code, stdout } = await run(['plan', '--detailed-exitcode'], { cwd, env: standIns })
  expect({ code, says: stdout.match(/^No changes.*$/m)?.[0] }).toEqual({
    code: 0,
    says: 'No changes. 3 sets equal.',
  })
})
