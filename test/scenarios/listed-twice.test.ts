import { expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import type { SetSeed, VariableSeed } from '../../src/sandbox/index.ts'
import { appliedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld, type World } from '../support/world.ts'

const files: ResolvedState = {
  ...aDesiredState(aSet('a', { variables: { 'env/S': { secret: { name: 'S', version: '1' } } } })),
  owner: 'team',
}

const apply = (world: World) => appliedIn(world, files, {}, { concurrency: 1 })

const entry = (id: string, version: string, versionId?: string): VariableSeed => ({
  id: `var-${id}`,
  key: 'varset-a',
  category: 'terraform',
  value: JSON.stringify({
    digest: 'earlier',
    secrets: { 'env/S': { name: 'S', version, ...(versionId === undefined ? {} : { versionId }) } },
  }),
})
const inventory = (id: string, ...variables: readonly VariableSeed[]): SetSeed => ({
  id: `varset-${id}`,
  name: 'setpoint-inventory-team',
  variables,
})
const secret = (id: string): VariableSeed => ({
  id: `var-${id}`,
  key: 'S',
  category: 'env',
  value: 'text',
  sensitive: true,
})
const aWorldWith = (...sets: readonly SetSeed[]) => aWorld(sets, { profile: { duplicates: 'second' } })

/** After two concurrent runs on a service that accepts duplicates, the next run cleans up and ends with 0. */
async function expectCleared(world: World): Promise<void> {
  const result = await apply(world)
  expect([result.exitCode, result.inventory?.state]).toEqual([0, 'written'])
  const { sets = [] } = world.sandbox.snapshot()
  expect(sets.flatMap(({ variables = [] }) => variables.map(({ key }) => key)).sort()).toEqual([
    'S',
    'varset-a',
  ])
  expect((await apply(world)).requests.writes).toBe(result.requests.writes)
}

test('a set that is listed twice in one inventory is listed once after the next run', async () => {
  await expectCleared(
    await aWorldWith(
      { id: 'varset-a', name: 'a', variables: [secret('s')] },
      inventory('i', entry('e1', '1'), entry('e2', '1')),
    ),
  )
})

test('a set that is listed in two inventories of one owner is listed once after the next run', async () => {
  await expectCleared(
    await aWorldWith(
      { id: 'varset-a', name: 'a', variables: [secret('s')] },
      inventory('i', entry('e1', '1')),
      inventory('j', entry('e2', '1')),
    ),
  )
})

test('one run is enough for a duplicate secret, because the remaining variable is compared', async () => {
  const world = await aWorldWith(
    { id: 'varset-a', name: 'a', variables: [secret('s1'), secret('s2')] },
    inventory('i'),
  )
  const sets = (await observe(world.reader, 'acme')).sets
  const second = sets[0]?.variables.find(({ id }) => id === 'var-s2')
  const { organizations = [], sets: seeds = [] } = world.sandbox.snapshot({ sensitive: true })
  world.sandbox.restore({
    organizations,
    sets: seeds.map(set =>
      set.id === 'varset-i' ? inventory('i', entry('e', '1', second?.versionId)) : set,
    ),
  })
  await expectCleared(world)
})
