import { expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'

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
  expect(reasons((await plan('--format', 'json')).stdout)).toEqual(['b outside-owns', 'foreign not-owned'])
  expect(reasons((await plan('--only', 'a', '--format', 'json')).stdout)).toEqual([
    'b prune-suspended',
    'foreign not-owned',
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

/** The service with a set of the organization and one of a project, which no file mentions. */
const UNMANAGED = {
  sets: [
    { name: 'loose', variables: [{ key: 'A', value: '1', category: 'env' }] },
    { name: 'own', parent: 'p', variables: [{ key: 'B', value: '1', category: 'env' }] },
  ],
} as const

test('a set in no file says how to manage it, also if a project owns it, and the command does that', async () => {
  const place = await aPlace({ 'setpoint.yaml': US(), 'sets/a.yaml': 'variableSets: { a: {} }\n' }, UNMANAGED)
  const stdout = (await place.setpoint(['plan', '--verbose'])).stdout.replace(/\s+/g, ' ')
  const commands = [...stdout.matchAll(/(\w+): [^(:]*\(to manage: setpoint ([^)]*)\)/g)].map(
    ([, set = '', command = '']) => command.replace('NAME', set).split(' '),
  )
  expect(commands).toEqual([
    ['export', '--only', 'loose', '--out', 'sets'],
    ['export', '--only', 'own', '--out', 'sets'],
  ])
  expect(stdout).toContain('own: owned by a project, in no file and no inventory')
  for (const command of commands) expect((await place.setpoint(command)).code).toBe(0)
  const after = await place.setpoint(['plan', '--verbose'])
  expect(after.stdout).toMatch(/^Inventory +adds loose, own/m)
  expect(after.stdout).not.toContain('Not ours')
})

test('a set that `owns` does not match is not offered, because export would leave it out', async () => {
  const place = await aPlace(
    { 'setpoint.yaml': US('owns: ["net-*"]\n'), 'sets/a.yaml': 'variableSets: { net-a: {} }\n' },
    UNMANAGED,
  )
  const { stdout } = await place.setpoint(['plan', '--verbose'])
  expect(stdout).toContain('Not ours   loose, own: in no file and no inventory, and owns does not match it')
})
