import { expect, test } from 'vitest'
import { entryText } from '../../src/model/inventory.ts'
import { findRelease } from '../../src/run/release-sets.ts'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aWorld, PROJECTS, STACKS, WORKSPACES } from '../support/world.ts'

const entry = {
  ...{ key: 'varset-1', category: 'terraform' },
  value: entryText({ digest: 'd', secrets: {} }),
} as const
const inventory: SetSeed = { name: 'setpoint-inventory-us', variables: [entry] }
const sets: readonly SetSeed[] = [
  { id: 'varset-1', name: 'listed' },
  { id: 'varset-2', name: 'other' },
]

/** What is found, with one change of each response that shows the inventory. */
async function found(seed: SetSeed, change: (attributes: Record<string, unknown>) => void = () => {}) {
  const world = await aWorld([...sets, seed], {
    between: next => async (request, signal) => {
      const response = await next(request, signal)
      if (!response.body.includes(inventory.name)) return response
      const body = JSON.parse(response.body)
      for (const { attributes } of [body.data].flat())
        if (attributes.name === inventory.name) change(attributes)
      return { ...response, body: JSON.stringify(body) }
    },
  })
  const { value, diagnostics } = await findRelease(world, 'acme', 'us')
  return value === undefined
    ? diagnostics.map(({ code }) => code)
    : [value.inventories.map(({ name }) => name), value.sets]
}

test('what a release deletes is the inventory, and what stays are the sets that it lists', async () => {
  expect(await found(inventory)).toEqual([[inventory.name], ['listed']])
  expect(await found({ ...inventory, name: 'setpoint-inventory-them' })).toEqual([[], []])
})

test.each<[string, SetSeed]>([
  ['is global', { ...inventory, global: true }],
  ['has a workspace', { ...inventory, workspaces: [WORKSPACES[0]] }],
  ['has a project', { ...inventory, projects: [PROJECTS[0]] }],
  ['has a Stack', { ...inventory, stacks: [STACKS[0]] }],
  ['has another variable', { ...inventory, variables: [entry, { key: 'X', category: 'env' }] }],
])('an inventory is not deleted if it %s', async (_, seed) => {
  expect(await found(seed)).toEqual(['refused'])
})

test.each<[string, string, (attributes: Record<string, unknown>) => void]>([
  [
    'reaches something that this version does not know',
    'refused',
    one => Object.assign(one, { 'agent-count': 1 }),
  ],
  [
    'may not be changed',
    'no-permission',
    one => Object.assign(one, { permissions: { 'can-update': false } }),
  ],
])('nor if it %s', async (_, code, change) => {
  expect(await found(inventory, change)).toEqual([code])
})
