import { expect, test } from 'vitest'
import { aPlace, REFUSED, SILENT } from '../support/place.ts'

const AB = 'variableSets: { aws-a: {}, aws-b: {}, gcp: {} }\n'

test('--only limits plan, apply and drift to the sets that it matches, and the plan says so', async () => {
  const place = await aPlace({ 'sets/a.yaml': AB })
  const planned = JSON.parse((await place.setpoint(['plan', '--only', 'aws-?', '--format', 'json'])).stdout)
  expect(planned.only).toEqual(['aws-?'])
  expect(planned.steps.map(({ id }: { id: string }) => id)).toEqual(['create-set aws-a', 'create-set aws-b'])
  expect(planned.facts.outsideSelection).toBe(1)
  expect((await place.setpoint(['apply', '--auto-approve', '--only', 'aws-a', '--only', 'gcp'])).code).toBe(0)
  expect(place.live()).toEqual(['aws-a', 'gcp'])
  expect((await place.setpoint(['drift', '--only', 'gcp'])).code).toBe(0)
  expect((await place.setpoint(['drift'])).code).toBe(2)
})

test('a set outside of --only is not deleted', async () => {
  const place = await aPlace({ 'sets/a.yaml': `${AB}removed: [old]\n` }, { sets: [{ name: 'old' }] })
  expect((await place.setpoint(['apply', '--auto-approve', '--only', 'gcp'])).code).toBe(0)
  expect(place.live()).toEqual(['gcp', 'old'])
})

test('the same operations with another selection have another digest', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: {} }\n' })
  const digests = await Promise.all(
    [[], ['--only', 'a'], ['--only', '*']].map(async flags => {
      const { stdout } = await place.setpoint(['plan', '--format', 'json', ...flags])
      return JSON.parse(stdout).digest
    }),
  )
  expect(new Set(digests).size).toBe(3)
  const { code } = await place.setpoint(['apply', '--approve', digests[1]])
  expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
})

test('managed sets outside of --only are not reported as orphaned or unmanaged', async () => {
  const place = await aPlace(
    { 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': `${AB}removed: [gone]\n` },
    { sets: [{ name: 'foreign' }] },
  )
  await place.setpoint(['apply', '--auto-approve'])
  const totals = async (...argv: readonly string[]) =>
    (await place.setpoint(['plan', '--verbose', ...argv])).stdout
      .split('\n')
      .filter(line => /^(Orphaned|Not ours|Left out)/.test(line))
  const NOT_OURS =
    'Not ours  foreign: in no file and no inventory (to manage: setpoint export --only NAME --out sets)'
  expect(await totals('--only', 'gcp')).toEqual([NOT_OURS, 'Left out  2 sets outside --only gcp'])
  place.write({ 'sets/a.yaml': 'variableSets: { aws-a: {}, gcp: {} }\n' })
  expect(await totals('--only', 'gcp')).toEqual([
    'Orphaned  aws-b: in no file; kept, because prune is off (to delete, list under removed: or set prune: true)',
    NOT_OURS,
    'Left out  1 set outside --only gcp',
  ])
  place.write({ 'sets/a.yaml': 'variableSets: { gcp: {} }\nremoved: [aws-b]\n' })
  expect((await totals('--only', 'gcp'))[0]).toContain('Orphaned  aws-a: in no file')
})

const BROKEN_FIRST = `variableSets: { ${REFUSED}, b: {}, c: {} }\n`

test('a failure stops only its dependents, and with --fail-fast all steps that have not started', {
  tags: ['F-23'],
}, async () => {
  const patient = await aPlace({ 'sets/a.yaml': BROKEN_FIRST }, SILENT)
  const hasty = await aPlace({ 'sets/a.yaml': BROKEN_FIRST }, SILENT)
  const argv = ['apply', '--auto-approve', '--concurrency', '1']
  const all = await patient.setpoint(argv)
  const first = await hasty.setpoint([...argv, '--fail-fast'])
  expect([all.code, patient.live()]).toEqual([3, ['b', 'c']])
  expect([first.code, hasty.live()]).toEqual([1, []])
  expect(first.stdout).toContain('0 done, 1 failed, 2 skipped, 0 unknown.')
  expect(first.stdout).toContain('--fail-fast')
})
