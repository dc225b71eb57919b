import { describe, expect, test } from 'vitest'
import type { Inventory } from '../../src/model/inventory.ts'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { notInSnapshot, observedIn, snapshotOf } from '../../src/plan/snapshot.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const TAKEN = {
  address: 'https://service.test',
  takenAt: '2026-11-20T03:12:00Z',
  directory: { workspaces: [], projects: [] },
}
const take = (files: ResolvedState, observed: ObservedState) =>
  snapshotOf(files, observed, matchStates(files, observed, []).match, TAKEN)

const recorded = (owner: string, set: '1' | '2' | '3'): Inventory => ({
  owner,
  id: `varset-of-${owner}`,
  entries: [
    {
      ...{ setId: `varset-${set}`, variableId: `var-${set}`, digest: 'd', damaged: false },
      secrets: { 'env/S': { name: 'S', version: '1', fingerprint: { keyId: 'k', text: 'f' } } },
      external: { 'env/E': 'sensitive' },
    },
  ],
})

describe('a snapshot', () => {
  const files = { ...aDesiredState(aSet('declared')), owner: 'us' }
  const variables = { 'env/A': 'text' }
  const live = {
    ...anObservedState(
      { ...anObserved('1', 'declared', { variables }), unwritable: true, ownerNotShown: true },
      anObserved('2', 'listed', { variables }),
      anObserved('3', 'of others', { variables }),
      anObserved('4', 'global', { variables, global: true, workspaces: ['ws-1'] }),
    ),
    inventories: [recorded('us', '2'), recorded('them', '1'), recorded('those', '3')],
  }
  const taken = take(files, live)

  test('has the sets of the files and of our inventory, and of others as much as may clash', () => {
    expect(taken.sets).toEqual([
      anObserved('1', 'declared', { variables }),
      anObserved('2', 'listed', { variables }),
    ])
    expect(taken.others.map(({ name, keys }) => [name, keys])).toEqual([
      ['global', ['env/A']],
      ['of others', []],
    ])
  })

  test('has no fingerprint, and of what others record only what an adoption takes along', () => {
    const secrets = { 'env/S': { name: 'S', version: '1' } }
    const external = { 'env/E': 'sensitive' }
    expect(taken.inventories.map(({ entries: [entry] }) => [entry?.secrets, entry?.external])).toEqual([
      [secrets, external],
      [secrets, external],
      [{}, undefined],
    ])
  })

  test('is read as a state of which other sets are known by their names and global keys', () => {
    const { sets, partial, pages } = observedIn(taken)
    expect([partial, pages, sets.map(({ name }) => name)]).toEqual([
      true,
      1,
      ['declared', 'listed', 'global', 'of others'],
    ])
    expect(sets[2]?.variables.map(({ key, value }) => [key, value])).toEqual([['env/A', { hidden: true }]])
  })
})

test.each([
  ['a set that is declared since', aDesiredState(aSet('other')), ['other']],
  ['its id', aDesiredState(aSet('a', { id: 'varset-1' })), ['a']],
  ['a name before', aDesiredState(aSet('a', { previousNames: ['other'] })), ['a']],
  [
    'a set that is removed',
    { ...aDesiredState(), removed: [{ name: 'other', source: SOMEWHERE }] },
    ['other'],
  ],
  ['its id there', { ...aDesiredState(), removed: [{ id: 'varset-1', source: SOMEWHERE }] }, ['varset-1']],
  ['a set that the service does not have', aDesiredState(aSet('new')), []],
] as const)('a plan needs more than the name of a set: %s', (_, files, names) => {
  const taken = take(aDesiredState(), anObservedState(anObserved('1', 'other')))
  expect(notInSnapshot(files, taken).map(({ message }) => message)).toEqual(
    names.map(name => `The service has "${name}", but the snapshot contains only its name.`),
  )
})
