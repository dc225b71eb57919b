import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../../src/sandbox/index.ts'
import { expectExample, replay } from '../../support/transcript.ts'
import { pathOf, recorded } from './recorded.ts'

/** A repository of version 0.1.0, with a saved plan. */
function aRepository(files: 'files' | 'changed') {
  const repository = recorded('0.1.0', files)
  cpSync(pathOf('0.1.0', 'plan.json'), join(repository.cwd, 'plan.json'))
  return repository
}

/** Sets a value as `echo` prints it, with a final newline, which 0.1.0 counted as equal. */
async function endWithNewline(file: string): Promise<void> {
  const sandbox = await createSandbox({
    file,
    seed: {},
    now: () => new Date('2026-01-02T03:04:00Z'),
  })
  const set = sandbox.snapshot().sets?.find(({ name }) => name === 'aws-prod')
  const variable = set?.variables?.find(({ key }) => key === 'replicas')
  const { status } = await sandbox.transport({
    method: 'PATCH',
    path: `/api/v2/varsets/${set?.id}/relationships/vars/${variable?.id}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({
      data: { type: 'vars', attributes: { key: 'replicas', category: 'terraform', value: '3\n' } },
    }),
  })
  await sandbox.close()
  expect(status).toBe(200)
}

/** `UPDATE_GOLDEN=1 npx vitest run test/scenarios/upgrade` updates the outputs. Read the diff. */
test('docs/bad-days.md shows the real output of the commands of an upgrade', async () => {
  const { cwd, env, state } = aRepository('files')
  await endWithNewline(state)
  const page = fileURLToPath(new URL('../../../docs/bad-days.md', import.meta.url))
  await expectExample(page, 'upgrade', text => replay(text, { cwd, env }))
})

describe('an inventory of version 0.1.0', () => {
  test('shows which changes of the files are not applied, and an apply executes them', async () => {
    const { setpoint } = aRepository('changed')
    expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
    const again = await setpoint('plan', '--detailed-exitcode')
    expect(again.code).toBe(0)
    expect(again.stdout).toContain('No changes.')
  })
})

describe('a saved plan of version 0.1.0', () => {
  test('is refused with one message that says what to do', async () => {
    const { setpoint } = aRepository('changed')
    const { code, stderr } = await setpoint('apply', 'plan.json')
    expect(code).toBe(4)
    expect(stderr.split('\n').filter(line => line.startsWith('error '))).toHaveLength(1)
    expect(stderr).toContain('Another version of Setpoint wrote it')
    expect(stderr).toContain('Create a new one: setpoint plan --out FILE')
  })
})
