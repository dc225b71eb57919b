import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apply, type Transport } from '../../src/index.ts'
import { createSandbox, type Profile } from '../../src/sandbox/index.ts'
import { aDirectory } from '../support/program.ts'
import { aPlace, ONE, SEED } from './place.ts'

/** An apply with a token that may read: its first write is answered as `missingPermission` says. */
async function appliedByReader(missingPermission: Profile['missingPermission']) {
  const place = await aPlace(ONE, { profile: { missingPermission } })
  place.sandbox.restore({ ...SEED, tokens: [{ token: 'reader', permission: 'read-variables' }] })
  const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], {
    env: { SETPOINT_TOKEN: 'reader' },
  })
  return { code, next: stdout.split('\n').find(line => line.startsWith('Next: ')) }
}

const NEXT =
  'Next: give this job a token that is valid and may write (SETPOINT_TOKEN, or TFE_TOKEN), then run this job again, or setpoint apply --only a'

test('a token that the service refuses while it is used is what has to be changed, not only run again', async () => {
  // Something before the service may have carried the write out and refused the answer: nothing can be read to tell.
  expect(await appliedByReader('unauthorized')).toEqual({ code: 3, next: NEXT })
  expect(await appliedByReader('not-found')).toEqual({ code: 1, next: NEXT })
})

test.each(['not-found', 'forbidden', 'unauthorized'] as const)(
  'a token that may only read tries one write, stops, and says so: %s',
  { tags: ['F-14', 'F-15'] },
  async missingPermission => {
    const names = Array.from({ length: 15 }, (_, at) => `s${at}`)
    const sets = (value: string) => ({
      'sets/a.yaml': `variableSets:\n${names.map(name => `  ${name}: { env: { A: ${value} } }\n`).join('')}`,
    })
    const place = await aPlace(sets('1'), { profile: { missingPermission } })
    await place.setpoint(['apply', '--auto-approve'])
    const before = place.live()
    place.write({ ...sets('2'), 'sets/new.yaml': 'variableSets: { new: { env: { B: 1 } } }\n' })
    const { tokens: _, ...seed } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...seed, tokens: [{ token: 'reader', permission: 'read-variables' }] })
    const { code, stdout, stderr } = await place.setpoint(['apply', '--auto-approve', '--verbose'], {
      env: { SETPOINT_TOKEN: 'reader' },
    })
    const writes = stderr.split('\n').filter(line => /^(?:POST|PATCH|PUT|DELETE) /.test(line))
    expect(writes).toHaveLength(1)
    expect(place.live()).toEqual(before)
    expect(code).toBe(missingPermission === 'unauthorized' ? 3 : 1)
    expect(stdout).toContain(
      missingPermission === 'unauthorized'
        ? 'Stopped: the service refused the token\n'
        : 'Stopped: the token may read "acme", and not write to it\n',
    )
    expect(stdout).toMatch(/skipped 15|15 skipped/)
    expect(stdout).toContain('Next: give this job a token that is valid and may write')
  },
)

test.each([
  ['the first is gone', 1],
  ['a later one may not be changed', 2],
])('a refusal that is about one set stops nothing else: %s', async (_, nth) => {
  const sets = (value: string) =>
    `variableSets:\n${['a', 'b', 'c'].map(name => `  ${name}: { env: { A: ${value} } }\n`).join('')}`
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': sets('1') })
  const sandbox = await createSandbox()
  await apply({ cwd, sandbox, autoApprove: true })
  writeFileSync(join(cwd, 'sets/a.yaml'), sets('2'))
  let writes = 0
  const transport: Transport = async (request, signal) => {
    if (request.method === 'GET' || ++writes !== nth) return await sandbox.transport(request, signal)
    if (nth > 1) return { status: 404, headers: {}, body: '' }
    const path = request.path.replace(/\/relationships\/.*/, '')
    await sandbox.transport({ method: 'DELETE', path, headers: request.headers })
    return await sandbox.transport(request, signal)
  }
  const { report } = await apply({ cwd, sandbox: { ...sandbox, transport }, autoApprove: true })
  if (report?.kind !== 'apply') throw new Error('it was applied')
  expect(report.stopped).toBeUndefined()
  expect(report.results.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded', 'succeeded'])
})
