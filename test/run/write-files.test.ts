import { expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'

test('an error to create a directory is reported, without endless retries', async () => {
  const cwd = aDirectory()
  expect((await run(['init', 'acme', '--sandbox'], { cwd })).code).toBe(0)
  expect((await run(['apply', '--sandbox', '--auto-approve'], { cwd })).code).toBe(0)
  const ran = await run(['export', '--sandbox', '--out', '/proc/setpoint/a'], { cwd })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/could not be written \(E[A-Z]+\)/)
})
