import { expect, test } from 'vitest'
import { aPlace } from './place.ts'

const US = (more = ''): string => `organization: acme\nowner: us\n${more}`
const PARTS = 'variableSets: { a: {}, b: {}, net-c: {} }\n'

/** A repository that declared three sets and now declares one, beside an unmanaged set. */
async function aHistory(configuration = '') {
  const place = await aPlace({ 'setpoint.yaml': US(), 'sets/a.yaml': PARTS }, { sets: [{ name: 'foreign' }] })
  await place.setpoint(['apply', '--auto-approve'])
  place.write({ 'setpoint.yaml': US(configuration), 'sets/a.yaml': 'variableSets: { a: {} }\n' })
  const plan = (...argv: readonly string[]) => place.setpoint(['plan', ...argv])
  return { place, plan }
}

const reasons = (json: string): string[] =>
  JSON.parse(json).facts.leftAlone.map(({ set, why }: { set: string; why: string }) => `${set} ${why}`)

test('every set that a plan does not touch has a reason, and the report gives it', async () => {
  const { place, plan } = await aHistory()
  expect(reasons((await plan('--format', 'json')).stdout)).toEqual([
    'b prune-off',
    'foreign unmanaged',
    'net-c prune-off',
  ])
  const { stdout } = await plan('--verbose')
  expect(stdout).toContain('b, net-c: in no file; kept, because prune is off')
  expect(stdout).toContain('foreign: in no file and no inventory')
  expect(reasons((await plan('--only', 'a', '--format', 'json')).stdout)).toEqual([
    'b prune-off',
    'foreign unmanaged',
    'net-c prune-off',
  ])
  // The report says that the sets are kept because prune is off.
  place.write({ 'setpoint.yaml': US('prune: true\n') })
  await place.setpoint(['apply', '--auto-approve'])
  expect(place.live().filter(name => !name.startsWith('setpoint-inventory-'))).toEqual(['a', 'foreign'])
})

test('prune deletes no set that `owns` does not match, and none with --only', async () => {
  const { plan } = await aHistory('owns: ["net-*", "a"]\nprune: true\n')
  expect(reasons((await plan('--format', 'json')).stdout)).toEqual(['b outside-owns', 'foreign unmanaged'])
  expect(reasons((await plan('--only', 'a', '--format', 'json')).stdout)).toEqual([
    'b prune-suspended',
    'foreign unmanaged',
    'net-c prune-suspended',
  ])
})

test('a set outside the selection, or of another owner, has that as its reason', async () => {
  const { place, plan } = await aHistory()
  place.write({ 'sets/a.yaml': PARTS })
  expect(reasons((await plan('--only', 'a', '--format', 'json')).stdout)).toEqual([
    'b outside-selection',
    'foreign unmanaged',
    'net-c outside-selection',
  ])
  place.write({ 'setpoint.yaml': 'organization: acme\nowner: them\n', 'sets/a.yaml': 'variableSets: {}\n' })
  const { stdout } = await plan('--format', 'json')
  expect(reasons(stdout)).toEqual([
    'a another-owner',
    'b another-owner',
    'foreign unmanaged',
    'net-c another-owner',
  ])
  expect(JSON.parse(stdout).facts.leftAlone[0].owner).toBe('us')
})
