import { describe, expect, test } from 'vitest'
import type { FaultSchedule, SetSeed } from '../../../src/sandbox/index.ts'
import { aPlace, type Place } from '../../support/place.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\nprune: true\n',
  'sets/a.yaml':
    'variableSets: { a: { workspaces: [w], env: { A: 1 } }, b: { env: { S: { secret: S } } } }\n',
}
const INVENTORY = 'setpoint-inventory-net'

/** A repository whose sets were applied. Nobody else writes while `faults` are scheduled. */
async function applied(listen: { readonly faults?: FaultSchedule } = {}): Promise<Place> {
  const other = { name: 'setpoint-inventory-other', variables: [] }
  const place = await aPlace(FILES, { sets: [{ name: 'theirs' }, other], ...listen })
  const env = { SETPOINT_SECRET_S: 'canary-of-release' }
  expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
  return place
}

const without = (live: readonly string[]): string[] => live.filter(line => !line.includes(INVENTORY))
const inventoryIn = ({ sandbox }: Place): SetSeed | undefined =>
  sandbox.snapshot().sets?.find(({ name }) => name === INVENTORY)

describe('release', () => {
  test('deletes the inventory of the owner and nothing else, after a "yes"', async () => {
    const place = await applied()
    const before = place.live()
    const ran = await place.setpoint(['release'], { answers: ['yes'] })
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      stdout: `The inventory of net lists 2 sets:
  a
  b

To delete: ${INVENTORY}, and nothing else. The sets, their variables and their assignments stay as they are.
First, switch off every pipeline that applies these files: its next apply would write the inventory again.
Release these sets? Only "yes" is accepted: Released: the inventory of net is deleted. Verified by reading the service back. 2 sets stay in the service.
If you come back: an apply adds the sets that equal the files to a new inventory, and sends their secrets with a version again.
`,
    })
    expect(inventoryIn(place)).toBeUndefined()
    expect(place.live()).toEqual(without(before))
    expect(place.live().join('\n')).toContain('canary-of-release')
    expect(await place.setpoint(['release'])).toEqual({
      code: 0,
      stderr: '',
      stdout: 'No inventory of net: nothing to release.\n',
    })
    // With `prune: true`, and without their files, the sets stay: nothing lists them any more.
    place.write({ 'sets/a.yaml': 'variableSets: { c: {} }\n' })
    const { code } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, place.live().filter(line => /^[ab] /.test(line))]).toEqual([
      0,
      before.filter(line => /^[ab] /.test(line)),
    ])
  })

  test.each([
    ['without a terminal', [], undefined, 'There is no terminal to ask for confirmation.'],
    ['with another answer', [], ['y'], 'The plan was not confirmed.'],
  ])('writes nothing %s', async (_, flags, answers, words) => {
    const place = await applied()
    const before = place.live()
    const { code, stderr } = await place.setpoint(['release', ...flags], answers && { answers })
    expect([code, place.live()]).toEqual([4, before])
    expect(stderr).toContain(words)
  })

  test('does not ask with --auto-approve', async () => {
    const place = await applied()
    const { code, stdout } = await place.setpoint(['release', '--auto-approve'])
    expect([code, inventoryIn(place)]).toEqual([0, undefined])
    expect(stdout).not.toContain('Only "yes"')
  })

  test('is an error without an owner: nothing is kept in the service', async () => {
    const place = await applied()
    place.write({ 'setpoint.yaml': 'organization: acme\n' })
    const { code, stderr } = await place.setpoint(['release', '--auto-approve'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('error needs-owner')])
    expect(inventoryIn(place)).toBeDefined()
  })

  test.each<[string, (inventory: SetSeed) => SetSeed]>([
    ['is assigned to a workspace', inventory => ({ ...inventory, workspaces: ['w'] })],
    ['is global', inventory => ({ ...inventory, global: true })],
    [
      'has a variable that Setpoint did not write',
      inventory => ({
        ...inventory,
        variables: [...(inventory.variables ?? []), { key: 'X', category: 'env', value: 'x' }],
      }),
    ],
  ])('refuses an inventory that %s: a workspace may use it', async (_, changed) => {
    const place = await applied()
    const sets = place.sandbox.snapshot({ sensitive: true }).sets ?? []
    place.change(sets.map(set => (set.name === INVENTORY ? changed(set) : set)))
    const before = place.live()
    const { code, stderr } = await place.setpoint(['release', '--auto-approve'])
    expect([code, stderr]).toEqual([4, expect.stringContaining('is more than an inventory')])
    expect(place.live()).toEqual(before)
  })

  test('reads the service back if the response to the deletion is lost', async () => {
    const place = await applied({
      faults: {
        matches: ({ method }) => method === 'DELETE',
        probability: 1,
        faults: [{ kind: 'close', commit: 'after' }],
      },
    })
    const { code, stdout } = await place.setpoint(['release', '--auto-approve'])
    expect([code, inventoryIn(place)]).toEqual([0, undefined])
    expect(stdout).toContain('Verified by reading the service back.')
  })

  test('says that the inventory may still be there if the service fails, and ends with 3', async () => {
    const place = await applied({
      faults: {
        matches: ({ method }) => method === 'DELETE',
        probability: 1,
        faults: [{ kind: 'error', status: 500, commit: 'before' }],
      },
    })
    const { code, stderr } = await place.setpoint(['release', '--auto-approve'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('The inventory may still be there: ')])
    expect(inventoryIn(place)).toBeDefined()
  })
})
